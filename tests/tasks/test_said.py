"""How elements and documents are written, where they are marked, and what their positions count."""

from typing import Any

import pytest

from matchwise.tasks import (
    amr,
    boxes,
    constituency,
    coref,
    dependencies,
    drs,
    events,
    ner,
    relations,
    sdp,
    srl,
    tables,
    templates,
    triples,
)
from matchwise.tasks.coref.analysis import PairedEntities
from matchwise.tasks.ner.links import Linked
from matchwise.tasks.ner.mentions import PlacedSentences, Positions, place_span
from matchwise.tasks.ner.steps import ChosenMention
from matchwise.tasks.roles import RoleEntity, SlotFiller, Template
from matchwise.tasks.templates import Category, FilledEvent
from matchwise.tasks.templates.pairing import Placed

WORDS = ["w0", "w1", "w2", "w3", "w4", "w5"]
TREE = "(S (NP (DT a) (NN b)) (. .))"
VERB = sdp.Graph((sdp.Node(0, "w", (("pos", "VB"),)),), predicates=(0,))
ATTACK = {"type": "Attack", "trigger": [0, 1]}
PLACED = PlacedSentences(
    (ner.Tagged(("B-PER", "O")), ner.Tagged(("O", "B-LOC", "I-LOC"))),
    ((0, 3), (4, 5), (6, 9), (10, 12), (13, 15)),
    "d",
    "Ada x the Ny Yk",
)
FACT = ("Paris", "France", "capital")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (RoleEntity(("a", (1, 2))), "'a' / (1, 2)"),
        (RoleEntity(()), "(no mention)"),
        (SlotFiller("victim", RoleEntity(("a",))), "victim 'a'"),
        (Template("bombing", (SlotFiller("n", 3), SlotFiller("done", True))), "bombing(n 3, done True)"),
        (FilledEvent("attack", ("a", (1, 2))), "attack 'a' / (1, 2)"),
        (Category(("A", "B"), ("x y", (3, 4))), "A / B: 'x y' / '3 4'"),
        (Category(("A",)), "A"),
        (Placed(1, "victim", 3, "bombing"), "victim 3"),
        (triples.Triple("Ada", "born", "Bath"), "Ada –born→ Bath"),
        (relations.Unseen(), "Unseen()"),
        (relations.Unseen(frozenset({FACT})), f"Unseen(1 facts, {relations.Unseen(frozenset({FACT})).digest})"),
        (constituency.evalb()(TREE, TREE)[0], "<2 words, 2 brackets>"),
        (
            dependencies.aligned_words()([(0, "root"), (1, "obj")], [(0, "root"), (1, "obj")])[1],
            "<reference of 2 words>",
        ),
        (constituency.COLLINS, "COLLINS"),
    ],
)
def test_an_element_is_written(made: Any, said: str) -> None:
    assert str(made) == said


def test_parameters_are_written_in_full_and_sorted() -> None:
    assert repr(constituency.COLLINS) == (
        "Parameters('COLLINS', delete=[\"''\", ',', '-NONE-', '.', ':', 'TOP', '``'], uncounted=['-NONE-'], quotes=[], "
        "same=(('ADVP', 'PRT'),), same_words=(), labelled=True, cutoff=None)"
    )


@pytest.mark.parametrize(
    ("made", "said", "marks"),
    [
        (Linked((0, 2), "LOC", "Q1"), "w0 w1 LOC → Q1", ((0, 2, "LOC"),)),
        (Linked((0, 2)), "w0 w1 → NIL", ((0, 2, ""),)),
        (ChosenMention((2, 3), "LOC", 0, 0, 0, 0), "w2 LOC", ((2, 3, "LOC"),)),
        (ner.Mention(((0, 1), (3, 4)), "PER"), "w0 … w3 PER", ((0, 1, "PER"), (3, 4, "PER"))),
        (constituency.Bracket(1, 3, "NP"), "NP w1 w2", ((1, 3, "NP"),)),
        (RoleEntity((("∅",), (1, 2), "it"), "PER"), "∅ / w1 / it", ((1, 2, "PER"),)),
        (RoleEntity(()), "an entity without mentions", ()),
        (tables.CellLine(tables.table([["a", "b"], ["c", "d"]]).cells[2:]), "c | d (row 2)", ()),
        (tables.CellLine(tables.table([["a", "b"], ["c", "d"]]).cells[1::2]), "b | d (column 2)", ()),
        (boxes.Region((1.25, 2, 3, 4.123456)), "1.25, 2, 3 × 4.123", ()),
    ],
)
def test_an_element_is_said_in_words_and_marked(made: Any, said: str, marks: Any) -> None:
    assert (made.in_words(WORDS), made.marks()) == (said, marks)


