"""CONLLUA: brackets by order and by name, discontinuous mentions, zeros, minimal spans, corefud-scorer's numbers."""

from io import StringIO
from typing import Any

import pytest

from matchwise.corpus.tally import Tally
from matchwise.errors import FormatError
from matchwise.formats import conllua, recognize
from matchwise.formats.anaphora import PartlyRead
from matchwise.tasks.coref import CorefMention, EntitySet, suite

COLUMNS = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING"


def text(*rows: str, separator: str = "\t") -> str:
    """A document of rows `id identity`."""
    lines = [f"{COLUMNS}\n# newdoc id = d"]
    for row in rows:
        id, identity = row.split()
        lines.append(separator.join([id, f"w{id}", *"________", identity, "_"]))
    return "\n".join(lines) + "\n"


def document(*rows: str, **options: str) -> EntitySet:
    [found] = conllua.read(StringIO(text(*rows, **options)))
    return found


def spans(found: EntitySet) -> dict[str, list[tuple[int, int]]]:
    return {entity.id: [mention[:2] for mention in entity.mentions] for entity in found.entities}


@pytest.mark.parametrize("separator", ["\t", "  "])
def test_brackets_close_in_the_order_of_a_stack(separator: str) -> None:
    found = document(
        "1 (EntityID=1|MarkableID=a(EntityID=2|MarkableID=b)", "2 (EntityID=3|MarkableID=c", "3 ))", separator=separator
    )
    assert (found.id, spans(found)) == ("d", {"1": [(0, 3)], "2": [(0, 1)], "3": [(1, 3)]})
    assert found.words == ["w1", "w2", "w3"]
    assert found.entities[2].lines == (4,)


def test_a_markable_is_a_zero_or_words_and_not_both() -> None:
    with pytest.raises(FormatError, match=r"^<text>:4: found m of entity 1 again \(first on line 3\)"):
        document("1 (EntityID=1|MarkableID=m)", "1.1 (EntityID=1|MarkableID=m)")


def test_mentions_that_are_closed_by_name_may_overlap() -> None:
    found = document(
        "1 (EntityID=1|MarkableID=a", "2 (EntityID=2|MarkableID=b", "3 a)(EntityID=1|MarkableID=c)", "4 b)"
    )
    assert spans(found) == {"1": [(0, 3), (2, 3)], "2": [(1, 4)]}


def test_a_markable_that_is_opened_again_is_one_mention_in_pieces() -> None:
    found = document("1 (EntityID=1|MarkableID=a)", "2 _", "3 (EntityID=1|MarkableID=a", "4 )")
    assert found.entities[0].mentions == (
        CorefMention(0, 4, words=((0, 0), (2, 0), (3, 0)), core=((0, 0), (2, 0), (3, 0))),
    )  # fmt: skip


def test_zeros_are_no_words_and_stand_behind_the_last_one() -> None:
    found = document("0.1 (EntityID=1|MarkableID=z)", "1 (EntityID=2|MarkableID=a", "1.1 (EntityID=1|MarkableID=y)",
                     "1.2 (EntityID=1|MarkableID=x)", "2 )")  # fmt: skip
    first, second, third = found.entities[0].mentions
    assert (first[:2], second.words, third.words) == ((0, 0), ((0, 1),), ((0, 2),))
    assert first.words[0] < (0, 0)
    assert found.entities[1].mentions[0][:4] == (0, 2, None, ())
    assert found.words == ["w1", "w2"]


def test_minimal_spans_count_words_of_the_document_from_1() -> None:
    found = document("1 (EntityID=1|MarkableID=a|Min=2,3", "2 _", "3 )(EntityID=2|MarkableID=b|Min=3)")
    assert [one.mentions[0].core for one in found.entities] == [((1, 0), (2, 0)), ((2, 0),)]


def test_what_refers_to_nothing_and_ranges_of_words_are_left_out() -> None:
    found = document("1-2 _", "1 (EntityID=1-Pseudo|MarkableID=a)", "2 (EntityID=2|MarkableID=b)")
    assert (spans(found), found.words) == ({"2": [(1, 2)]}, ["w1", "w2"])


def test_the_columns_are_those_that_the_file_names() -> None:
    lines = "# global.columns = ID FORM IDENTITY\n# newdoc id = a\n1 x (EntityID=1|MarkableID=m)\n# newdoc\n1 y _\n"
    first, second = conllua.read(StringIO(lines))
    assert (first.id, spans(first), second.id, second.words) == ("a", {"1": [(0, 1)]}, "2", ["y"])


