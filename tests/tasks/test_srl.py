"""Semantic roles: continuations, what counts under CoNLL-2005 and CoNLL-2009, and the steps of both scripts."""

from io import StringIO
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matchwise.corpus.categories import Categories
from matchwise.corpus.pairing import add_missing
from matchwise.corpus.tally import Tally
from matchwise.engine.reference import score as by_equation
from matchwise.errors import DataError, ExpressionError
from matchwise.formats import conll05, conll09, propositions
from matchwise.runners.runner import evaluate
from matchwise.similarities.vocabulary import levels
from matchwise.tasks import srl
from matchwise.tasks.ner.mentions import pieces
from matchwise.tasks.srl import (
    HeadWord,
    Proposition,
    PropositionSet,
    RoleArgument,
    SemanticEdge,
    join_continuations,
)


def prop(predicate: int, *args: tuple[int, int, str], verb: str = "", sense: str = "") -> dict[str, Any]:
    return {"predicate": predicate, "verb": verb, "sense": sense, "args": list(args)}


def counts(pred: object, ref: object, name: str = "arguments", **options: Any) -> tuple[int, int, int]:
    found = evaluate(srl.suite(**options), [pred], [ref])[name].counts
    return int(found.matched), int(found.predicted), int(found.reference)


def test_an_argument_needs_its_span_and_its_role() -> None:
    ref = [prop(1, (0, 1, "A0"), (2, 5, "A1"), (6, 7, "AM-TMP"))]
    pred = [prop(1, (0, 1, "A0"), (2, 4, "A1"), (6, 7, "AM-LOC"))]
    assert counts(pred, ref) == (1, 3, 3)
    assert counts(pred, ref, "unlabeled") == (2, 3, 3)


def test_an_argument_belongs_to_its_predicate() -> None:
    assert counts([prop(1), prop(3, (0, 1, "A0"))], [prop(1, (0, 1, "A0")), prop(3)]) == (0, 1, 1)


def test_the_verb_does_not_count() -> None:
    assert counts([prop(1, (1, 2, "V"), (0, 1, "A0"))], [prop(1, (1, 2, "V"))]) == (0, 1, 0)
    assert counts([prop(1, (1, 2, "V"), (0, 1, "A0"))], [prop(1, (1, 2, "V"))], without=()) == (1, 2, 1)


def test_328_a_discontinuous_argument_without_its_continuation_is_wrong() -> None:
    ref, pred = [prop(1, (2, 4, "A1"), (6, 8, "C-A1"))], [prop(1, (2, 4, "A1"))]
    assert counts(pred, ref) == (0, 1, 1)
    assert counts(pred, ref, continuations="separate") == (1, 1, 2)


def test_a_continuation_without_a_beginning_is_an_argument() -> None:
    assert join_continuations([RoleArgument((0, 2), "C-A1"), RoleArgument((3, 4), "C-A1")]) == (
        RoleArgument(((0, 2), (3, 4)), "A1"),
    )


def test_a_continuation_belongs_to_the_last_argument_of_its_role() -> None:
    args = [
        RoleArgument((0, 1), "A1"),
        RoleArgument((2, 3), "A1"),
        RoleArgument((4, 5), "C-A1"),
        RoleArgument((6, 7), "C-A1"),
    ]
    assert join_continuations(args) == (RoleArgument((0, 1), "A1"), RoleArgument(((2, 3), (4, 5), (6, 7)), "A1"))


def test_two_neighbouring_pieces_are_not_one_piece() -> None:
    assert counts([prop(1, (2, 4, "A1"), (4, 6, "C-A1"))], [prop(1, (2, 6, "A1"))]) == (0, 1, 1)


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(("A0", "A1", "C-A0", "C-A1", "C-A2"))), max_size=8))
def test_joining_keeps_every_piece_and_leaves_no_continuation(parts: list[tuple[int, str]]) -> None:
    ends = list(accumulate((width for width, _ in parts), initial=0))
    args = [RoleArgument((start, end), role) for start, end, (_, role) in zip(ends, ends[1:], parts, strict=False)]
    made = join_continuations(args)
    assert sorted(piece for span, _ in made for piece in pieces(span)) == [span for span, _ in args]
    assert not any(role.startswith("C-") for _, role in made)
    assert join_continuations(made) == made


def test_propositions_of_other_predicates_are_left_out_unless_predicates_are_predicted() -> None:
    ref, pred = [prop(1, (0, 1, "A0"))], [prop(1, (0, 1, "A0")), prop(3, (2, 3, "A0"))]
    assert counts(pred, ref) == (1, 1, 1)
    assert counts(pred, ref, predicates="predicted") == (1, 2, 1)


