"""What annotation tools write and a package of theirs reads: DocBin of spaCy (`.spacy`), and UIMA CAS.

Of a DocBin the entities or a span group are read. UIMA CAS is what INCEpTION and WebAnno write: XMI (with its
TypeSystem.xml, or as a `.zip` of both) and JSON. A folder has a file for each document or, as the export of a project
has it, a folder for each document with a file for each annotator.

Mentions of a CAS are the annotations `NamedEntity`, by their `value`, or those of the custom layers of a project;
`layer` names the one to read. The package dkpro-cassis reads the files. It converts the positions of Java, which are
UTF-16 units, to characters. Of an XMI file without a type system only the layers of DKPro Core are known.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from matchwise.errors import FormatError
from matchwise.formats import Format, has_line, objects
from matchwise.formats.io.source import Text, bare_name, name_of, read_bytes
from matchwise.tasks.ner import Extraction, Mention, Positions

if TYPE_CHECKING:
    from pathlib import Path  # not at run time: every file of tags is looked at by this module first


def read_docbin(source: Text, *, group: str | None = None) -> Iterator[Extraction]:
    """The documents of a file; `group` names the span group to read in place of the entities."""
    name = name_of(source)
    try:
        from spacy.tokens import DocBin
        from spacy.vocab import Vocab
    except ImportError:
        raise FormatError("to read a DocBin, write pip install 'matchwise[spacy]'", name) from None
    data = read_bytes(source)
    if not data.strip():
        return
    try:
        for document in DocBin().from_bytes(data).get_docs(Vocab()):
            if group is not None and group not in document.spans:
                raise FormatError(f"found no span group {group!r}, but {', '.join(document.spans) or 'none'}", name)
            spans = document.ents if group is None else document.spans[group]
            yield Extraction(
                tuple(Mention((one.start_char, one.end_char), one.label_) for one in spans),
                text=document.text,
                positions=Positions("characters", document.text, tuple(token.text for token in document)),
            )
    except FormatError:
        raise
    except Exception as error:  # whatever spaCy raises of a file that is broken
        raise FormatError(f"cannot be read as a DocBin: {type(error).__name__}: {error}", name) from None


TYPE_SYSTEM = "TypeSystem.xml"
NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
METADATA = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
CUSTOM = ("webanno.custom.", "custom.")
LABELS = ("value", "label", "type", "category", "tag")


def read_cas(source: Text, *, layer: str | None = None, annotator: str | None = None) -> Iterator[Extraction]:
    """The document of a file, or those of an archive or a folder; `annotator` keeps those of one person."""
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        for file in _list_folder(source):
            inside, stem = not os.path.samefile(file.parent, source), file.name.partition(".")[0]
            if annotator is not None and inside and stem != annotator:
                continue
            for found in read_cas(file, layer=layer):
                id = (file.parent.name if inside else stem) if found.id is None else found.id
                yield replace(found, id=id, annotator=stem if inside else "")
        return
    try:
        import cassis
    except ImportError:
        raise FormatError("to read UIMA CAS, write pip install 'matchwise[cas]'", name_of(source)) from None
    name, data = name_of(source), read_bytes(source)
    if not data.strip():
        return
    try:
        types = os.path.join(os.path.dirname(name), TYPE_SYSTEM)
        known = read_bytes(types) if os.path.isfile(types) else None
        files = {"": data}
        if data.startswith(b"PK"):
            known, files = _unzip(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package: functions of its own dependencies are deprecated
            made = {path: _document(_load(cassis, one, known), layer, name) for path, one in files.items()}
    except FormatError:
        raise
    except Exception as error:  # whatever a package raises of a file that is broken
        raise FormatError(f"cannot be read as a CAS: {type(error).__name__}: {error}", name) from None
    for path, document in made.items():
        stem = os.path.splitext(os.path.basename(path))[0]
        yield replace(document, id=stem) if len(made) > 1 and document.id is None else document


def _list_folder(folder: str | os.PathLike[str]) -> list[Path]:
    """The files that hold a CAS in a folder and in those in it, by their names; not what nobody has annotated."""
    from pathlib import Path

    found = sorted(one for pattern in ("*", "*/*") for one in Path(folder).glob(pattern) if one.is_file())
    return [one for one in found if not one.name.startswith("INITIAL_CAS.") and _holds_cas(one)]


def _holds_cas(file: Path) -> bool:
    """True for XMI, archives and JSON that begins as a CAS does."""
    if bare_name(file.name).endswith((".xmi", ".zip")):
        return True
    if not bare_name(file.name).endswith(".json"):
        return False
    with open(file, "rb") as opened:
        return re.match(rb'\s*\{\s*"%', opened.read(100)) is not None


def _load(cassis: Any, data: bytes, types: bytes | None) -> Any:
    if data.lstrip().startswith(b"{"):
        return cassis.load_cas_from_json(io.BytesIO(data))
    return cassis.load_cas_from_xmi(io.BytesIO(data), typesystem=_load_types(types), lenient=True)


@lru_cache(maxsize=4)
def _load_types(types: bytes | None) -> Any:
    """A type system, or that of DKPro Core; it takes longer to read than a document does."""
    import cassis

    return cassis.load_dkpro_core_typesystem() if types is None else cassis.load_typesystem(io.BytesIO(types))


def _unzip(data: bytes) -> tuple[bytes | None, dict[str, bytes]]:
    """The type system and the documents of an archive, by their names."""
    from zipfile import ZipFile

    with ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        documents = sorted(one for one in names if one.endswith((".xmi", ".json")))
        if not documents:
            raise ValueError(f"found {', '.join(names) or 'nothing'}, expected an .xmi or .json file")
        types = next((one for one in names if os.path.basename(one) == TYPE_SYSTEM), None)
        return None if types is None else archive.read(types), {one: archive.read(one) for one in documents}


def _document(cas: Any, layer: str | None, name: str) -> Extraction:
    found = [(one.type.name, one) for one in cas.select_all_annotations()]
    layers = dict.fromkeys(kind for kind, _ in found)
    wanted = [kind for kind in layers if _is_layer(kind, layer)]
    if layer is not None and not wanted:
        raise FormatError(f"found no layer {layer!r}, but {', '.join(layers) or 'none'}", name)
    if layer is None and NAMED_ENTITY in layers:
        wanted = [NAMED_ENTITY]
    mentions = (Mention((one.begin, one.end), _label(one)) for kind, one in found if kind in wanted)
    titles = (
        getattr(one, key, None) for kind, one in found if kind == METADATA for key in ("documentTitle", "documentId")
    )
    text = cas.sofa_string or ""
    return Extraction(
        tuple(mentions), id=next(filter(None, titles), None), positions=Positions("characters", text), text=text
    )


def _is_layer(kind: str, layer: str | None) -> bool:
    return kind.startswith(CUSTOM) if layer is None else layer in (kind, kind.rpartition(".")[2])


def _label(annotation: Any) -> str:
    """The value of the feature that names the type of a mention; of another name, the first that is a text."""
    names = [feature.name for feature in annotation.type.all_features]
    texts = (getattr(annotation, name, None) for name in (*LABELS, *names) if name in names)
    return next((one for one in texts if isinstance(one, str)), "")


def _is_cas(head: str, name: str) -> bool:
    if os.path.isdir(name):
        return bool(_list_folder(name))
    is_json = any("%FEATURE_STRUCTURES" in one or "%TYPES" in one for one in objects(head))
    return bare_name(name).endswith((".xmi", ".zip")) or is_json or has_line(r"<xmi:XMI\b")(head, name)


DOCBIN = Format(
    name="docbin",
    title="DocBin of spaCy",
    looks="a file that ends in .spacy",
    read=read_docbin,
    sniff=lambda head, name: name.endswith(".spacy"),
    endings=(".spacy",),
    settings=("group",),
)


CAS = Format(
    name="cas",
    title="UIMA CAS of INCEpTION, as XMI or JSON",
    looks='<xmi:XMI …>, or "%TYPES" and "%FEATURE_STRUCTURES"',
    read=read_cas,
    sniff=_is_cas,
    endings=(".zip",),
    settings=("layer", "annotator"),
)
