"""Words and numbers that official scorers have in lists: each of them makes a difference, and others make none."""

from typing import Any

import pytest

import matchwise as mw
from matchwise.tasks import amr, boxes, constituency, coref, dependencies, drs, sdp, sounds, task, templates, triples
from matchwise.tasks.dependencies.sentences import read_features
from matchwise.tasks.dependencies.steps import simplify
from matchwise.tasks.toolcalls.calls import convert, json_schema
from matchwise.tasks.toolcalls.steps import ExpectedValue

CONTENT = """
nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod conj
fixed flat compound list parataxis orphan goeswith reparandum dep
"""
FUNCTIONAL = "aux cop mark det clf case cc"


@pytest.mark.parametrize("rel", [*CONTENT.split(), *FUNCTIONAL.split(), "punct", "nsubj:pass", "case:loc"])
def test_udeval_counts_content_words_with_their_function_words(rel: str) -> None:
    plain = rel.partition(":")[0]
    ref, pred = (
        dependencies.ParsedSentence((0, 1), ("root", rel), ("see", "it"), upos=("VERB", tag)) for tag in ("PRON", "X")
    )
    report = mw.evaluate(dependencies.suite(), [pred], [ref])
    content, functional = plain in CONTENT.split(), plain in FUNCTIONAL.split()
    assert report["clas"].counts == mw.Counts(1 + content, 1 + content, 1 + content)
    assert report["mlas"].counts.matched == (not functional)


def test_udeval_compares_universal_features_only() -> None:
    known = "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense"
    known += " Aspect Voice Evident Polarity Person Polite"
    cell = "|".join(f"{name}=x" for name in (*known.split(), "Typo", "ExtPos", "Number[psor]", "NumForm"))
    assert read_features(cell) == "|".join(sorted(f"{name}=x" for name in known.split()))
    assert read_features("_") == ""


@pytest.mark.parametrize(
    ("label", "left"),
    [
        *((f"{name}:in", name) for name in ("obl", "nmod", "conj", "advcl")),
        *((f"obl:{name}", f"obl:{name}") for name in ("pass", "relcl", "xsubj")),
        ("nsubj:in", "nsubj:in"),
        ("obl:in:gen", "obl:in:gen"),
        ("conj:and>obl:of", "conj>obl"),
    ],
)
def test_case_information_is_left_out_of_some_relations(label: str, left: str) -> None:
    one = dependencies.ParsedSentence((0, 1), ("root", "dep"), deps=("0:root", f"1:{label}"))
    assert simplify(one, "6").deps == ("0:root", f"1:{left}")


def test_arguments_of_pas_are_named_by_their_predicates() -> None:
    said = "adj_ARG1 adj_ARG2 adj_MOD coord_ARG1 coord_ARG2 prep_ARG1 prep_ARG2 prep_ARG3 prep_MOD verb_ARG1 verb_ARG2"
    named = [*said.split(), "verb_ARG3", "verb_ARG4", "verb_MOD"]
    others = "adj_ARG3 coord_ARG3 coord_MOD prep_ARG4 verb_ARG5 noun_ARG1 verb_ARG0 ACT-arg"
    nodes = tuple(sdp.Node(place, "w", (("pos", "VB"),)) for place in range(30))
    edges = tuple(sdp.GraphEdge(0, place, name) for place, name in enumerate([*named, *others.split()], start=1))
    found = sdp.Sets(predications="pas", anchors=False)(sdp.Graph(nodes, edges, predicates=(0,)), [])[0]
    assert {name for _, name in found.predications[0].args} == set(named)
    found = sdp.Sets(predications="psd", anchors=False)(sdp.Graph(nodes, edges, predicates=(0,)), [])[0]
    assert {name for _, name in found.predications[0].args} == {"ACT-arg"}


