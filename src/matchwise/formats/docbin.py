"""DocBin files of spaCy (`.spacy`): the entities and span groups of documents, read by spaCy itself."""

from __future__ import annotations

from collections.abc import Iterator

from matchwise.errors import FormatError
from matchwise.formats import Format
from matchwise.formats.io.source import Text, name_of, read_bytes
from matchwise.tasks.ner import Extraction, Mention, Positions


def read(source: Text, *, group: str | None = None) -> Iterator[Extraction]:
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


DOCBIN = Format(
    name="docbin",
    title="DocBin of spaCy",
    looks="a file that ends in .spacy",
    read=read,
    sniff=lambda head, name: name.endswith(".spacy"),
    endings=(".spacy",),
    settings=("group",),
)