def test_a_proposition_of_another_verb_counts_as_missing() -> None:
    assert counts([prop(1, (0, 1, "A0"), verb="lay")], [prop(1, (0, 1, "A0"), verb="lie")]) == (0, 0, 1)


def test_a_proposition_is_all_right_if_all_its_arguments_are() -> None:
    ref = [prop(1, (0, 1, "A0")), prop(3, (0, 1, "A0"), (4, 5, "A1")), prop(6)]
    pred = [prop(1, (0, 1, "A0")), prop(3, (0, 1, "A0"))]
    assert counts(pred, ref, "propositions") == (2, 3, 3)  # the last has no arguments to miss


def test_roles_may_agree_in_part() -> None:
    suite = srl.suite(roles=levels("role", separator="-"))
    found = evaluate(suite, [[prop(1, (0, 1, "AM-TMP"))]], [[prop(1, (0, 1, "AM-LOC"))]])
    assert 0 < found["arguments"].f1 < 1


@pytest.mark.parametrize(
    "document",
    [
        PropositionSet((Proposition(1, (RoleArgument((0, 1), "A0"), RoleArgument((1, 2), "V"))),)),
        [Proposition(1, (RoleArgument((0, 1), "A0"),))],
        [{"predicate": 1, "args": [{"start": 0, "end": 1, "role": "A0"}]}],
        [{"predicate": [1, 2], "arguments": [((0, 1), "A0")]}],
        {"verbs": [{"tags": ["B-A0", "B-V", "O"]}]},
        {"propositions": [{"predicate": 1, "args": [["A0", 0, 1]]}]},
    ],
)
def test_a_sentence_may_be_written_in_many_ways(document: object) -> None:
    assert counts(document, [prop(1, (0, 1, "A0"))]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (7, "expected a PropositionSet or a list of propositions, found int"),
        ([{"predicate": 1}], "expected a proposition with args or tags, found the keys predicate"),
        ([{"args": [(0, 1, "A0")]}], "expected the position of the predicate, or an argument V, found neither"),
        ([{"predicate": "x", "args": []}], "expected the position of the predicate, found 'x'"),
        ([{"predicate": 1, "args": [{"start": 0, "end": 1}]}], "expected an argument with a role"),
        ({"verbs": 3}, "expected a list under 'verbs', found int"),
    ],
)
def test_what_is_no_proposition_is_an_error(document: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(srl.suite(), [document], [[]])


def test_a_missing_prediction_counts_as_empty() -> None:
    for preset, name in (("conll05", "arguments"), ("conll09", "labeled")):
        tally = add_missing(Tally(srl.suite(preset)), [prop(1, (0, 1, "A0"))])  # type: ignore[arg-type]
        assert tally.report()[name].counts.matched == 0
        assert tally.report()[name].counts.predicted == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "conll5"}, "srl has no preset 'conll5'; did you mean 'conll05'"),
        ({"predicates": "gold"}, "predicates='gold' is unknown"),
        ({"continuations": "joined"}, "continuations='joined' is unknown; did you mean 'join'"),
        ({"preset": "conll09", "without": ("V",)}, "without= belongs to conll05, not to conll09"),
    ],
)
def test_a_wrong_option_is_an_error_when_the_suite_is_made(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        srl.suite(**options)


def test_the_confusion_is_of_arguments_with_the_right_span() -> None:
    ref = [prop(1, (0, 1, "A0"), (2, 5, "A1"), (6, 7, "AM-TMP"))]
    pred = [prop(1, (0, 1, "A1"), (2, 4, "A1"), (6, 7, "AM-TMP"))]
    found = Categories(srl.gradings()["arguments"]).add(pred, ref).confusion()
    assert dict(found) == {("A1", "A0"): 1, ("AM-TMP", "AM-TMP"): 1, (None, "A1"): 1, ("A1", None): 1}


def test_the_table_by_role_adds_up_to_the_whole() -> None:
    ref = [prop(1, (0, 1, "A0"), (2, 5, "A1"))]
    report = evaluate(srl.suite(), [[prop(1, (0, 1, "A0"), (2, 4, "A1"))]], [ref], by="role")
    assert {label: part["arguments"].f1 for label, part in report.by.items() if label != "(proposition)"} == {
        "A0": 1.0, "A1": 0.0
    }  # fmt: skip


def test_conll09_counts_senses_as_edges_from_a_root() -> None:
    ref = [prop(1, (0, 1, "A0"), (3, 4, "A1"), sense="lie.02"), prop(5, (0, 1, "A0"), sense="say.01")]
    pred = [prop(1, (0, 1, "A0"), (3, 4, "A2"), sense="lie.01"), prop(7, sense="say.01")]
    assert counts(pred, ref, "labeled", preset="conll09") == (1, 4, 5)
    assert counts(pred, ref, "unlabeled", preset="conll09") == (3, 4, 5)
    assert counts(pred, ref, "propositions", preset="conll09") == (0, 2, 2)


def test_conll09_compares_senses_by_what_follows_the_dot_and_numbers_by_their_value() -> None:
    for mine, theirs, same in (
        ("lay.01", "lie.1", 1),
        ("lie.a", "lie.A", 0),
        ("lie.0", "lie.00", 1),
        ("lie.0", "", 0),
        ("x", "lie.x", 1),
    ):
        assert counts([prop(1, sense=mine)], [prop(1, sense=theirs)], "labeled", preset="conll09") == (same, 1, 1)


def test_conll09_matches_two_roles_of_one_word_as_a_bag_where_labels_do_not_count() -> None:
    ref, pred = [prop(1, (0, 1, "A0"), (0, 1, "A1"))], [prop(1, (0, 1, "A2"))]
    assert counts(pred, ref, "unlabeled", preset="conll09") == (2, 2, 3)


def test_conll09_counts_an_argument_that_is_there_twice_once() -> None:
    once, twice = [prop(1, (0, 1, "A0"))], [prop(1, (0, 1, "A0"), (0, 1, "A0"))]
    assert counts(twice, once, "labeled", preset="conll09") == (2, 2, 2)
    assert counts(twice, once, "propositions", preset="conll09") == (1, 1, 1)


def test_a_sentence_without_predicates_is_all_right_under_conll09() -> None:
    report = evaluate(srl.suite("conll09"), [[], [prop(1, sense="a.01")]], [[], [prop(1, sense="a.02")]])
    assert report["exact"].value == 0.5


def parse(heads: list[int], deprels: str, *props: dict[str, Any]) -> dict[str, Any]:
    return {"propositions": list(props), "heads": heads, "deprels": deprels.split()}


SLEEP = prop(1, (0, 1, "A0"), sense="sleep.01")
PARSED = parse([2, 0, 2, 3], "SBJ ROOT OBJ NMOD", SLEEP)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("las", (2, 4, 4)),
        ("uas", (3, 4, 4)),
        ("label_accuracy", (3, 4, 4)),
        ("exact_parse", (0, 1, 1)),
        ("labeled", (2, 2, 2)),
        ("labeled_micro", (4, 6, 6)),
        ("unlabeled_micro", (5, 6, 6)),
        ("exact", (1, 1, 1)),
        ("exact_both", (0, 1, 1)),
    ],
)
def test_conll09_has_the_scores_of_the_parse_and_of_both_together(metric: str, expected: tuple[int, ...]) -> None:
    pred = parse([2, 0, 2, 2], "SBJ ROOT NMOD NMOD", SLEEP)
    assert counts(pred, PARSED, metric, preset="conll09") == expected


