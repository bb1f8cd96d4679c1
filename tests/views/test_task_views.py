"""The view of a document and the errors by kind, task by task, on our example files: their exact text."""

from pathlib import Path

import pytest

import matchwise as mw
from matchwise.cli import main
from matchwise.formats import find_format
from matchwise.tasks import ner
from matchwise.tasks.views import metric_of, view_of
from matchwise.views.errors import Case, Errors, Level
from matchwise.views.html import to_html
from matchwise.views.model import View
from matchwise.views.text import to_text

DATA = Path(__file__).parents[2] / "examples" / "data"

NER = """\
1   strict 0   1 wrong, 1 spurious
0 matched, 2 predicted, 1 reference
            predicted       reference
≠ boundary  University ORG  University ‹of Paris ›ORG
+ spurious  Paris LOC
predicted  She joined the ≠[University ORG] of +[Paris LOC] .
reference  She joined the ≠[University of Paris ORG] .
"""

RELATIONS = """\
d1   strict 0   1 wrong
0 matched, 1 predicted, 1 reference
                       predicted                    reference
≠ wrong argument type  0–2 PER –born in→ 5–6 ‹ORG›  0–2 PER –born in→ 5–6 ‹LOC›
"""

DEPENDENCIES = """\
w1   las 0.6000   2 wrong, 3 right
3 matched, 5 predicted, 5 reference
                  predicted              reference
≠ wrong head      the is det of ‹saw›    the is det of ‹dog›
≠ wrong relation  dog is ‹nsu›bj of saw  dog is ‹o›bj of saw
= 3 right
reference
  saw root
    Anna nsubj
≠   dog obj
≠     the det
    . punct
"""

CONSTITUENCY = """\
0   labelled 0.9231   1 missed, 6 right
6 matched, 6 predicted, 7 reference
                  predicted  reference
− missed bracket             NP the dog with a bone
= 6 right
reference
  S Anna saw the dog with a bone
    NP Anna
    VP saw the dog with a bone
−     NP the dog with a bone
        NP the dog
        PP with a bone
          NP a bone
"""

SDP = """\
1001   labeled 0.6667   1 wrong, 2 right
2 matched, 3 predicted, 3 reference
               predicted           reference
≠ wrong label  ring –arg‹2›→ bell  ring –arg‹1›→ bell
= 2 right
"""

EVENTS = """\
s1   arg_c 0.5000   1 wrong, 2 right
1 matched, 2 predicted, 2 reference
triggers
= 1 right
arguments
              predicted                       reference
≠ wrong role  5–6 as ‹Place› of Attack (3–4)  5–6 as ‹Target› of Attack (3–4)
= 1 right
"""

ROLE_MENTIONS = """\
B   subset 0   1 wrong, 2 missed
0 matched, 1 predicted, 3 reference
                 predicted            reference
≠ wrong mention  Victim: ‹the ›mayor  Victim: mayor
− missed                              Weapon: rifle
− missed                              Victim: a clerk
"""

COREF = """\
bakery; part 000   ceaf_e 0.6375   3 wrong, 2 partial, 3 spurious, 8 right
entities
                   predicted                      reference
≈ missed mentions
    predicted  {Maria Silva, She, her}
    reference  {‹Her, Maria, ›Maria Silva, She, her}
≈ missed mentions
    predicted  {a small bakery, it}
    reference  {‹the bakery, ›a small bakery, it}
+ spurious entity  {Today the bakery, the bread}
+ split
    predicted  {Her, Maria}
    reference  part of {Maria Silva, She, her, Her, Maria}
= 1 right
mentions
            predicted           reference
≠ moved     Her with Maria      Her with Maria‹ Silva›
≠ moved     Maria with ‹Her›    Maria with ‹Maria Silva›
≠ boundary  ‹Today ›the bakery  the bakery
+ spurious  the bread
= 7 right
predicted  [1 Maria Silva] runs [2 a small bakery] in Porto . [1 She] opened
           [2 it] with [3 [1 her] brother] in 2009 . +[4 Today the bakery]
           employs twelve people . [3 +[5 Her] brother] bakes and +[5 Maria]
           sells +[4 the bread] .
reference  [1 Maria Silva] runs [2 a small bakery] in Porto . [1 She] opened
           [2 it] with [3 [1 her] brother] in 2009 . Today −[2 the bakery]
           employs twelve people . [3 −[1 Her] brother] bakes and −[1 Maria]
           sells the bread .
"""

