"""Documents that count tokens, characters, UTF-16 units, bytes or nothing meet in characters."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from matchwise import evaluate
from matchwise.cli import main
from matchwise.errors import DataError
from matchwise.formats import labelstudio
from matchwise.formats.exports import read_export
from matchwise.formats.io.conversion import doubt_characters, find_texts, find_unit, lay_words
from matchwise.formats.io.documents import Entry
from matchwise.formats.io.units import PAIRED, compare_texts, meet, pair_by_text
from matchwise.tasks import coref, relations
from matchwise.tasks.ner import Extraction, Mention, Positions, Tagged, mentions, suite
from matchwise.tasks.relations import Relation

TEXT = "😀 Ada moved to Köln."
GOLD = Extraction((Mention((2, 5), "PER"), Mention((15, 19), "LOC")), text=TEXT)


@pytest.mark.parametrize(
    ("unit", "spans"),
    [("utf16", ((3, 6), (16, 20))), ("bytes", ((5, 8), (18, 23))), ("characters", ((2, 5), (15, 19)))],
)
def test_units_of_other_languages_are_converted(unit: Any, spans: Any) -> None:
    found = tuple(Mention(span, kind) for span, kind in zip(spans, ("PER", "LOC"), strict=True))
    (pred, ref), said = meet([Extraction(found, positions=Positions(unit, TEXT)), GOLD])
    assert pred.mentions == ref.mentions == GOLD.mentions
    assert bool(said) is (unit != "characters")


def test_a_position_inside_of_a_character_is_refused() -> None:
    pred = Extraction((Mention((1, 6), "PER"),), positions=Positions("utf16", TEXT))
    with pytest.raises(DataError, match="found the position 1, where no character of the text begins in UTF-16 units"):
        meet([pred, GOLD])


def test_relations_are_converted_with_their_mentions() -> None:
    ends = Mention((1, 2), "PER"), Mention((4, 5), "LOC")
    words = ["😀", "Ada", "moved", "to", "Köln", "."]
    (pred, _), _ = meet([Extraction(ends, (Relation("in", *ends),), text=words), GOLD])
    assert (pred.relations[0].subj, pred.relations[0].obj) == GOLD.mentions


def test_sentences_are_read_each_by_itself_where_their_document_is_whole() -> None:
    """A mention does not go on in the next sentence, whatever its tag."""
    parts = [Tagged(("O", "I-PER"), tokens=("for", "Ada")), Tagged(("I-PER", "O"), tokens=("Bo", "came"))]
    (pred, _), _ = meet([parts, Extraction(text="for Ada\nBo came")])
    assert mentions(pred) == [Mention((4, 7), "PER"), Mention((8, 10), "PER")]


def test_words_that_are_not_in_the_text_are_refused() -> None:
    with pytest.raises(DataError, match="found the word 'Bo' where the text has 'Ada'"):
        lay_words(["Bo"], "Ada")
    with pytest.raises(DataError, match="the words end where the text goes on with 'moved'"):
        lay_words(["Ada"], "Ada moved")


def test_two_sides_of_the_same_unit_stay_as_they_are() -> None:
    pred, ref = Extraction((Mention((0, 1), "PER"),), text=["Ada"]), Tagged(("B-PER",), tokens=("Bo",))
    assert meet([pred, ref]) == ([pred, ref], "")


def test_documents_of_other_units_are_refused_in_python_too() -> None:
    pred = Tagged(("B-PER",), tokens=("Ada",))
    with pytest.raises(DataError, match=r"found spans of tokens, expected characters as in the reference; write"):
        evaluate(suite(), [pred], [Extraction((Mention((0, 3), "PER"),), text="Ada")])
    sides, _ = meet([pred, Extraction((Mention((0, 3), "PER"),), text="Ada")])
    assert evaluate(suite(), sides[:1], sides[1:])["strict"].f1 == 1


def test_a_text_that_is_nowhere_is_a_wrong_mention(tmp_path: Path, capsys: Any) -> None:
    answer, gold = tmp_path / "run.jsonl", tmp_path / "gold.jsonl"
    entities = [{"text": text, "type": "PER"} for text in ("Ada", "Bob", "Ada")]
    answer.write_text(json.dumps({"id": 1, "entities": entities}), encoding="utf-8")
    spans = [[0, 3, "PER"], [9, 12, "PER"]]
    gold.write_text(json.dumps({"id": 1, "text": "Ada, and Ada too.", "spans": spans}), encoding="utf-8")
    assert main(["score", "ner", str(answer), "-r", str(gold), "--only", "strict", "--format", "csv"]) == 0
    assert ",2,3,2," in capsys.readouterr().out


def test_whole_words_come_first_and_white_space_does_not_count() -> None:
    assert find_texts(["Ada", "New\nYork", "da"], "Adana Ada in New York") == [(6, 9), (13, 21), (1, 3)]


def test_the_signs_of_a_text_are_sought_as_they_are() -> None:
    assert find_texts(["a.c", "C++", "(x)"], "abc a.c C++ (x)") == [(4, 7), (8, 11), (12, 15)]


@pytest.mark.parametrize(("start", "unit"), [(2, "characters"), (3, "utf16"), (5, "bytes")])
def test_the_unit_of_label_studio_is_found_by_the_texts_of_mentions(start: int, unit: str) -> None:
    region = {"start": start, "end": start + 3, "text": "Ada", "labels": ["PER"]}
    [one] = labelstudio.read(StringIO(json.dumps({"id": 1, "text": TEXT, "annotation_id": 2, "label": [region]})))
    assert one.positions is not None
    assert one.positions.unit == unit == find_unit(TEXT, [(start, start + 3, "Ada")])


def test_somebody_may_say_the_unit() -> None:
    row = json.dumps({"id": 1, "text": TEXT, "label": [[3, 6, "PER"]]})
    [one] = read_export(StringIO(row), "doccano", unit="utf16")
    (made, _), _ = meet([one, GOLD])
    assert made.mentions == GOLD.mentions[:1]


def test_a_text_inside_of_a_longer_one_that_is_sought_too_stands_elsewhere_if_it_can() -> None:
    assert find_texts(["Ada Novak", "Ada"], "Ada Novak met Ada.") == [(0, 9), (14, 17)]
    assert find_texts(["Ada", "Ada Novak", "Ada"], "Ada Novak met Ada.") == [(0, 3), (0, 9), (14, 17)]
    assert find_texts(["Bank of England", "England"], "the Bank of England") == [(4, 19), (12, 19)]


def score(pred: str, ref: str, capsys: Any, *more: str) -> tuple[str, str]:
    """The strict F1 of two files, and what is said besides."""
    main(["score", "ner", pred, "-r", ref, "--only", "strict", "--score-only", *more])
    printed = capsys.readouterr()
    return printed.out.strip(), printed.err


PLACES = {"characters": ((2, 5), (15, 19)), "utf16": ((3, 6), (16, 20)), "bytes": ((5, 8), (18, 23))}
LABELS = ("PER", "LOC")


def entities_in(unit: str, *, texts: bool = False) -> list[dict[str, Any]]:
    made = [{"start": at, "end": to, "label": kind} for (at, to), kind in zip(PLACES[unit], LABELS, strict=True)]
    return [one | {"text": text} for one, text in zip(made, ("Ada", "Köln"), strict=True)] if texts else made


@pytest.mark.parametrize("unit", PLACES)
def test_the_text_of_the_other_side_shows_what_spans_with_texts_count(unit: str, tmp_path: Path, capsys: Any) -> None:
    pred = write(tmp_path / "pred.jsonl", entities=entities_in(unit, texts=True))
    ref = write(tmp_path / "ref.jsonl", text=TEXT, entities=entities_in("characters"))
    assert [score(pred, ref, capsys)[0], score(ref, pred, capsys)[0]] == ["1.0000", "1.0000"]


def test_one_span_that_cuts_a_word_is_enough_for_a_doubt() -> None:
    assert "would not as bytes" in doubt_characters("Bo é Ada ran", [(0, 2), (6, 9)])


@pytest.mark.parametrize("has_text", [True, False])
def test_spans_that_cut_words_only_as_characters_are_doubted(has_text: bool, tmp_path: Path, capsys: Any) -> None:
    more = {"text": TEXT} if has_text else {}
    pred = write(tmp_path / "pred.jsonl", **more, entities=entities_in("utf16"))
    ref = write(tmp_path / "ref.jsonl", text=TEXT, entities=entities_in("characters"))
    doubt = "spans cut words, but would not as UTF-16 units; write --option unit=utf16 if they count these (1 time)"
    assert score(pred, ref, capsys) == ("0.0000", f"matchwise: warning: {pred}: {doubt}\n")
    assert score(ref, pred, capsys) == ("0.0000", f"matchwise: warning: {ref}: reference: {doubt}\n")
    main(["check", "ner", pred, "-r", ref])
    assert doubt in capsys.readouterr().out
    assert score(ref, ref, capsys) == ("1.0000", "")


def test_the_unit_is_said_of_spans_without_a_text(tmp_path: Path, capsys: Any) -> None:
    pred = write(tmp_path / "pred.jsonl", entities=entities_in("bytes"))
    ref = write(tmp_path / "ref.csv", text=TEXT, ents=entities_in("characters"))
    assert score(pred, ref, capsys, "--id", "none", "--option", "unit=bytes")[0] == "1.0000"
    problem = "found the span [18, 23), but the text has 20 characters; write --option unit=utf16 or unit=bytes"
    assert problem in score(pred, ref, capsys, "--id", "none")[1]


def test_mentions_that_say_something_else_than_their_spans_are_doubted(tmp_path: Path, capsys: Any) -> None:
    ref = write(tmp_path / "ref.jsonl", text="Ada met José.", entities=[[0, 3, "PER"], [8, 12, "PER"]])
    entities = [{"start": 0, "end": 3, "type": "PER", "text": "Ada"}, {"start": 8, "end": 12, "type": "PER"}]
    for text, said in (("José", ""), ("jose", ""), ("Bob", "mentions have another text than their spans")):
        pred = write(
            tmp_path / "pred.jsonl", text="Ada met José.", entities=[entities[0], entities[1] | {"text": text}]
        )
        value, err = score(pred, ref, capsys)
        assert (value, said in err, bool(err)) == ("1.0000", True, bool(said))


def test_spans_of_an_unknown_unit_beside_bytes_count_characters(tmp_path: Path, capsys: Any) -> None:
    """Its texts show that one side counts bytes; the other has neither text nor texts."""
    pred = write(tmp_path / "pred.jsonl", entities=entities_in("characters"))
    ref = write(tmp_path / "ref.jsonl", text=TEXT, entities=entities_in("bytes", texts=True))
    assert score(pred, ref, capsys)[0] == "1.0000"


def test_the_lengths_of_texts_show_bytes_where_no_side_has_its_text(tmp_path: Path, capsys: Any) -> None:
    """They were compared as numbers, and no mention was right."""
    pred = write(tmp_path / "pred.jsonl", entities=entities_in("bytes", texts=True))
    ref = write(tmp_path / "ref.jsonl", entities=entities_in("characters", texts=True))
    value, err = score(pred, ref, capsys)
    assert not value
    assert "to convert the side that counts bytes, the text must be there" in err


def test_spans_without_a_text_are_refused_beside_texts_of_mentions(tmp_path: Path, capsys: Any) -> None:
    """They were compared as numbers, and no mention was right."""
    pred = write(tmp_path / "pred.jsonl", entities=[{"text": "Ada", "type": "PER"}])
    ref = write(tmp_path / "ref.jsonl", entities=entities_in("characters"))
    assert "to convert the side that counts the texts of mentions" in score(pred, ref, capsys)[1]


def test_sentences_meet_documents_whose_first_texts_are_the_same(tmp_path: Path, capsys: Any) -> None:
    """The first document is one sentence, and the second has two."""
    conll = tmp_path / "gold.conll"
    conll.write_text("Ada B-PER\nleft O\n\nBob B-PER\nleft O\n\nCem B-PER\nleft O\n", encoding="utf-8")
    spacy = tmp_path / "pred.jsonl"
    rows = [("Ada left", [0]), ("Bob left Cem left", [0, 9])]
    made = [
        {"text": text, "ents": [{"start": at, "end": at + 3, "label": "PER"} for at in starts]} for text, starts in rows
    ]
    spacy.write_text("".join(json.dumps(row) + "\n" for row in made), encoding="utf-8")
    assert score(str(spacy), str(conll), capsys)[0] == score(str(conll), str(spacy), capsys)[0] == "1.0000"


def test_penn_treebank_brackets_are_those_of_the_text() -> None:
    assert lay_words(["-LRB-", "Ada", "-RRB-"], "(Ada)") == [(0, 1), (1, 4), (4, 5)]


def test_what_prodigy_rejects_has_no_mentions() -> None:
    row = {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "reject", "_input_hash": 1}
    [one] = read_export(StringIO(json.dumps(row)), "prodigy")
    assert one.mentions == ()


TOKENS = [{"id": 0, "start": 0, "end": 1}, {"id": 1, "start": 2, "end": 5}, {"id": 2, "start": 6, "end": 11}]
SPACY = {"text": "😀 Ada moved", "ents": [{"start": 2, "end": 5, "label": "PER"}], "tokens": TOKENS}


def test_tags_without_words_stand_where_the_tokens_of_the_other_side_do() -> None:
    (ref,) = read_export(StringIO(json.dumps(SPACY)), "spacy")
    (pred, _), _ = meet([Tagged(("O", "B-PER", "O")), ref])
    assert mentions(pred) == [Mention((2, 5), "PER")]
    with pytest.raises(DataError, match="found 2 tags for 3 words; write a tag for each word"):
        meet([Tagged(("O", "B-PER")), ref])


def test_the_unit_that_somebody_says_is_not_that_of_a_file_whose_unit_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pred, ref = tmp_path / "pred.jsonl", tmp_path / "ref.jsonl"
    pred.write_text(json.dumps({"text": SPACY["text"], "mentions": [{"start": 3, "end": 6, "type": "PER"}]}))
    ref.write_text(json.dumps(SPACY))
    for sides in ((pred, ref), (ref, pred)):
        command = ["score", "ner", str(sides[0]), "-r", str(sides[1]), "--option", "unit=utf16"]
        assert main([*command, "--only", "strict", "--score-only"]) == 0
        assert capsys.readouterr().out.strip() == "1.0000"


def write(path: Path, **document: Any) -> str:
    path.write_text(json.dumps({"id": 1, **document}, ensure_ascii=False) + "\n", encoding="utf-8")
    return str(path)


def spans(*found: tuple[int, int, str]) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "type": "PER", "text": text} for start, end, text in found]


@pytest.mark.parametrize(("unit", "found"), [("UTF-16 units", (3, 6)), ("bytes", (5, 8))])
def test_what_mentions_say_shows_what_their_spans_count(unit: str, found: Any, tmp_path: Path, capsys: Any) -> None:
    gold = write(tmp_path / "gold.jsonl", text=TEXT, entities=spans((2, 5, "Ada")))
    pred = write(tmp_path / "run.jsonl", text=TEXT, entities=spans((*found, "Ada")))
    assert main(["score", "ner", pred, "-r", gold, "--only", "strict", "--fail-under", "f1=1"]) == 0
    assert f"{unit} against characters: all spans count characters (1 time)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "end", "advice"),
    [
        (TEXT, 23, "found the span [18, 23), but the text has 20 characters; write --option unit=utf16 or unit=bytes"),
        (
            "Ada",
            30,
            "found the span [18, 30), but the text has 3 characters; its spans count something else, or are of",
        ),
        (["Ada"], 19, "found the span [18, 19), but the text has 1 token; its spans count something else, or are of"),
    ],
)
def test_a_span_beyond_the_end_of_its_text_is_refused(
    text: Any, end: int, advice: str, tmp_path: Path, capsys: Any
) -> None:
    known = {"tokens": text} if isinstance(text, list) else {"text": text}
    path = write(tmp_path / "run.jsonl", **known, entities=[{"start": 18, "end": end, "type": "LOC"}])
    assert main(["score", "ner", path, "-r", path]) == 3
    assert f"{path}:1: document 1: {advice}" in capsys.readouterr().err
    assert main(["check", "ner", path, "-r", path]) == 3


def test_relations_beyond_the_end_of_their_text_are_refused(tmp_path: Path, capsys: Any) -> None:
    relation = {"type": "in", "subj": {"start": 0, "end": 3}, "obj": {"start": 14, "end": 90}}
    path = write(tmp_path / "run.jsonl", text="Ada moved to Linz.", relations=[relation])
    assert main(["score", "relations", path, "-r", path]) == 3
    assert "found the span [14, 90), but the text has 18 characters" in capsys.readouterr().err


def test_documents_of_other_texts_are_named(tmp_path: Path, capsys: Any) -> None:
    gold = write(tmp_path / "gold.jsonl", text="Ada moved.", entities=[[0, 3, "PER"]])
    for text, is_other in (("Bob stayed.", True), (" Ada  moved.\n", False)):
        pred = write(tmp_path / "run.jsonl", text=text, entities=[[0, 3, "PER"]])
        assert main(["score", "ner", pred, "-r", gold]) == 0
        note = "documents whose text is not that of the reference; are both files of the same text? (1 time)"
        assert (note in capsys.readouterr().err) is is_other


def test_links_move_with_their_mentions() -> None:
    pred = Extraction(
        (Mention((1, 2), "PER"),), entities=(((1, 2), "Q7259"),), text=["😀", "Ada", "moved", "to", "Köln", "."]
    )
    (moved, _), _ = meet([pred, GOLD])
    assert moved.entities == (((2, 5), "Q7259"),)


def test_units_of_relations_and_coreference_are_checked_in_python() -> None:
    ends = Mention((0, 1), "PER"), Mention((2, 3), "LOC")
    pred = Extraction(relations=(Relation("in", *ends),), text=["Ada", "in", "Linz"])
    with pytest.raises(DataError, match="found spans of tokens, expected characters as in the reference; write"):
        evaluate(relations.suite(), [pred], [Extraction(text="Ada in Linz")])
    clusters = coref.from_clusters([[(0, 1), (2, 3)]], "a")
    with pytest.raises(DataError, match="found spans of tokens, expected UTF-16 units as in the reference; write"):
        evaluate(coref.suite(), [clusters], [replace(clusters, positions=Positions("utf16", "Ada"))])


def test_clusters_without_words_are_refused_beyond_the_words_of_the_other_side(tmp_path: Path, capsys: Any) -> None:
    bare = write(tmp_path / "bare.jsonl", clusters=[[[0, 2], [9, 11]]])
    words = write(tmp_path / "words.jsonl", clusters=[[[0, 0], [2, 2]]], sentences=[["Ada", "said", "she", "left"]])
    for pred, ref in ((bare, words), (words, bare)):
        assert main(["score", "coref", pred, "-r", ref]) == 3
        problem = "document 1: found the span [9, 12), but the text has 4 tokens; its spans count something else"
        assert f"{bare}: {problem}" in capsys.readouterr().err


def test_a_cluster_beyond_its_own_words_is_refused(tmp_path: Path, capsys: Any) -> None:
    path = write(tmp_path / "a.jsonl", clusters=[[[0, 0], [9, 9]]], sentences=[["Ada", "left"]])
    assert main(["score", "coref", path, "-r", path]) == 3
    assert f"{path}:1: clusters: found a mention that ends at 10, but the text has 2 words" in capsys.readouterr().err


def cut(*stretches: str, ids: str = "") -> Iterator[Entry]:
    """Documents of a text that is cut into stretches."""
    for place, words in enumerate(stretches):
        yield Entry(ids[place] if ids else None, Tagged(("O",) * len(words.split()), tokens=(*words.split(),)))


def test_stretches_of_a_text_are_paired_wherever_each_side_cuts_it() -> None:
    found = list(pair_by_text(cut("a b", "c", "d", ids="123"), cut("a", "b c", "d")))
    sizes = [[1 if isinstance(one.document, Tagged) else len(one.document) for one in pair] for pair in found]
    assert (sizes, [pred.id for pred, _ in found], [ref.id for _, ref in found]) == (
        [[2, 2], [1, 1]],
        ["1", "3"],
        ["1", "3"],
    )
    [(pred, ref)] = pair_by_text(cut("a", ids="p"), cut("a", ids="r"))
    assert (pred.id, ref.id) == ("r", "r")


@pytest.mark.parametrize(
    ("preds", "refs", "problem", "side"),
    [
        (("a b",), ("a",), "the text ends here, where that of the other side goes on with 'b'", "reference"),
        (("a",), ("a b",), "the text ends here, where that of the other side goes on with 'b'", "prediction"),
        (("a",), ("a", "b c"), "the text goes on with 'bc', where that of the predictions ends", "reference"),
        (("a c",), ("a b",), f"the predictions have 'ac' where the references have 'ab'; {PAIRED}", None),
    ],
)
def test_a_text_that_is_not_that_of_the_other_side_is_refused(
    preds: Any, refs: Any, problem: str, side: str | None
) -> None:
    with pytest.raises(DataError) as caught:
        list(pair_by_text(cut(*preds), cut(*refs)))
    assert (caught.value.problem, caught.value.side) == (problem, side)


@pytest.mark.parametrize(
    ("pred", "ref", "found"),
    [("a b", "a b", "same"), ("a", "a b", "cut"), ("a b", "a", "cut"), ("b", "a b", "other"), ("", "a", "other")],
)
def test_two_texts_are_the_same_or_the_beginning_of_one_another(pred: str, ref: str, found: str) -> None:
    sides = [next(cut(words)).document for words in (pred, ref)]
    assert compare_texts(*sides, ("p", "r")) == found
    assert compare_texts(sides[0], {"no": "text"}, ("p", "r")) == "other"