@pytest.mark.parametrize(("rel", "matched"), [("APX", 3), ("EQU", 3), ("NEQ", 3), ("TAB", 3), ("LES", 2), ("TPR", 2)])
def test_four_operators_are_the_same_in_both_directions(rel: str, matched: float) -> None:
    said = [["b1", "dog", '"n.01"', "x1"], ["b1", "cat", '"n.01"', "x2"]]
    made, known = ([*said, ["b1", rel, *ends]] for ends in (("x1", "x2"), ("x2", "x1")))
    assert mw.evaluate(drs.suite(), [made], [known])["clauses"].counts == mw.Counts(matched, 3, 3)
    assert mw.evaluate(drs.suite("paper"), [made], [known])["clauses"].counts == mw.Counts(2, 3, 3)


@pytest.mark.parametrize("role", ["consist-of", "prep-on-behalf-of", "prep-out-of", "ARG0-of", "Consist-of"])
def test_some_roles_end_in_of_and_are_no_inverses(role: str) -> None:
    nodes = [("a", "instance", "x"), ("b", "instance", "y")]
    made, known = ({"triples": [*nodes, ("a", role, "b")], "top": "a"}, {"triples": [*nodes, ("b", role[:-3], "a")]})
    is_inverse = role == "ARG0-of"
    assert mw.evaluate(amr.suite("no_top"), [made], [known])["smatch"].counts.matched == 2 + is_inverse
    assert mw.evaluate(amr.suite("smatchpp", top="none"), [made], [known])["smatch"].counts.matched == 3


def test_the_senses_of_concepts_have_any_number_of_digits() -> None:
    graph = amr.AMR(tuple(amr.Prop("instance", mw.Var(name), f"want-{name}") for name in ("1", "02", "103", "x1")))
    assert [prop.obj for prop in amr.without_senses(graph)] == ["want", "want", "want", "want-x1"]


def test_sentences_of_a_document_are_found_in_any_case() -> None:
    d, x, y = mw.Var("d"), mw.Var("x"), mw.Var("y")
    props = (amr.Prop("SNT2", d, y), amr.Prop("snt1", d, x), amr.Prop("ARG0", y, x), amr.Prop("snt3", x, y))
    assert amr.sentences(amr.AMR(props, d)) == {"d": (0,), "y": (1, 2), "x": (1, 2)}


@pytest.mark.parametrize("word", ["be", "is", "am", "are", "was", "were", "been", "being", "has"])
def test_a_be_of_carb_is_any_form_of_it(word: str) -> None:
    found = triples.word_precision(triples.Triple("cats", "be fast", "x"), triples.Triple("cats", f"{word} fast", "y"))
    assert found == (3 / 4 if word != "has" else 2 / 4)


@pytest.mark.parametrize("word", ["said", "told", "added", "adds", "says", "wrote"])
def test_who_said_what_may_stand_the_other_way_for_carb(word: str) -> None:
    pred, ref = triples.Triple("it rains", word, "Ada"), triples.Triple("Ada", word, "it rains")
    assert triples.word_precision(pred, ref) == (1 if word != "wrote" else 1 / 4)
    assert triples.word_recall(triples.Triple("it rains", word, ""), ref) == 0