ROLES = """\
TST3-MUC4-0901   ceaf_ree 0.2000   3 wrong, 1 missed, 1 spurious, 1 right
1 matched, 5 predicted, 5 reference
                 predicted            reference
≠ wrong mention
    predicted  PerpInd: gunmen
    reference  PerpInd: two armed men / the gunmen
≠ wrong mention
    predicted  Target: Harbour Bank / delivery van
    reference  Target: a branch of the harbour bank / harbour bank
≠ wrong mention  Victim: night guard  Victim: ‹the ›night guard
− missed                              Target: a delivery van
+ spurious       Weapon: rifles
= 1 right
"""

NARY = """\
p1   relations 0.5000   1 wrong, 1 right
1 matched, 2 predicted, 2 reference
                  predicted     reference
≠ wrong argument
  ≠ Method        30–32 / 9–11  30–32
= 1 right
"""

AMR = """\
amr.1   smatch 0.8571   1 wrong, 1 missed, 9 right
9 matched, 10 predicted, 11 reference
variables z0 ~ w, z1 ~ g, z2 ~ s, z3 ~ b
                    predicted  reference
≠ wrong concept     z3 / bike  b / bicycle
− missed attribute             want-01 :polarity -
= 9 right
predicted
  (z0 / want-01)
    :arg0 (z1 / girl)
      :arg0-of (z2 / sell-01)
+       :arg1 (z3 / bike)
          :poss z1
    :arg1 z2
    :top top
reference
  (w / want-01)
−   :polarity -
    :arg0 (g / girl)
      :arg0-of (s / sell-01)
−       :arg1 (b / bicycle)
          :poss g
    :arg1 s
    :top top
"""

FILES = {
    "amr": ("amr_system.amr", "amr_gold.amr", AMR),
    "ner": ("ner_system.conll", "ner_gold.conll", NER),
    "relations": ("relations_system.jsonl", "relations_gold.jsonl", RELATIONS),
    "dependencies": ("dependencies_system.conllu", "dependencies_gold.conllu", DEPENDENCIES),
    "constituency": ("constituency_system.mrg", "constituency_gold.mrg", CONSTITUENCY),
    "sdp": ("sdp_system.sdp", "sdp_gold.sdp", SDP),
    "events": ("events_system.jsonl", "events_gold.jsonl", EVENTS),
    "role_mentions": ("role_mentions_system.jsonl", "role_mentions_gold.jsonl", ROLE_MENTIONS),
    "coref": ("coref_system.conll", "coref_gold.conll", COREF),
    "roles": ("roles_system.json", "roles_gold.jsonl", ROLES),
    "nary": ("nary_system.jsonl", "nary_gold.jsonl", NARY),
}


