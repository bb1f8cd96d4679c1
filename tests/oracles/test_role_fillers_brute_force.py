"""Role fillers by their definitions: all matchings, exact fractions, on small random documents."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchwise.algebra.nodes import Harmonic
from matchwise.corpus.tally import Tally
from matchwise.engine import reference
from matchwise.tasks import role_mentions, roles

Filler = tuple[str, tuple[str, ...]]
Phi = Callable[[Filler, Filler], Fraction]

mentions = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True).map(tuple)
documents = st.lists(st.tuples(st.sampled_from("rs"), mentions), max_size=4)


def phi_subset(p: Filler, r: Filler) -> Fraction:
    return Fraction(p[0] == r[0] and set(p[1]) <= set(r[1]))


def phi3(p: Filler, r: Filler) -> Fraction:
    return Fraction(len(set(p[1]) & set(r[1]))) * (p[0] == r[0])


def phi4(p: Filler, r: Filler) -> Fraction:
    return 2 * phi3(p, r) / (len(p[1]) + len(r[1]))


def two_sided(phi: Callable[..., Fraction], pred: list, ref: list) -> Fraction:  # type: ignore[type-arg]
    """Every 1:1 matching of the smaller side."""
    if len(pred) > len(ref):
        return two_sided(lambda r, p: phi(p, r), ref, pred)
    chosen = permutations(ref, len(pred))
    return max(sum((phi(p, r) for p, r in zip(pred, some, strict=True)), Fraction(0)) for some in chosen)


def one_sided(phi: Callable[..., Fraction], pred: list, ref: list) -> Fraction:  # type: ignore[type-arg]
    """Every function from predictions to references."""
    if not pred or not ref:
        return Fraction(0)
    return max(
        sum((phi(p, r) for p, r in zip(pred, some, strict=True)), Fraction(0))
        for some in product(ref, repeat=len(pred))
    )


def turned(phi: Callable[..., Fraction], pred: list, ref: list) -> Fraction:  # type: ignore[type-arg]
    """Every function from references to predictions."""
    return one_sided(lambda r, p: phi(p, r), ref, pred)


def ratio(above: Fraction | int, below: Fraction | int, empty: int) -> Fraction:
    return Fraction(above) / below if below else Fraction(empty)


@pytest.mark.parametrize(("metric", "phi"), [("ceaf_ree", phi_subset), ("phi3", phi3), ("phi4", phi4)])
@given(pred=documents, ref=documents)
@settings(max_examples=40)
def test_ceaf_of_role_fillers(metric: str, phi: Phi, pred: list[Filler], ref: list[Filler]) -> None:
    matched, own, theirs = two_sided(phi, pred, ref), two_sided(phi, pred, pred), two_sided(phi, ref, ref)
    suite = roles.suite()
    assert reference.score(suite.metrics[metric], pred, ref) == ratio(2 * matched, own + theirs, 1)
    counts = Tally(suite).add(pred, ref).report()[metric].counts
    assert (counts.matched, counts.predicted, counts.reference) == pytest.approx(
        (float(matched), float(own), float(theirs)), abs=1e-12
    )


@pytest.mark.parametrize(("metric", "phi"), [("subset", phi_subset), ("phi3", phi3)])
@given(pred=documents, ref=documents)
@settings(max_examples=40)
def test_ceaf_rme_is_one_sided(metric: str, phi: Phi, pred: list[Filler], ref: list[Filler]) -> None:
    matched, own, theirs = (one_sided(phi, *sides) for sides in ((pred, ref), (pred, pred), (ref, ref)))
    suite = role_mentions.suite()
    assert reference.score(suite.metrics[metric], pred, ref) == ratio(2 * matched, own + theirs, 1)
    counts = Tally(suite).add(pred, ref).report()[metric].counts
    assert (counts.matched, counts.predicted, counts.reference) == (matched, own, theirs)


@pytest.mark.parametrize(("metric", "phi"), [("subset", phi_subset), ("phi3", phi3)])
@given(pred=documents, ref=documents)
@settings(max_examples=40)
def test_coverage_has_two_bounded_sides(metric: str, phi: Phi, pred: list[Filler], ref: list[Filler]) -> None:
    p = ratio(one_sided(phi, pred, ref), one_sided(phi, pred, pred), 1)
    r = ratio(turned(phi, pred, ref), turned(phi, ref, ref), 1)
    assert 0 <= p <= 1
    assert 0 <= r <= 1
    suite = role_mentions.suite("coverage")
    root = suite.metrics[metric]
    assert isinstance(root, Harmonic)
    assert (reference.score(root.precision, pred, ref), reference.score(root.recall, pred, ref)) == (p, r)
    found = Tally(suite).add(pred, ref).report()[metric]
    assert (found.precision, found.recall) == pytest.approx((float(p), float(r)), abs=1e-12)


def grit(pred: dict[str, list[list[str]]], ref: dict[str, list[list[str]]]) -> tuple[Fraction, Fraction, int, int]:
    """GRIT's two scores: matched strictly and in proportion, list lengths, over the roles of the reference."""
    strict = share = Fraction(0)
    predicted = golden = 0
    for role, golds in ref.items():
        mine = pred.get(role, [])
        strict += two_sided(lambda p, r: Fraction(all(m in r for m in p)), mine, golds)
        once = [list(dict.fromkeys(gold)) for gold in golds]  # eval.py counts a repeated one again, and scores above 1
        share += two_sided(lambda p, r: Fraction(sum(m in p for m in r), len(p)) if p else Fraction(1), mine, once)
        predicted += len(mine)
        golden += len(golds)
    return strict, share, predicted, golden