@pytest.mark.parametrize(
    ("text", "kind", "language", "value"),
    [
        ("7L", "long", "java", 7),
        ("7l", "long", "java", 7),
        ("7", "long", "java", "7"),
        ("-7", "integer", "java", -7),
        ("7.5", "integer", "java", "7.5"),
        ("12", "short", "java", 12),
        ("1", "byte", "java", 1),
        ("1.5f", "float", "java", 1.5),
        ("-2e3F", "float", "java", -2000.0),
        ("1.5", "float", "java", "1.5"),
        ("1.5e2", "double", "java", 150.0),
        ("true", "boolean", "java", True),
        ("True", "boolean", "java", "True"),
        ("true", "Boolean", "java", "true"),
        ("7n", "Bigint", "javascript", 7),
        ("7", "Bigint", "javascript", "7"),
        ("1.5", "float", "javascript", 1.5),
        ("1.5e2", "float", "javascript", "1.5e2"),
        ("false", "Boolean", "javascript", False),
        ("\"a'", "String", "javascript", "\"a'"),
        ('"a"', "String", "javascript", "a"),
        ("'a'", "String", "javascript", "a"),
        ("new ArrayList<>()", "ArrayList", "java", []),
        ("new HashMap<>()", "HashMap", "java", {}),
        ("{}", "dict", "javascript", {}),
        ("[]", "array", "javascript", []),
        ("new Array()", "array", "javascript", []),
        ("x", "dict", "javascript", "x"),
        ("x", "array", "javascript", "x"),
        ("x", "ArrayList", "java", "x"),
        ("x", "HashMap", "java", "x"),
        ("x", "Array", "java", "x"),
        ("new int[]{1, 2,}", "Array", "java", ["1", "2"]),
        ("{'a': [1, 'b'], b: 2.5, \"d\": true}", "dict", "javascript", {"a": [1, "b"], "b": 2.5, "d": True}),
        ("[[1, 2], ['a', true]]", "array", "javascript", [[1, 2], ["a", True]]),
        (
            'new HashMap<>() {{ put("a", 1L); put("b", 2.5f); put("c", "d"); }}',
            "HashMap",
            "java",
            {"a": 1, "b": 2.5, "c": "d"},
        ),
    ],
)
def test_texts_of_java_and_javascript_stand_for_values(text: str, kind: str, language: str, value: Any) -> None:
    found = convert(text, language, kind)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("inner", "text", "value"),
    [
        ("char", "new ArrayList<>(Arrays.asList('a', 'b'))", ["a", "b"]),
        ("String", 'new ArrayList<String>(Arrays.asList("a","b"))', ["a", "b"]),
        ("integer", "new ArrayList<Integer>() {{ add(1); add(2); }}", [1, 2]),
        ("long", "new ArrayList<>(Arrays.asList(1L, 2))", [1, "2"]),
    ],
)
def test_lists_of_java_have_elements_of_a_type(inner: str, text: str, value: Any) -> None:
    assert convert(text, "java", "ArrayList", inner) == value
    assert convert("['a', 1]", "javascript", "array", "String") == ["a", "1"]
    assert convert("['a', 1]", "javascript", "array") == ["a", 1]


def test_types_of_bfcl_are_types_of_python() -> None:
    types: dict[type, str] = {
        str: "string any char String",
        int: "integer byte short long Bigint",
        float: "float number double",
        bool: "boolean Boolean",
        list: "array tuple Array ArrayList",
        dict: "dict object HashMap",
    }
    for kind, names in types.items():
        assert {ExpectedValue.of(None, {"type": name}).declared for name in names.split()} == {kind}
    assert ExpectedValue.of("a", {"type": "unheard"}).declared is str
    assert ExpectedValue.of(3, {}).declared is int


def test_parameter_files_of_evalb_are_as_they_were() -> None:
    collins = {"TOP", "-NONE-", ",", ":", "``", "''", "."}
    assert constituency.COLLINS.delete == collins
    assert constituency.NEW.delete == {*collins, "S1", "?", "!"}
    assert (constituency.COLLINS.quotes, constituency.NEW.quotes) == (
        set(),
        {"``", "''", "POS", "NN", "CD", "VBZ", ":"},
    )
    for one in (constituency.COLLINS, constituency.NEW):
        assert (one.same, one.uncounted, one.same_words) == ((("ADVP", "PRT"),), {"-NONE-"}, ())
        assert (one.labelled, one.cutoff) == (True, None)


@pytest.mark.parametrize(("cents", "value"), [(0, 1), (50, 1), (-50, 1), (50.0001, 0), (-50.0001, 0)])
def test_a_note_may_be_a_quarter_tone_off(cents: float, value: float) -> None:
    pred, ref = [(0, 1, 440.0 * 2 ** (cents / 1200))], [(0, 1, 440.0)]
    assert mw.evaluate(sounds.suite("mir_eval"), [pred], [ref])["no_offset"].f1 == value