def test_a_sentence_without_a_parse_has_no_words_to_score() -> None:
    assert counts([SLEEP], [SLEEP], "las", preset="conll09") == (0, 0, 0)
    assert counts([SLEEP], [SLEEP], "exact_both", preset="conll09") == (0, 0, 0)
    assert counts([SLEEP], PARSED, "las", preset="conll09") == (0, 0, 4)


def test_a_parse_of_other_words_is_an_error() -> None:
    with pytest.raises(DataError, match="prediction: found 2 words, expected 4 as in the reference"):
        evaluate(srl.suite("conll09"), [parse([2, 0], "SBJ ROOT")], [PARSED])


def test_heads_without_their_relations_are_an_error() -> None:
    with pytest.raises(DataError, match="expected a relation for each head, found 2 heads and 1 deprel"):
        evaluate(srl.suite("conll09"), [parse([2, 0], "SBJ")], [PARSED])


def test_the_macro_f1_of_eval09_is_made_of_the_precision_and_recall_of_both() -> None:
    pred = parse([2, 0, 2, 2], "SBJ ROOT OBJ NMOD", prop(1, (0, 1, "A0"), (3, 4, "A1"), sense="sleep.01"))
    report = evaluate(srl.suite("conll09"), [pred], [PARSED])
    p, r = ((of + report["las"].f1) / 2 for of in (report["labeled"].precision, report["labeled"].recall))
    assert (p, r) == pytest.approx(((2 / 3 + 3 / 4) / 2, (1 + 3 / 4) / 2), abs=1e-12)