entity = st.lists(st.sampled_from("abcd"), max_size=4)
tables = st.dictionaries(st.sampled_from("rst"), st.lists(entity, max_size=3), max_size=3)


@given(pred=tables, ref=tables)
@settings(max_examples=80)
def test_grit_by_its_procedure(pred: dict[str, list[list[str]]], ref: dict[str, list[list[str]]]) -> None:
    strict, share, predicted, golden = grit(pred, ref)
    report = Tally(roles.suite("grit")).add(_letters(pred), _letters(ref)).report()
    counts = report["ceaf_ree"].counts
    assert (counts.matched, counts.predicted, counts.reference) == (strict, predicted, golden)
    counts = report["proportional"].counts
    assert (counts.matched, counts.predicted, counts.reference) == pytest.approx((float(share), predicted, golden))


def _letters(document: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    """Words that normalisation changes: "a" alone is an article."""
    return {role: [[f"The M{m}!" for m in one] for one in several] for role, several in document.items()}


Template = tuple[str, list[tuple[str, list[str]]]]

fillers = st.tuples(st.sampled_from("rs"), st.lists(st.sampled_from("bcde"), min_size=1, max_size=2))
templates = st.lists(st.tuples(st.sampled_from(["x", "y"]), st.lists(fillers, max_size=3)), max_size=3)
unsure = st.lists(st.tuples(st.sampled_from(["x", "y", "x / y"]), st.lists(fillers, max_size=3)), max_size=2)


def hits(pred: Template, ref: Template) -> tuple[int, int]:
    """Predicted entities with any mention of a reference, and distinct references that are the first to have one."""
    if pred[0] != ref[0]:
        return 0, 0
    found = [_first(one, ref[1]) for one in pred[1]]
    taken = [one for one in found if one is not None]
    return len(taken), len(set(taken))


def _first(pred: tuple[str, list[str]], refs: list[tuple[str, list[str]]]) -> int | None:
    for mention in pred[1]:
        for place, (role, names) in enumerate(refs):
            if role == pred[0] and mention in names:
                return place
    return None


def shared(pred: Template, ref: Template) -> Fraction:
    """φ3: entities 1:1, each pair worth the predicted mentions that the reference has."""
    if pred[0] != ref[0]:
        return Fraction(0)
    return two_sided(lambda p, r: Fraction(sum(m in r[1] for m in p[1]) if p[0] == r[0] else 0), pred[1], ref[1])


def alignments(pred: list[Template], ref: list[Template]) -> Iterator[list[tuple[Template, Template]]]:
    if len(pred) > len(ref):
        return ([(p, r) for r, p in pairs] for pairs in alignments(ref, pred))
    return (list(zip(pred, some, strict=True)) for some in permutations(ref, len(pred)))


def single(
    pred: list[Template], ref: list[Template], worth: Callable[[Template, Template], Fraction]
) -> list[Template]:
    """Each reference as the one of its types that has most in common with all predictions."""
    found = []
    for kind, several in ref:
        labels = [(label, several) for label in kind.split(" / ")]
        found.append(max(labels, key=lambda one: sum((worth(p, one) for p in pred), Fraction(0))))
    return found


def unique(ref: list[Template]) -> list[Template]:
    return [one for place, one in enumerate(ref) if one not in ref[:place]]


def plain(document: list[Template]) -> dict[str, list[dict[str, object]]]:
    return {
        "templates": [
            {"type": kind, "fillers": [(role, [*names]) for role, names in several]} for kind, several in document
        ]
    }


@given(pred=templates, ref=unsure)
@settings(max_examples=80)
def test_iterx_subset_by_its_procedure(pred: list[Template], ref: list[Template]) -> None:
    counts = Tally(role_mentions.suite("iterx")).add(plain(pred), plain(ref)).report()["subset"].counts
    kept = single(pred, unique(ref), lambda p, r: Fraction(hits(p, r)[0]))
    sums = [
        [sum(side) for side in zip(*(hits(p, r) for p, r in pairs), strict=True)] or [0, 0]
        for pairs in alignments(pred, kept)
    ]
    best = max(matched for matched, _ in sums)
    assert counts.matched == best
    assert counts.found in {recalled for matched, recalled in sums if matched == best}
    assert counts.predicted == sum(len(several) for _, several in pred)
    assert counts.reference == sum(len(several) for _, several in unique(ref))


@given(pred=templates, ref=unsure)
@settings(max_examples=80)
def test_iterx_phi3_by_its_procedure(pred: list[Template], ref: list[Template]) -> None:
    counts = Tally(role_mentions.suite("iterx")).add(plain(pred), plain(ref)).report()["phi3"].counts
    kept = single(pred, unique(ref), shared)
    assert counts.matched == two_sided(shared, pred, kept)
    assert counts.predicted == sum(len(names) for _, several in pred for _, names in several)
    copies = [(kind.count("/") + 1 if pred else 1, several) for kind, several in unique(ref)]
    assert counts.reference == sum(times * len(names) for times, several in copies for _, names in several)