@pytest.mark.parametrize(
    ("rows", "line", "problem"),
    [
        (("1 (EntityID=1|MarkableID=a", "2 _"), 3, "the mention a is opened here and never closed (document 'd')"),
        (("1 )",), 3, "found ), but no such mention can be closed here"),
        (("1 (EntityID=1|MarkableID=a", "2 b)"), 4, "found b), but no such mention can be closed here"),
        (("1 (EntityID=1)",), 3, "found (EntityID=1, expected (EntityID=…|MarkableID=…"),
        (("1 x",), 3, "found 'x', expected ) or markable)"),
        (("1.1 (EntityID=1|MarkableID=a", "2 )"), 3, "on a zero, expected a mention that is closed there"),
        (("1 (EntityID=1|MarkableID=a", "1.1 )"), 4, "found ), but no such mention"),
        (("1 (EntityID=1|MarkableID=a)", "2 (EntityID=2|MarkableID=a)"), 4, "found a of entity 2 again (first on"),
        (("1 (EntityID=1|MarkableID=a|Min=x)",), 3, "found Min=x, expected words such as 3 or 3,5"),
        (("1 (EntityID=1|MarkableID=a|Min=2)",), 3, "found Min=2, expected words such as 3 or 3,5"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_named(rows: tuple[str, ...], line: int, problem: str) -> None:
    with pytest.raises(FormatError) as error:
        document(*rows)
    assert problem in str(error.value)
    assert error.value.line == line


def test_lines_with_too_few_columns_and_columns_without_mentions_are_named() -> None:
    with pytest.raises(FormatError, match="found 3 columns, expected 12"):
        list(conllua.read(StringIO(f"{COLUMNS}\n1 a _\n")))
    with pytest.raises(FormatError, match="expected FORM and IDENTITY"):
        list(conllua.read(StringIO("# global.columns = ID FORM\n")))


def test_a_file_is_recognised() -> None:
    assert recognize("coref", text("1 _"), "a.txt") == "conllua"
    assert recognize("coref", "1 a _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m)\n", "a.txt") == "conllua"


KEY = (
    "1 (EntityID=1|MarkableID=a|Min=2", "2 )", "3 (EntityID=2|MarkableID=b|Min=3)", "4 _",
    "5 (EntityID=2|MarkableID=b|Min=3)", "5.1 (EntityID=1|MarkableID=z)", "6 (EntityID=1|MarkableID=c|Min=6,7", "7 _",
    "8 )", "9 (EntityID=2|MarkableID=d)",
)  # fmt: skip
SYSTEM = (
    "1 _", "2 (EntityID=1|MarkableID=a)", "3 (EntityID=2|MarkableID=b)", "4 _", "5 _", "5.1 (EntityID=2|MarkableID=z)",
    "6 (EntityID=1|MarkableID=c", "7 )", "8 _", "9 (EntityID=1|MarkableID=d)",
)  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"mentions": "exact", "zeros": "linear"},
         {"muc": (0.0, 0.0, 0.0), "b3": (1 / 6, 1 / 6, 1 / 6), "ceaf_e": (0.4, 0.4, 0.4), "lea": (0.0, 0.0, 0.0)}),
        ({"mentions": "exact", "zeros": "remove"},
         {"muc": (0.0, 0.0, 0.0), "b3": (0.125, 1 / 12, 0.1), "ceaf_e": (0.2, 0.2, 0.2), "lea": (0.0, 0.0, 0.0)}),
        ({"mentions": "partial", "zeros": "linear"},
         {"muc": (1 / 3, 1 / 3, 1 / 3), "b3": (8 / 15, 8 / 15, 8 / 15), "ceaf_e": (7 / 12, 7 / 12, 7 / 12),
          "lea": (0.2, 0.2, 0.2)}),
        ({"mentions": "craft", "zeros": "remove"},
         {"muc": (0.5, 0.5, 0.5), "b3": (0.75, 2 / 3, 12 / 17), "ceaf_e": (11 / 15, 11 / 15, 11 / 15),
          "lea": (0.5, 0.25, 1 / 3)}),
    ],
)  # fmt: skip
def test_the_scores_of_corefud_scorer(options: dict[str, Any], expected: dict[str, tuple[float, float, float]]) -> None:
    # corefud-scorer 4fd7b0e: UAReader(keep_singletons=True, match=…, keep_zeros=…).get_coref_infos("key", "system"),
    # then evaluate_documents(reader.doc_coref_infos, muc) and so on: recall, precision, F1, here as fractions.
    # With match="partial-craft" it cannot read zeros, so that they are not in the files.
    sides = [[row for row in rows if row[1] != "." or options["mentions"] != "craft"] for rows in (SYSTEM, KEY)]
    report = Tally(suite("corefud", singletons="keep", **options)).add(*(document(*rows) for rows in sides)).report()
    for name, scores in expected.items():
        found = report[name]
        assert (found.recall, found.precision, found.f1) == pytest.approx(scores, abs=1e-12)


def test_annotations_that_are_not_scored_are_counted_also_without_the_names_of_columns() -> None:
    rows = (
        "1 Ann _ _ _ _ _ _ _ _ (EntityID=1|MarkableID=m1|ElementOf=3) (MarkableID=m1|MentionAnchor=m0) _",
        "2 they _ _ _ _ _ _ _ _ (EntityID=3|MarkableID=m3) _ (EntityID=9|MarkableID=m3)",
    )
    [found] = conllua.read(StringIO("\n".join(rows)))
    assert isinstance(found, PartlyRead)
    assert [one.kind.split(",")[0] for one in found.faults] == [
        "mention that is part of a split antecedent (ElementOf)", "bridging reference", "discourse deixis",
    ]  # fmt: skip