@pytest.mark.parametrize("task", FILES)
def test_the_worst_document_is_shown_in_words(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    pred, ref, text = FILES[task]
    main(["align", task, str(DATA / pred), "-r", str(DATA / ref), "--worst", "1"])
    assert capsys.readouterr().out == text


FORMATS = {"ner": "conll2003", "coref": "conll2012", "dependencies": "conllu", "amr": "penman"}


@pytest.mark.parametrize("task", FORMATS)
def test_align_in_python_prints_what_the_command_prints(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = [next(DATA.glob(f"{task}_{side}.*")) for side in ("system", "gold")]
    main(["align", task, str(files[0]), "-r", str(files[1])])
    printed = capsys.readouterr().out.rstrip("\n").split("\n\n")
    suite = mw.task(task).suite()
    read = find_format(FORMATS[task]).read
    pairs = zip(*(read(str(file)) for file in files), strict=True)
    found = [str(mw.align(suite[metric_of(task, suite)], pred, ref)) for pred, ref in pairs]
    assert found == [text.partition("   ")[2] for text in printed]


def test_a_metric_with_a_limit_or_of_nobody_is_shown_part_by_part() -> None:
    strict, sides = ner.suite()["strict"], (["B-PER"], ["B-LOC"])
    assert str(mw.align(strict, *sides)).startswith("strict 0   1 wrong\n")
    assert mw.align(strict, *sides) == mw.align(strict, *sides)
    assert "1 missed, 1 spurious" in str(mw.align(strict, *sides, time_limit=9))
    own = mw.f1(ner.mentions, mw.eq("type"))
    assert "1 missed, 1 spurious" in str(mw.align(own, *sides))


ERRORS = {
    "ner": ["boundary 1 33.3% 0.6667", "type 1 33.3% 0.6667", "missed 1 16.7% 0.6154", "spurious 1 16.7% 0.5455"],
    "dependencies": [
        "missed word 2 28.6% 0.7619",
        "wrong head 1 28.6% 0.7368",
        "wrong relation 1 28.6% 0.7368",
        "spurious word 1 14.3% 0.6667",
    ],
    "constituency": ["missed bracket 1 100.0% 1.0000"],
    "sdp": ["wrong label 1 66.7% 0.9231", "missed edge 1 33.3% 0.8571"],
    "role_mentions": ["missed 3 50.0% 0.7692", "wrong mention 1 33.3% 0.6000", "spurious 1 16.7% 0.4444"],
}


@pytest.mark.parametrize("task", ERRORS)
def test_errors_are_counted_by_kind_with_their_share_of_the_loss(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    pred, ref, _ = FILES[task]
    main(["errors", task, str(DATA / pred), "-r", str(DATA / ref)])
    rows = capsys.readouterr().out.split("\n\n")[0].splitlines()[2:]
    words = [row.replace("%", "% ").split() for row in rows]
    found = []
    for row in words:
        place = next(place for place, word in enumerate(row) if word.isdecimal())
        found.append(" ".join(row[: place + 3]))
    assert found == ERRORS[task]


def test_the_shares_of_the_kinds_add_up_to_one() -> None:
    levels = [Level("mentions", 1, 4, 3, (Case("type", 1, 2), Case("missed", ref=1), Case("x", 1), Case("x", 2)))]
    total = Errors(()).add(levels, "d").totals["mentions"]
    assert sum(share for _, share, _ in total.rows()) == 1


def test_errors_add_up() -> None:
    pred, ref = [["B-PER", "O"], ["O", "B-LOC"]], [["B-LOC", "O"], ["O", "O"]]
    whole = mw.explain("ner", pred, ref)
    parts = [mw.explain("ner", pred[place : place + 1], ref[place : place + 1]) for place in (0, 1)]
    assert (parts[0] + parts[1]).to_dict()["levels"] == whole.to_dict()["levels"]
    assert whole.counts() == {"mentions": {"type": 1, "spurious": 1}}


def test_errors_as_markdown() -> None:
    assert mw.explain("ner", [["B-PER"]], [["B-LOC"]]).to_markdown().splitlines() == [
        "**mentions** F1 0.0000",
        "",
        "| kind | count | share of loss | F1 without | examples |",
        "|---|---:|---:|---:|---|",
        "| type | 1 | 100.0% | 1.0000 | 0: 0–1 PER, should be 0–1 LOC |",
    ]


def test_a_record_is_analysed_value_by_value() -> None:
    schema = {"properties": {"number": {"type": "string"}, "total": {"type": "number"}}}
    pred, ref = {"number": "R-1", "tax": 2}, {"number": "R-7", "total": 9.5}
    found = mw.explain("documents", [pred], [ref], schema=schema)
    assert [(error.kind, error.where, error.pred, error.ref) for error in found.found] == [
        ("wrong value", "number", "R-1", "R-7"),
        ("missed", "total", None, "9.5"),
        ("undeclared", "tax", "2", None),
    ]


def test_clauses_of_a_structure_are_shown_with_what_is_wrong() -> None:
    ref = [["b1", "male", '"n.02"', "x1"], ["b1", "sing", '"v.01"', "e1"], ["b1", "Agent", "e1", "x1"]]
    pred = [["k0", "male", '"n.02"', "y"], ["k0", "sing", '"v.01"', "e"], ["k0", "Theme", "e", "y"]]
    suite = mw.task("drs").suite()
    view = view_of("drs", suite, next(iter(suite.metrics)), pred, ref)
    assert [(row.name, row.pred, row.ref) for row in view.rows()] == [("wrong role", "k0 Theme e y", "b1 Agent e1 x1")]
    assert "− b1 Agent e1 x1" in to_text(view).splitlines()


def test_words_come_from_the_file_where_it_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = '{"doc_key": "d", "sentences": [["Ada", "moved", "to", "Linz"]], "ner": [[]], "events": [[]], '
    (tmp_path / "gold.jsonl").write_text(head + '"relations": [[[0, 0, 3, 3, "LivesIn"]]]}')
    (tmp_path / "run.jsonl").write_text(head + '"relations": [[[0, 0, 3, 3, "Owns"]]]}')
    main(["align", "relations", str(tmp_path / "run.jsonl"), "-r", str(tmp_path / "gold.jsonl")])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "              predicted          reference",
        "≠ wrong type  Ada –‹Owns›→ Linz  Ada –‹LivesIn›→ Linz",
        "predicted  ≠[Ada] moved to ≠[Linz]",
        "reference  ≠[Ada] moved to ≠[Linz]",
    ]


HOSTILE = "<script>alert(1)</script>&\"'"


def test_nothing_of_a_document_is_markup() -> None:
    pred = {"tokens": [HOSTILE, "b"], "mentions": [(0, 1, HOSTILE)]}
    view = view_of("ner", ner.suite(), "strict", pred, {**pred, "mentions": [(0, 2, "PER")]}, title=HOSTILE)
    page = to_html(view) + mw.explain("ner", [pred], [{**pred, "mentions": []}]).to_html()
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 4


def test_a_text_of_characters_is_cut_at_its_spaces() -> None:
    ref = {"text": "Marie Curie left", "spans": [{"start": 0, "end": 11, "label": "PER"}]}
    pred = {"text": "Marie Curie left", "spans": [{"start": 6, "end": 11, "label": "PER"}]}
    assert to_text(view_of("ner", ner.suite(), "strict", pred, ref)).splitlines()[2:] == [
        "            predicted  reference",
        "≠ boundary  Curie PER  ‹Marie ›Curie PER",
        "predicted  Marie ≠[Curie PER] left",
        "reference  ≠[Marie Curie PER] left",
    ]


def test_a_long_text_is_shown_around_what_is_wrong() -> None:
    words = [f"w{place}" for place in range(100)]
    pred, ref = {"tokens": words, "mentions": []}, {"tokens": words, "mentions": [(50, 51, "PER"), (2, 3, "LOC")]}
    found = to_text(view_of("ner", ner.suite(), "strict", pred, ref))
    assert "−[w50 PER] w51" in found
    assert "w20" not in found
    assert "w20" in to_text(view_of("ner", ner.suite(), "strict", pred, ref), whole=True)


def test_an_empty_view_says_so() -> None:
    assert View("d1").why == "nothing on either side"