def test_at_most_five_mentions_of_an_entity_are_shown() -> None:
    pred, ref = (coref.from_clusters([[(at, at + 1) for at in range(size)]]) for size in (6, 5))
    analyse = task("coref").errors
    assert analyse is not None
    [[level, _]] = analyse(coref.suite(), "muc")([pred], [ref])  # type: ignore[misc]
    said = [one.in_words([f"w{at}" for at in range(9)]) for one in (level.cases[0].pred, level.cases[0].ref)]
    assert said == ["{w5, w0, w1, w2, w3, … 6 in all}", "{w0, w1, w2, w3, w4}"]


def test_schemas_of_bfcl_and_gemini_are_turned_inside_lists_too() -> None:
    found = json_schema(
        {"anyOf": [{"type": "tuple"}, {"type": "FLOAT"}, {"type": "any", "title": "x"}, {"type": ["a"]}]}
    )
    assert found == {"anyOf": [{"type": "array"}, {"type": "number"}, {"title": "x"}, {"type": ["a"]}]}


def test_a_slot_that_is_asked_for_is_no_unknown_slot() -> None:
    pred = [("ATTACK", {"mood": ["bad"], "hum_tgt_name": ["x"], "colour": ["red"], "weather": ["wet"]})]
    step = templates.suite("muc4", slots="colour", categories="weather").steps[0]
    assert step.left_out is not None
    assert [one.kind for one in step.left_out(pred, [("ATTACK", {"size": ["big"]})])] == ["unknown slot 'mood'"]


def test_spans_in_a_slot_of_categories_stay_spans() -> None:
    pred, ref = ([("a", {"stage": [["done", end]]})] for end in ([3, 5], "over"))
    found = mw.evaluate(templates.suite("better", categories="stage"), [pred, pred], [ref, pred])["fillers"].counts
    assert (found.matched, found.predicted, found.reference) == (1, 2, 2)


def test_better_pairs_templates_by_fillers_before_types() -> None:
    suite = templates.suite("better", types=mw.levels("type", separator="."))
    pred = [("a.b.c", {"victim": ["mayor"]})]
    ref = [("a.b.c", {"victim": ["driver"]}), ("a.x.y", {"victim": ["mayor"]})]
    report = mw.evaluate(suite, [pred], [ref])
    assert report["types"].counts.matched == report["fillers"].counts.matched < 1
    assert mw.evaluate(suite, [pred], [ref[:1]])["types"].counts.matched == 1


def test_both_ends_of_a_proposition_share_a_sentence_in_a_document() -> None:
    def graph(last: str) -> list[tuple[str, str, str]]:
        nodes = [("d", "instance", "document"), ("d", "snt2", "b"), ("b", "instance", "girl"), ("e", "instance", "x")]
        return [*nodes, ("d", last, "m"), ("m", "instance", "boy"), ("e", "coref", "b"), ("e", "coref", "m")]

    suite = amr.suite("no_top", document=True)
    assert mw.evaluate(suite, [graph("snt1")], [graph("snt3")])["smatch"].counts == mw.Counts(5, 8, 8)
    assert mw.evaluate(suite, [graph("snt1")], [graph("snt1")])["smatch"].counts == mw.Counts(8, 8, 8)


def test_iterx_pairs_templates_by_predictions_that_hit_also_for_recall() -> None:
    three = {"type": "t", "Target": [["a"], ["a"], ["a"]]}
    two = {"type": "t", "Target": [["a"], ["b"]]}
    found = mw.evaluate(
        task("role_mentions").suite(preset="iterx"), [{"templates": [three, two]}], [{"templates": [two]}]
    )
    assert (found["subset"].precision, found["subset"].recall) == (3 / 5, 1 / 2)


def test_coco_reads_precision_at_101_recalls() -> None:
    cats = [{"bbox": [0, 0, 10, 10], "label": "cat"}, {"bbox": [50, 0, 90, 40], "label": "cat"}]
    made = boxes.report(boxes.suite("coco"), [([{**cats[0], "score": 0.9}], cats)])
    assert made["ap50"] == pytest.approx(51 / 101, abs=1e-12)
    assert made["ar1"] == made["ar100"] == 0.5