ROLES = ("A0", "A1", "AM-TMP", "C-A1", "C-A0", "V")


def columns(random: Random, length: int, verbs: list[int]) -> str:
    """A sentence of props whose brackets do not overlap."""
    made = [["-" if place not in verbs else "be" for place in range(length)]]
    for _ in verbs:
        tags, place = [], 0
        while place < length:
            width = random.randint(1, 3)
            if random.random() < 0.5 or place + width > length:
                tags.append("*")
                place += 1
            else:
                role = random.choice(ROLES)
                tags += [f"({role}*)"] if width == 1 else [f"({role}*", *["*"] * (width - 2), "*)"]
                place += width
        made.append(tags)
    return "\n".join(" ".join(cells) for cells in zip(*made, strict=True)) + "\n\n"


def by_the_script(gold: str, system: str) -> tuple[list[int], int, int]:
    """Correct, excess and missed arguments, perfect propositions and all, by the steps of srl-eval.pl."""
    total, perfect, number = [0, 0, 0], 0, 0
    for one, other in zip(gold.strip("\n").split("\n\n"), system.strip("\n").split("\n\n"), strict=True):
        golds, preds = ([line.split() for line in side.splitlines()] for side in (one, other))
        theirs, mine = phrases(golds), phrases(preds)
        for place, args in theirs.items():
            found = mine.get(place, [])
            correct = [arg for arg in found if arg in args and arg[1] != "V"]
            excess = [arg for arg in found if arg not in args and arg[1] != "V"]
            missed = [arg for arg in args if arg not in found and arg[1] != "V"]
            total = [a + b for a, b in zip(total, map(len, (correct, excess, missed)), strict=True)]
            perfect += not excess and not missed
            number += 1
    return total, perfect, number


def phrases(rows: list[list[str]]) -> dict[int, list[tuple[tuple[tuple[int, int], ...], str]]]:
    """Verb -> (pieces with inclusive ends, role)."""
    made = {}
    for column, place in enumerate((place for place, cells in enumerate(rows) if cells[0] != "-"), start=1):
        args: list[tuple[list[tuple[int, int]], str]] = []
        start, role = 0, ""
        for word, cells in enumerate(rows):
            tag = cells[column]
            if tag.startswith("("):
                start, role = word, tag[1:].rstrip(")").rstrip("*")
            if tag.endswith(")"):
                before = [parts for parts, name in args if f"C-{name}" == role]
                if before:
                    before[-1].append((start, word))
                else:
                    args.append(([(start, word)], role.removeprefix("C-")))
        made[place] = [(tuple(parts), name) for parts, name in args]
    return made


@pytest.mark.parametrize("seed", range(20))
def test_conll05_agrees_with_the_steps_of_its_script(seed: int) -> None:
    random = Random(seed)
    gold, system = "", ""
    for _ in range(15):
        length = random.randint(2, 12)
        verbs = sorted(random.sample(range(length), random.randint(0, 2)))
        gold += columns(random, length, verbs)
        system += columns(random, length, [verb for verb in verbs if random.random() < 0.8] or verbs[:1])
    (correct, excess, missed), perfect, number = by_the_script(gold, system)
    report = evaluate(srl.suite(), conll05.read(StringIO(system)), conll05.read(StringIO(gold)))
    found = report["arguments"].counts
    assert (found.matched, found.predicted, found.reference) == (correct, correct + excess, correct + missed)
    assert (report["propositions"].counts.matched, report["propositions"].counts.reference) == (perfect, number)


@pytest.mark.parametrize("preset", ["conll05", "conll09"])
def test_the_equations_give_what_the_plan_gives(preset: Any) -> None:
    random = Random(5)
    suite = srl.suite(preset)
    for _ in range(30):
        pred, ref = (
            [prop(place, *[(n, n + 1, random.choice("AB")) for n in random.sample(range(5), 3)]) for place in (1, 3)]
            for _ in "pr"
        )
        report = evaluate(suite, [pred], [ref])
        for name, phi in suite.metrics.items():
            assert report[name].value == pytest.approx(float(by_equation(phi, pred, ref)), abs=1e-12)


