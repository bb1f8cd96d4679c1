"""Byte ranges of files that hold whole documents."""

from pathlib import Path

import pytest

from matchwise.formats.io import taskfile as module
from matchwise.formats.io.taskfile import Head, Range, TaskFile, ranges

TAGS = "-DOCSTART- O\n\nU.N. B-ORG\nsays O\n\nEkeus B-PER\n \n\nBaghdad B-LOC\n"

TEXTS = {
    "conll2003": TAGS,
    "conllu": "".join(
        f"# sent_id = {k}\n" + "".join(f"{n}\tw{k}{n}\t_\t_\t_\t_\t0\troot\t_\t_\n" for n in range(1, 10)) + "\n"
        for k in range(3)
    ),
    "conll2012": "".join(f"#begin document (d{k}); part 000\nd 0 0 I PRP (1)\n\n#end document\n" for k in range(3)),
    "semeval2010": "".join(f"#begin document d{k}\n1\tIk\t_\t(1)\n#end document\n" for k in range(3)),
    "corefud": "".join(
        f"# newdoc id = d{k}\n# global.Entity = eid-head\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-1)\n\n"
        for k in range(3)
    ),
    "conllua": "# global.columns = ID FORM IDENTITY\n"
    + "".join(f"# newdoc id = d{k}\n1 a (EntityID=1|MarkableID=m{k})\n\n" for k in range(3)),
    "ptb": "".join(f"(S (NP (N w{k})))\n" for k in range(120)),
    "penman": "# header\n\n" + "".join(f"# ::id {k}\n\n(w / want-0{k}\n   :ARG0 (b / boy))\n\n" for k in range(3)),
    "sdp": "#SDP 2015\n" + "".join(f"#{k}\n1\tw{k}\tw\tN\t+\t-\t_\n\n" for k in range(3)),
    "conll05": "Cats - (A0*)\nsleep sleep (V*)\n\n" * 3,
    "clauses": 'b1 male "n.02" x1\nb2 Agent e1 x1\n\n' * 3,
    "oneie": "".join(f'{{"sent_id": "s{k}", "entity_mentions": []}}\n' for k in range(3)),
    "tbf": "".join(f"#BeginOfDocument d{k}\ns\td\tE\t3,9\tx\tAttack\tActual\n#EndOfDocument\n" for k in range(3)),
}


@pytest.fixture(autouse=True)
def small(monkeypatch) -> None:
    """A range for every document."""
    monkeypatch.setattr(module, "BYTES", 1)
    monkeypatch.setattr(module, "HEADS", 0)


def written(folder: Path, format: str, text: str, name: str = "file") -> TaskFile:
    path = folder / name
    path.write_bytes(text.encode())
    return TaskFile(str(path), format)


def documents(file: TaskFile) -> list[object]:
    return [(entry.id, entry.document) for entry in file]


@pytest.mark.parametrize("format", TEXTS)
def test_the_ranges_of_a_file_hold_its_documents(tmp_path: Path, format: str) -> None:
    file = written(tmp_path, format, TEXTS[format])
    cuts = file.cuts()
    assert cuts is not None
    found = [both[0] for both in ranges(cuts, cuts)]
    assert len(found) >= 3
    together = [one for part in found for one in documents(file.at(part))]
    whole = documents(file)
    if format == "conllu":  # the line of a sentence is told by the reading of the whole file
        assert [one.forms for _, one in together] == [one.forms for _, one in whole]
    elif format in ("conll2003", "conll05"):
        assert [_bare(one) for _, one in together] == [_bare(one) for _, one in whole]
    elif format == "ptb":
        assert [str(one.words) for _, one in together] == [str(one.words) for _, one in whole]
    else:
        assert together == whole


def _bare(document: object) -> object:
    from dataclasses import replace

    return replace(document, line=0)


def test_a_range_says_where_it_lies_and_what_is_read_before_it(tmp_path: Path) -> None:
    cuts = written(tmp_path, "conll2003", TAGS).cuts()
    assert cuts is not None
    head = Head(14, 0)
    assert [ref for _, ref in ranges(cuts, cuts)] == [
        Range(0, 14), Range(14, 19, head), Range(33, 15, head), Range(48, 14, head),
    ]  # fmt: skip


def test_columns_are_as_many_as_in_the_first_sentence_of_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, "conll2003", "a O\n\nb X O\n\nc X O\n")
    cuts = file.cuts()
    assert cuts is not None
    *_, last = [part for part, _ in ranges(cuts, cuts)]
    with pytest.raises(Exception, match="found 3 columns, expected 2 as on line 1"):
        documents(file.at(last))


def test_sentences_that_are_cut_elsewhere_are_brought_together_by_their_words(tmp_path: Path) -> None:
    def sentence(words: str) -> str:
        return "".join(f"{k}\t{word}\t_\t_\t_\t_\t0\t_\t_\t_\n" for k, word in enumerate(words.split(), 1)) + "\n"

    first, second, third = (" ".join(f"{letter}{k}" for k in range(9)) for letter in "abc")
    refs = written(tmp_path, "conllu", "".join(map(sentence, (first, second, third))), "refs")
    preds = written(tmp_path, "conllu", sentence(f"{first} {second}") + sentence(third), "preds")
    here, there = preds.cuts(), refs.cuts()
    assert here is not None
    assert there is not None
    parts = list(ranges(here, there))
    assert [[len(list(file.at(part))) for file, part in zip((preds, refs), both, strict=True)] for both in parts] == [
        [1, 2], [1, 1],
    ]  # fmt: skip


def test_an_empty_tree_at_a_cut_is_not_lost(tmp_path: Path) -> None:
    file = written(tmp_path, "ptb", "(S (N a))\n" * 60 + "\n(S (N b))\n(S (N c))\n")
    cuts = file.cuts()
    assert cuts is not None
    assert sum(len(list(file.at(part))) for part, _ in ranges(cuts, cuts)) == len(list(file)) == 63


@pytest.mark.parametrize("name", ["file.gz", "one"])
def test_what_is_packed_or_has_one_document_is_not_cut(tmp_path: Path, name: str) -> None:
    import gzip

    data = TAGS.encode() if name == "file.gz" else b"Ekeus B-PER\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name == "file.gz" else data)
    assert TaskFile(str(path), "conll2003").cuts() is None
