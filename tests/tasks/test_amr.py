"""Smatch of graphs, worked by hand: presets, options, aspects, documents."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import matchwise as mw
from matchwise import Counts, edit, eq, evaluate
from matchwise.corpus.tally import Tally
from matchwise.errors import DataError, ExpressionError
from matchwise.formats.penman import parse, read
from matchwise.tasks import amr
from matchwise.tasks.amr import Prop, Standard

DATA = Path(__file__).parents[2] / "examples" / "data"
BOY = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"


def counts(pred: str, ref: str, preset: str = "smatch", metric: str = "smatch", **options: Any) -> tuple[float, ...]:
    suite = amr.suite(preset, **options)  # type: ignore[arg-type]
    found = Tally(suite).add(parse(pred), parse(ref)).report()[metric].counts
    return found.matched, found.predicted, found.reference


def f1(pred: str, ref: str, preset: str = "smatch", **options: Any) -> float:
    return mw.evaluate(amr.suite(preset, **options), [parse(pred)], [parse(ref)])["smatch"].f1  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", amr.TASK.presets)
def test_a_graph_under_other_names_is_the_same_graph(preset: str) -> None:
    assert f1(BOY, "(x / want-01 :ARG1 (y / go-02 :ARG0 z) :ARG0 (z / boy))", preset) == 1.0


def test_smatch_counts_instances_roles_and_the_top() -> None:
    assert counts("(w / want-01 :ARG0 (b / boy))", BOY) == (4, 4, 7)


def test_no_top_counts_one_less_on_each_side() -> None:
    assert counts("(w / want-01 :ARG0 (b / boy))", BOY, "no_top") == (3, 3, 6)


@pytest.mark.parametrize(("preset", "expected"), [("smatch", 0.5), ("smatchpp", 0.0), ("no_top", 0.0), ("paper", 0.0)])
def test_two_graphs_of_one_node_with_different_concepts(preset: str, expected: float) -> None:
    assert f1("(c / car)", "(d / dog)", preset) == expected


@pytest.mark.parametrize("preset", amr.TASK.presets)
def test_an_inverse_role_is_the_role_turned_round(preset: str) -> None:
    assert f1("(b / boy :ARG0-of (w / walk-01))", "(b / boy :ARG0-of (w / walk-01))", preset) == 1.0
    assert counts("(b / boy :ARG0-of (w / walk-01))", "(w / walk-01 :ARG0 (b / boy))", "no_top") == (3, 3, 3)


def test_domain_is_the_inverse_of_mod() -> None:
    assert counts("(r / red :domain (c / car))", "(c / car :mod (r / red))", "no_top") == (3, 3, 3)
    assert counts("(r / red :domain (c / car))", "(c / car :mod (r / red))", "paper") == (2, 3, 3)


def test_consist_of_is_no_inverse_except_for_smatchpp() -> None:
    pred, ref = "(r / ring :consist-of (g / gold))", "(g / gold :consist (r / ring))"
    assert counts(pred, ref, "no_top")[0] == 2
    assert counts(pred, ref, "smatchpp", top="none")[0] == 3


def test_mod_of_a_constant_is_kept() -> None:
    assert counts("(c / car :mod 7)", "(c / car :mod 7)", "no_top") == (2, 2, 2)


def test_strings_with_blanks_are_compared_whole() -> None:
    assert counts('(n / name :op1 "Lady Tolvan")', '(n / name :op1 "Lady Anson")', "no_top") == (1, 2, 2)


def test_smatch_ignores_case_and_quotes_and_the_paper_does_not() -> None:
    pred, ref = "(n / Name :op1 Ann)", '(n / name :op1 "ann")'
    assert counts(pred, ref, "no_top") == (2, 2, 2)
    assert counts(pred, ref, "paper") == (0, 2, 2)


def test_a_triple_that_is_said_twice_counts_once() -> None:
    assert counts("(w / want-01 :polarity - :polarity -)", "(w / want-01 :polarity -)", "no_top") == (2, 2, 2)


def test_of_bags_a_triple_that_is_said_twice_is_wrong_once() -> None:
    found = counts("(w / want-01 :polarity - :polarity -)", "(w / want-01 :polarity -)", "no_top", duplicates="bag")
    assert found == (2, 3, 2)


def test_smatchpp_reads_a_reified_role_as_the_role() -> None:
    pred = "(s / sit-01 :ARG1-of (l / be-located-at-91 :ARG2 (h / house)))"
    assert f1(pred, "(s / sit-01 :location (h / house))", "smatchpp") == 1.0


def test_reified_roles_are_nodes_on_both_sides() -> None:
    pred = "(s / sit-01 :ARG1-of (l / be-located-at-91 :ARG2 (h / house)))"
    assert counts(pred, "(s / sit-01 :location (h / house))", "no_top", reification="reify") == (5, 5, 5)


def test_a_reified_node_that_says_more_stays_a_node() -> None:
    props = parse("(l / be-located-at-91 :ARG1 (s / sun) :ARG2 (h / house) :polarity -)").props
    assert amr.dereify(props) == list(props)


def test_a_reified_node_that_something_points_to_stays_a_node() -> None:
    props = parse("(s / say-01 :ARG1 (l / be-located-at-91 :ARG1 (s2 / sun) :ARG2 (h / house)))").props
    assert amr.dereify(props) == list(props)


def test_a_dereified_constant_comes_second() -> None:
    props = parse("(l / have-mod-91 :ARG1 7 :ARG2 (h / house))").props
    assert [tuple(prop) for prop in amr.dereify(props)] == [("instance", "h", "house"), ("mod-of", "h", "7")]


def test_a_reified_node_between_constants_stays_a_node() -> None:
    props = parse("(l / have-mod-91 :ARG1 7 :ARG2 8)").props
    assert amr.dereify(props) == list(props)


def test_reifying_and_back_changes_nothing_but_the_order() -> None:
    props = parse("(s / sit-01 :location (h / house :quant 2) :time 5 :ARG0 h)").props
    assert sorted(amr.dereify(amr.reify(props))) == sorted(props)


def test_new_variables_are_new() -> None:
    made = amr.reify([Prop("age", mw.Var("_0"), "5"), Prop("quant", mw.Var("_0"), "5")])
    assert {prop.subj for prop in made} == {"_1", "_2"}


def test_graded_concepts_are_part_of_the_optimum() -> None:
    pred, ref = "(b / bike :ARG0 (g / girl))", "(b / bicycle :ARG0 (g / girl))"
    matched, predicted, reference = counts(pred, ref, "no_top", concepts=edit())
    assert (matched, predicted, reference) == (pytest.approx(2 + mw.score(edit(), "bike", "bicycle")), 3, 3)


def test_graded_concepts_leave_other_constants_alone() -> None:
    assert counts('(n / name :op1 "Ann")', '(n / name :op1 "Anna")', "no_top", concepts=edit())[0] == 1


def test_replace_grades_all_constants() -> None:
    suite = mw.replace(amr.suite("no_top"), {eq(): edit()})
    report = evaluate(suite, [parse('(n / name :op1 "Ann")')], [parse('(n / name :op1 "Anna")')])
    assert report["smatch"].counts.matched == pytest.approx(1 + mw.score(edit(), "ann", "anna"))


ASPECTS = {
    "smatch": (5, 9, 10),
    "unlabelled": (6, 9, 10),
    "no_senses": (6, 9, 10),
    "concepts": (2, 4, 4),
    "named_entities": (1, 1, 1),
    "negation": (0, 0, 1),
    "wikification": (0, 1, 1),
    "reentrancies": (2, 5, 5),
    "srl": (3, 6, 6),
}


@pytest.mark.parametrize("metric", ASPECTS)
def test_aspects_by_hand(metric: str) -> None:
    ref = '(w / want-01 :polarity - :ARG0 (c / city :name (n / name) :wiki "X") :ARG1 (g / go-02 :ARG0 c))'
    pred = '(w / want-02 :ARG0 (c / city :name (n / name) :wiki "Y") :ARG1 (g / run-01 :ARG2 c))'
    assert counts(pred, ref, "no_top", metric, aspects=True) == ASPECTS[metric]


def test_a_document_maps_variables_only_between_aligned_sentences() -> None:
    ref = "(d / document :snt1 (a / run-01 :ARG0 (b / boy)) :snt2 (c / swim-01 :ARG0 (e / girl)))"
    pred = "(d / document :snt1 (c / swim-01 :ARG0 (e / girl)) :snt2 (a / run-01 :ARG0 (b / boy)))"
    assert counts(pred, ref, "no_top") == (7, 9, 9)
    assert counts(pred, ref, "no_top", document=True) == (5, 9, 9)


def test_a_variable_of_two_sentences_may_go_with_a_variable_of_either() -> None:
    ref = "(d / document :snt1 (a / run-01 :ARG0 (b / boy)) :snt2 (c / swim-01 :ARG0 b))"
    pred = "(d / document :snt1 (a / run-01) :snt2 (c / swim-01 :ARG0 (b / boy)))"
    assert counts(pred, ref, "no_top", document=True) == (7, 7, 8)


@pytest.mark.parametrize(
    ("ref", "reference"),
    [
        ("(d / document :snt1 (r / run-02 :ARG0 (b / boy)) :snt2 (f / fall-01 :ARG1 b :time (n / now)))", 11),
        ("(d / document :snt1 (r / run-02 :ARG0 b) :snt2 (f / fall-01 :ARG1 (b / boy) :time (n / now)))", 11),
        ("(d / document :snt1 (r / run-02 :ARG0 (b / boy :ARG1-of (f / fall-01 :time (n / now)))) :snt2 f)", 11),
        ("(d / document :snt1 (r / run-02 :ARG0 (p / person :coref-of (c / coref-entity)))"
         " :snt2 (f / fall-01 :ARG1 (h / he :coref-of c)))", 13),
    ],
)  # fmt: skip
def test_a_variable_is_in_every_sentence_from_whose_top_it_is_reached(ref: str, reference: int) -> None:
    # docAMR e8937ba: docSmatch.smatch.get_amr_match(pred, ref)[0] is (8, 12, 11), and (8, 12, 13) for the last.
    pred = "(d / document :snt1 (r / run-02 :ARG0 (h / he)) :snt2 (f / fall-01 :ARG1 (b / boy :mod (o / old))))"
    assert counts(pred, ref, document=True) == (8, 12, reference)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (":snt1 (a / a :ARG0-of (b / b)) :snt2 b", {"a": (1, 2), "b": (1, 2)}),  # an inverse role both ways
        (":snt1 (a / a :mod (b / b)) :snt2 b", {"a": (1,), "b": (1, 2)}),
        (":snt1 (a / a :domain-of (b / b)) :snt2 b", {"a": (1,), "b": (1, 2)}),
        (":snt1 (a / a :consist-of (b / b)) :snt2 b", {"a": (1,), "b": (1, 2)}),
        (":snt1 (a / a :part (b / b)) :snt2 b", {"a": (1, 2), "b": (1, 2)}),
        (":snt1 (a / a :coref-of (c / coref-entity)) :snt2 (b / b :coref-of c)", {"a": (1,), "b": (2,), "c": (1, 2)}),
        (":snt1 (c / coref-entity :coref (a / a)) :snt2 (b / b)", {"c": (1,), "a": (1,), "b": (2,)}),
    ],
)
def test_the_sentences_of_variables_are_those_of_docsmatch(written: str, expected: dict[str, tuple[int, ...]]) -> None:
    # docAMR e8937ba: docSmatch.amr.AMR.parse_AMR_line(text).nodes_by_sentence
    assert amr.sentences(parse(f"(d / document {written})")) == {"d": (0,), **expected}


def test_coreference_is_what_links_sentences() -> None:
    ref = "(d / document :snt1 (a / run-01 :ARG0 (b / boy)) :snt2 (c / swim-01 :ARG0 b))"
    pred = "(d / document :snt1 (a / run-01 :ARG0 (b / boy)) :snt2 (c / swim-01 :ARG0 (h / he)))"
    assert counts(ref, ref, "no_top", "coreference", document=True) == (3, 3, 3)
    assert counts(pred, ref, "no_top", "coreference", document=True) == (0, 0, 3)


def test_plain_triples_are_graphs() -> None:
    pred = [("x", ":instance", "boy"), ("x", ":ARG0-of", "y"), ("y", ":instance", "run-01")]
    ref = {"triples": [("a", "instance", "run-01"), ("a", "ARG0", "b"), ("b", "instance", "boy")], "top": "b"}
    assert evaluate(amr.suite(), [pred], [ref])["smatch"].counts == Counts(4, 4, 4)


def test_objects_with_triples_are_graphs() -> None:
    import penman

    pred, ref = penman.decode(BOY), penman.decode("(x / want-01 :ARG0 (b / boy))")
    assert evaluate(amr.suite("no_top"), [pred], [ref])["smatch"].counts == Counts(3, 6, 3)


NODES = [{"id": 0, "label": "see"}, {"id": 1, "label": "cat", "properties": ["num"], "values": ["pl"]}, {"id": 2}]


def test_nodes_and_edges_are_graphs() -> None:
    edges = [{"source": 0, "target": 1, "label": "A", "attributes": ["remote"], "values": [True]}]
    made = amr.amr({"nodes": NODES, "edges": edges, "tops": [0, 2]})
    assert [tuple(prop) for prop in made.props] == [
        ("instance", "0", "see"),
        ("instance", "1", "cat"),
        ("num", "1", "pl"),
        ("A", "0", "1"),
        ("A remote=true", "0", "1"),
        ("top", "2", "top"),
    ]
    assert made.top == "0"


def test_nodes_may_have_any_names() -> None:
    one = {"nodes": NODES, "edges": [{"source": 1, "target": 0, "label": "B"}], "tops": [0]}
    other = {
        "nodes": [{**node, "id": f"n{node['id']}"} for node in NODES],
        "edges": [{"source": "n1", "target": "n0", "label": "B"}],
        "tops": ["n0"],
    }
    assert evaluate(amr.suite(), [one], [other])["smatch"].counts == Counts(5, 5, 5)


def test_numbers_are_constants() -> None:
    assert amr.amr([("a", "instance", "sum"), ("a", "quant", 3)]).props[1].obj == "3"


def test_the_empty_graph_against_itself() -> None:
    assert f1("()", "()", "smatch") == 0.0
    assert f1("()", "()", "paper") == 1.0


def test_a_missing_prediction_is_the_empty_graph() -> None:
    assert amr.empty(parse("# ::id 3\n(a / b)")) == amr.AMR((), None, "3")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (BOY, "read it with matchwise.formats.penman.parse"),
        (7, "expected a graph or a list of triples"),
        ([("a", "b")], r"expected a triple such as \('w', ':ARG0', 'b'\), found \('a', 'b'\)"),
        ({"nodes": []}, "expected a graph with triples, found the keys nodes"),
    ],
)
def test_what_is_no_graph_is_refused_with_its_side(value: Any, problem: str) -> None:
    with pytest.raises(DataError, match=f"document 0 prediction: .*{problem}"):
        evaluate(amr.suite(), [value], [parse(BOY)])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"preset": "smach"}, "amr has no preset 'smach'; did you mean 'smatch'"),
        ({"top": "root"}, "top='root' is unknown; there are concept, constant, none"),
        ({"reification": "both"}, "reification='both' is unknown; there are dereify, keep, reify"),
        ({"duplicates": "no"}, "duplicates='no' is unknown; there are bag, set"),
        ({"concepts": "edit"}, "write concepts=edit()"),
    ],
)
def test_options_are_checked_when_the_suite_is_made(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ExpressionError) as error:
        amr.suite(**options)
    assert problem in str(error.value)


def test_different_standards_have_different_signatures() -> None:
    made = [amr.suite(preset).signature for preset in amr.TASK.presets] + [amr.suite(top="concept").signature]  # type: ignore[arg-type]
    assert len(set(made)) == 5


def test_a_standard_form_is_reached_once() -> None:
    graph = Standard("smatchpp", "none").graph(parse('(B / Boy :mod-of (x / "It\'s") :ARG0-of-of 5)'))
    assert [tuple(prop) for prop in graph.props] == [
        ("instance", "B", "boy"),
        ("mod", "x", "B"),
        ("instance", "x", "its"),
        ("arg0", "B", "5"),
    ]


def test_time_limits_leave_bounds() -> None:
    words = "abcdefgh"
    text = "(v0 / a " + " ".join(f":ARG{k % 3} (v{k} / {words[k % 4]} :ARG0 v{k // 2})" for k in range(1, 60)) + ")"
    other = "(v0 / a " + " ".join(f":ARG{k % 2} (v{k} / {words[k % 5]} :ARG1 v{k // 3})" for k in range(1, 60)) + ")"
    report = evaluate(amr.suite(), [parse(text)], [parse(other)], time_limit=0)
    assert not report["smatch"].bounds.proved
    assert 0 < report["smatch"].bounds.lower < report["smatch"].bounds.upper <= 1


def test_the_example_files() -> None:
    with open(DATA / "amr_system.amr") as system, open(DATA / "amr_gold.amr") as gold:
        report = evaluate(amr.suite("smatchpp"), list(read(system)), list(read(gold)))
    assert report["smatch"].counts == Counts(27, 30, 31)


def test_text_in_a_file_is_read_whole() -> None:
    assert [graph.id for graph in read(StringIO((DATA / "amr_gold.amr").read_text()))] == ["amr.1", "amr.2"]


def test_the_text_of_every_aspect_parses_back() -> None:
    made = amr.suite(aspects=True)
    assert [mw.parse(str(made[name])) for name in made] == [made[name] for name in made]


def test_one_quotation_mark_alone_is_not_an_empty_string() -> None:
    def graph(value: str) -> amr.AMR:
        return amr.AMR((Prop("instance", mw.Var("a"), "mark"), Prop("op1", mw.Var("a"), value)), mw.Var("a"))

    assert mw.score(amr.suite("smatch")["smatch"], graph('"'), graph('""')) < 1


def test_a_node_with_an_end_twice_stays_a_node() -> None:
    x, y, z, node = map(mw.Var, "xyzn")
    props = [Prop("instance", node, "be-located-at-91"), Prop("ARG1", node, x), Prop("ARG2", node, y)]
    assert amr.dereify(props) == [Prop("location", x, y)]
    assert amr.dereify([*props, Prop("ARG2", node, z)]) == [*props, Prop("ARG2", node, z)]


@pytest.mark.parametrize("rel", ["instance", "top", "root"])
def test_without_labels_concepts_and_the_top_stay_as_they_are(rel: str) -> None:
    kept, role = Prop(rel, amr.Var("x"), "x"), Prop("ARG0", amr.Var("x"), amr.Var("y"))
    assert amr.unlabelled(amr.AMR((kept, role))) == [kept, role._replace(rel="")]


def test_a_domain_is_an_inverse_mod_for_smatch_and_smatchpp() -> None:
    nodes = [("a", "instance", "x"), ("b", "instance", "y")]
    made, known = ({"triples": [*nodes, one], "top": "a"} for one in (("a", "domain", "b"), ("b", "mod", "a")))
    for preset, value in (("smatch", 1), ("smatchpp", 1), ("no_top", 1), ("paper", 2 / 3)):
        assert mw.score(amr.suite(preset)["smatch"], made, known) == value  # type: ignore[arg-type]


def test_roles_are_reified_as_the_guidelines_say() -> None:
    other = {"accompanier": "accompany-01", "example": "exemplify-01", "poss": "own-01"}
    turned = {"beneficiary": "benefit-01", "topic": "concern-02"}
    plain = {"age": "age-01", "destination": "be-destined-for-91", "duration": "last-01", "source": "be-from-91"}
    plain |= {"location": "be-located-at-91", "time": "be-temporally-at-91"}
    have = "concession condition degree extent frequency instrument li manner mod name ord part polarity purpose quant"
    plain |= {role: f"have-{role}-91" for role in (*have.split(), "subevent", "value")}
    assert {
        **{role: (concept, "ARG1", "ARG2") for role, concept in plain.items()},
        **{role: (concept, "ARG1", "ARG0") for role, concept in other.items()},
        **{role: (concept, "ARG0", "ARG1") for role, concept in turned.items()},
    } == amr.REIFICATIONS