def test_mentions_and_entities_are_marked_where_they_stand() -> None:
    pred, ref = (coref.from_clusters(some, words=WORDS) for some in ([[(0, 2), (3, 4)], [(5, 6)]], [[(0, 2)]]))
    mine = PairedEntities(coref.suite(), pred, ref).mine
    assert [one.marks() for one in mine.mentions()] == [((0, 2, ""),), ((3, 4, ""),), ((5, 6, ""),)]
    assert [one.marks() for one in mine.entities] == [((0, 2, ""), (3, 4, "")), ((5, 6, ""),)]


def test_what_has_no_label_of_its_own_has_a_row_in_tables() -> None:
    graph = sdp.Sets(predications="dm", anchors=False)(VERB, [])[0]
    nugget = events.evmeval()([ATTACK], [ATTACK])[0].nuggets[0]
    found = graph.label, graph.predications[0].label, srl.conll05()([], [])[0].role, nugget.role
    assert found == ("(graph)", "(predication)", "(sentence)", "(trigger)")


def test_positions_count_words_or_characters() -> None:
    document = coref.from_clusters([[(0, 2)]], words=WORDS)
    assert (document.unit, document.counted, document.written) == (
        "tokens",
        Positions("tokens", words=tuple(WORDS)),
        "\n".join(WORDS),
    )
    tagged = ner.Tagged(("O",), tokens=("a",))
    assert (tagged.unit, tagged.counted) == ("tokens", Positions("tokens", words=("a",)))
    assert (PLACED.unit, PLACED.written) == ("characters", PLACED.text)
    assert PLACED.counted == Positions("characters", PLACED.text)
    assert [ner.Extraction(text=text).unit for text in ("", "ab", ["a"], [["a"]])] == [
        None,
        "characters",
        "tokens",
        "tokens",
    ]
    doubtful = ner.Extraction(text="ab", positions=Positions("tokens", words=("ab",), doubt="perhaps"))
    assert (doubtful.unit, doubtful.doubt, doubtful.counted) == ("tokens", "perhaps", doubtful.positions)
    assert ner.Extraction(text=[["a"], ["b"]]).counted == Positions("tokens", words=("a", "b"))
    assert ner.Extraction().counted is None


def test_mentions_of_sentences_are_placed_in_their_text() -> None:
    assert ner.mentions(PLACED) == [ner.Mention((0, 3), "PER"), ner.Mention((10, 15), "LOC")]
    assert [(one.place, one.tag) for one in ner.tokens(PLACED)][2:] == [(2, "O"), (3, "B-LOC"), (4, "I-LOC")]
    places = [(0, 3), (4, 9)]
    assert [place_span((at, at), places) for at in (0, 1, 2)] == [(0, 0), (4, 4), (9, 9)]
    assert place_span((0, 1), places, 1) == (4, 9)
    for span, start, known in (((0, 3), 0, 2), ((0, 2), 1, 1), ((-1, 1), 0, 2)):
        with pytest.raises(
            ValueError, match=f"found the words from {span[0]} to {span[1]}, but there are only {known}"
        ):
            place_span(span, places, start)


@pytest.mark.parametrize(
    ("metric", "kind", "pred", "ref"),
    [
        ("upos", "wrong tag", "it A", "it B"),
        ("xpos", "wrong tag", "it a", "it b"),
        ("ufeats", "wrong features", "it Case=A", "it Case=B"),
        ("all_tags", "wrong tags", "it A a Case=A", "it B b Case=B"),
        ("lemmas", "wrong lemma", "it AA", "it BB"),
        ("mlas", "wrong relation", "it is iobj of see", "it is obj of see"),
    ],
)
def test_a_wrong_tag_is_said_with_its_word(metric: str, kind: str, pred: str, ref: str) -> None:
    def sentence(tag: str, relation: str) -> dependencies.ParsedSentence:
        tags = {"upos": ("V", tag), "xpos": ("v", tag.lower()), "feats": ("_", f"Case={tag}")}
        return dependencies.ParsedSentence((0, 1), ("root", relation), ("see", "it"), ("see", tag * 2), **tags)

    [[level]] = dependencies.errors(dependencies.suite(), metric)([sentence("A", "iobj")], [sentence("B", "obj")])
    assert [(case.kind, case.pred, case.ref) for case in level.cases] == [(kind, pred, ref)]