def by_eval09(gold: str, system: str) -> dict[str, tuple[int, int, int]]:
    """Correct, predicted and reference of the three kinds of edges, by the steps of eval09.pl on cells."""
    found = {"labeled": [0, 0, 0], "unlabeled": [0, 0, 0], "propositions": [0, 0, 0]}

    def frames(text: str) -> dict[int, tuple[str, list[tuple[int, str]]]]:
        rows = [line.split() for line in text.splitlines()]
        made = {}
        for column, place in enumerate((n for n, cells in enumerate(rows) if cells[13] != "_"), start=14):
            roles = [(n, cells[column].split("|")) for n, cells in enumerate(rows) if cells[column] != "_"]
            labels = [(n, role) for n, several in roles for role in set(several)]
            made[place] = rows[place][13].split(".")[1].lstrip("0"), labels
        return made

    for one, other in zip(gold.strip("\n").split("\n\n"), system.strip("\n").split("\n\n"), strict=True):
        theirs, mine = frames(one), frames(other)
        for kind in ("labeled", "unlabeled"):
            found[kind][1] += sum(1 + len(args) for _, args in mine.values())
            found[kind][2] += sum(1 + len(args) for _, args in theirs.values())
        found["propositions"][1] += len(mine)
        found["propositions"][2] += len(theirs)
        for place, (sense, args) in theirs.items():
            if place not in mine:
                continue
            its, predicted = mine[place]
            found["unlabeled"][0] += 1
            found["labeled"][0] += sense == its
            found["propositions"][0] += sense == its and sorted(args) == sorted(predicted)
            found["labeled"][0] += sum(arg in args for arg in predicted)
            words = [word for word, _ in predicted]
            for word, _ in args:
                if word in words:
                    words.remove(word)
                    found["unlabeled"][0] += 1
    return {kind: (a, b, c) for kind, (a, b, c) in found.items()}


@pytest.mark.parametrize("seed", range(10))
def test_conll09_agrees_with_the_steps_of_its_script(seed: int) -> None:
    random = Random(seed)

    def sentence(length: int) -> str:
        verbs = sorted(random.sample(range(length), random.randint(0, 2)))
        rows = []
        for place in range(length):
            cells = [str(place + 1), "w", "l", "l", "N", "N", "_", "_", "0", "0", "X", "X"]
            cells += ["Y", random.choice(("be.01", "be.02"))] if place in verbs else ["_", "_"]
            rows.append(cells + [random.choice(("_", "_", "A0", "A1", "A0|A1")) for _ in verbs])
        return "\n".join("\t".join(cells) for cells in rows) + "\n\n"

    lengths = [random.randint(2, 8) for _ in range(12)]
    gold, system = ("".join(map(sentence, lengths)) for _ in "gs")
    report = evaluate(srl.suite("conll09"), conll09.read(StringIO(system)), conll09.read(StringIO(gold)))
    for kind, expected in by_eval09(gold, system).items():
        found = report[kind].counts
        assert (found.matched, found.predicted, found.reference) == expected


@pytest.mark.parametrize(("verb", "named"), [("", "bark"), ("-", "bark"), ("yelp", "yelp")])
def test_an_argument_names_its_verb_or_the_word_of_the_predicate(verb: str, named: str) -> None:
    assert srl.SemanticEdge(1, (0, 1), "A0", verb).in_words(["dogs", "bark"]) == f"dogs A0 of {named}"


@pytest.mark.parametrize("key", ["words", "tokens"])
def test_the_words_of_propositions_have_either_name(key: str) -> None:
    written = f'{{"{key}": ["He", "sleeps"], "verbs": [{{"verb": "sleep", "tags": ["B-ARG0", "B-V"]}}]}}'
    assert [one.tokens for one in propositions.read(StringIO(written))] == [("He", "sleeps")]


@pytest.mark.parametrize(
    ("edge", "shown"),
    [
        (SemanticEdge(HeadWord(2), (0, 1), "nsubj"), "dog nsubj of bites"),
        (SemanticEdge(HeadWord("3"), (0, 1), "nsubj"), "dog nsubj of men"),
        (SemanticEdge(HeadWord(0), (1, 2), "root"), "bites root of the root"),
        (SemanticEdge(HeadWord("_"), (1, 2), "root"), "bites root of the root"),
        (SemanticEdge(1, (0, 1), "A0"), "dog A0 of bites"),
        (SemanticEdge(1, (0, 1), "A0", "bite"), "dog A0 of bite"),
        (SemanticEdge(1, (0, 1), "A0", "-"), "dog A0 of bites"),
        (SemanticEdge(None, (1, 2), "bite.01"), "bites as bite.01"),
    ],
)
def test_an_edge_is_said_with_the_word_that_it_comes_from(edge: SemanticEdge, shown: str) -> None:
    assert edge.in_words(("dog", "bites", "men")) == shown


def test_true_is_no_position_of_a_predicate() -> None:
    with pytest.raises(DataError, match="expected the position of the predicate, found True"):
        evaluate(srl.suite(), [[{"predicate": True, "args": []}]], [[{"predicate": 1, "args": []}]])