def test_a_missing_structure_has_the_id_of_its_reference() -> None:
    assert drs.empty(drs.drs({"id": "x7", "clauses": [["b1", "REF", "x1"]]})) == drs.DRS((), "x7")
    assert amr.empty(amr.AMR((), None, "x8")) == amr.AMR((), None, "x8")
    assert (drs.empty(None), amr.empty(None)) == (drs.DRS(()), amr.AMR(()))


def test_the_comments_of_a_graph_have_keys() -> None:
    graph = amr.AMR((), comments=("# ::id lpp.1 ::date 2020", "# plain", "# ::snt The boy wants."))
    assert graph.metadata == {"id": "lpp.1", "date": "2020", "snt": "The boy wants."}


def test_nuggets_are_left_out_where_the_reference_has_none() -> None:
    step = events.suite("evmeval").steps[0]
    assert step.left_out is not None
    [note, again] = step.left_out([ATTACK, ATTACK], [])
    assert note == again
    assert note.kind == "nugget in a document in which the reference has none, left out"
    assert step.left_out([ATTACK], [ATTACK]) == []


def test_official_reports_are_dictionaries_too() -> None:
    cat, dog = {"bbox": [0, 0, 10, 10], "label": "cat"}, {"bbox": [0, 0, 50, 50], "label": "dog"}
    found = {"bbox": [0, 0, 8, 10], "label": "cat", "score": 0.9}
    made = boxes.report(boxes.suite("coco"), [([found], [cat, dog])]).to_dict()
    assert {name: round(value, 6) for name, value in made["scores"].items()} == {
        "ap": 0.35, "ap50": 0.5, "ap75": 0.5, "ap_small": 0.7, "ap_medium": 0, "ap_large": -1,
        "ar1": 0.35, "ar10": 0.35, "ar100": 0.35, "ar_small": 0.7, "ar_medium": 0, "ar_large": -1,
    }  # fmt: skip
    assert {name: round(value, 6) for name, value in made["labels"].items()} == {"cat": 0.7, "dog": 0}
    sure = [
        {"s": "cat", "p": "sat on", "o": "mat", "confidence": 0.9},
        {"s": "x", "p": "y", "o": "z", "confidence": 0.4},
    ]
    carb = triples.report(triples.suite("carb"), [(sure, [("cat", "sat on", "mat"), ("cat", "slept", "")])])
    assert carb.scores == {"auc": 0.5}
    assert carb.to_dict() == {"auc": 0.5, "precision": 1, "recall": 0.5, "f1": 2 / 3, "threshold": 0.9}
    key, response = ([("ATTACK", {"hum_tgt_name": names})] for names in (["A", "B"], ["A"]))
    muc = templates.TASK.report(templates.suite("muc4"), [(response, key)])  # type: ignore[misc]
    row = muc.to_dict()["rows"]["hum-tgt-name"]
    assert (muc.scores, muc.to_dict()["f_measures"]) == ({}, ("80.24", "91.03", "71.73"))
    assert (row["possible"], row["actual"], row["missing"], row["recall"], row["precision"]) == (2, 1, 1, 50, 100)


def test_a_table_of_pubtabnet_has_the_tokens_and_boxes_of_its_cells() -> None:
    tokens = ["<tr>", "<td>", "</td>", "<td", ' colspan="2"', ">", "</td>", "</tr>"]
    cells = [{"tokens": ["<b>", "a", "</b>"], "bbox": [0, 1, 2, 3]}, {"tokens": ["c", "d"]}]
    made = tables.table({"structure": {"tokens": tokens}, "cells": cells}).cells
    assert [(one.text, one.column, one.colspan, one.box) for one in made] == [
        ("a", 0, 1, (0, 1, 2, 3)),
        ("cd", 1, 2, None),
    ]


def test_clusters_are_true_also_where_they_are_empty() -> None:
    made = coref.Clusters(inclusive=True)
    assert (bool(made), len(made)) == (True, 0)
    made.update([[(0, 0), (2, 3)]], [[(0, 0), (2, 3), (5, 5)]], "d7")
    assert ((made + coref.Clusters()).inclusive, len(made)) == (True, 1)
    made.reset()
    assert len(made) == 0
