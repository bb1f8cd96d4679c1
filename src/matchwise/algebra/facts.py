"""What is known of a similarity before it is run: bounded? symmetric? a key? a kernel? Inferred node by node."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.proofs import NAMES, NOUNS, every, given, keep, known, no, yes
from matchwise.algebra.proofs import Fact as Fact
from matchwise.algebra.proofs import Facts as Facts
from matchwise.algebra.steps import Step, Stepped
from matchwise.algebra.walk import check_metric, children, mirror

Scope: TypeAlias = tuple[tuple[str, Facts], ...]
"""What is assumed of the enclosing `recursive` similarities, innermost first."""


def facts(phi: Similarity) -> Facts:
    """Infer what holds of φ for all objects, with a reason for each answer; lemmas are in the paper's appendix B.

    >>> import matchwise as mw
    >>> print(mw.facts(mw.f1("xs")))
    bounded     yes  φ(x, y) ≤ φ(x, x) and φ(y, y) of what is normalised
    symmetric   yes  what is normalised is
    discrete    no   F has values in between
    unit        yes  φ(x, x) / φ(x, x) = 1, and 0/0 is 1
    left        yes  at most its value at (x, x)
    right       yes  at most its value at (y, y)
    strong      no   F has values in between
    kernel      yes  F of a kernel (Lemma 7); 0/0 is a block of its own
    triangle    no   F violates it: F({a}, {a, b}) = F({a, b}, {b}) = 2/3, but F({a}, {b}) = 0 and 1 > 1/3 + 1/3
    self_score  yes  φ(x, y) ≤ φ(x, x) and φ(y, y): a collection is best matched to itself part by part
    """
    return infer(check_metric(phi, "facts()"), ())


@lru_cache(maxsize=4096)
def infer(phi: Similarity, scope: Scope) -> Facts:
    """The facts of φ where it stands, given the facts of the recursive similarities around it."""
    match phi:
        case nodes.Eq():
            return known(discrete=yes("equality of the selected values"))
        case nodes.Leaf():
            return _leaf(phi)
        case nodes.Custom(function, declared=declared) | nodes.Contingency(function, declared=declared):
            return _declared_facts(function.__name__, declared)
        case nodes.Product(factors):
            return _product([infer(factor, scope) for factor in factors])
        case nodes.Sum(terms):
            return _sum(phi, [infer(part, scope) for _, part in terms])
        case nodes.Mean(terms):
            return _mean([infer(part, scope) for _, part in terms])
        case nodes.Overlap(inner=inner, align_by=by):
            return _overlap(phi, infer(inner, scope), None if by is None else infer(by, scope))
        case nodes.Normalized(inner=inner):
            return _normalized_facts(phi, infer(inner, scope), lambda part: infer(part, scope))
        case nodes.Harmonic(precision, recall):
            return _harmonic(phi, [infer(precision, scope), infer(recall, scope)])
        case nodes.Above(inner=inner):
            return _above(phi, infer(inner, scope), lambda part: infer(part, scope))
        case nodes.Minus(inner, amount):
            return infer(inner, scope) if amount == 0 else _minus(infer(inner, scope))
        case nodes.Substitution(inner):
            return _substitution(infer(inner, scope))
        case nodes.Union(cases=cases):
            return _union([infer(inner, scope) for _, inner in cases])
        case nodes.Best(inner=inner):
            return _best(infer(inner, scope))
        case nodes.Subset():
            return _subset()
        case nodes.Variable():
            return known(discrete=yes("under a matching of variables, equality of what they are matched with"))
        case nodes.Latent(inner):
            return _latent(infer(inner, scope))
        case nodes.Recursive(name, inner):
            return _recursive(name, inner, scope)
        case Stepped(step, inner):
            return _step_facts(step, infer(inner, scope))
        case nodes.Again(name):
            alone = known(f"again({name!r}) has no recursive({name!r}, …) around it")
            return next((assumed for other, assumed in scope if other == name), alone)
        case _:
            raise AssertionError(f"facts: no rule for {type(phi).__name__}")


def _leaf(leaf: nodes.Leaf) -> Facts:
    name = leaf.kind.name
    if leaf.kind.discrete:
        return known(discrete=yes(f"{name} is equality of what it compares"))
    found = {fact: yes(f"{name}: {reason}") for fact, reason in leaf.kind.facts(dict(leaf.options)).items()}
    return known(f"{name}: not known to be {{name}}", **found)


def _declared_facts(name: str, declared: tuple[str, ...]) -> Facts:
    found = {fact: yes(f"{name}: declared; check_laws tests it") for fact in declared}
    if "bounded" in found:
        found["bounded"] = yes(f"{name}: not declared unnormalized, so that more than 1 is refused")
    return known(f"{name}: not declared", **found)


def _product(factors: list[Facts]) -> Facts:
    graded = [factor for factor in factors if not factor.discrete]
    strong = every("strong", factors, "one strong kernel, restricted to equal keys")
    two = no("min(a, b) · min(c, d) can be below min(a · c, b · d): only one factor may have partial credit")
    return known(
        bounded=every("bounded", factors, "every factor is at most 1"),
        discrete=every("discrete", factors, "all factors are equalities: their keys make one key"),
        unit=every("unit", factors, "1 · 1 = 1"),
        strong=two if strong and len(graded) > 1 else strong,
        kernel=every("kernel", factors, "a product of kernels (Lemma 2)"),
        triangle=given(
            [every("triangle", factors, ""), every("bounded", factors, "")],
            "for a, b in [0, 1]: 1 − ab is a metric when 1 − a and 1 − b are",
        ),
        **keep(factors, "every factor is", "symmetric", "left", "right"),
    )


def _sum(phi: nodes.Sum, parts: list[Facts]) -> Facts:
    found = keep(parts, "every part is", "symmetric", "left", "right")
    found["kernel"] = every("kernel", parts, "a sum of kernels, each restricted to the objects that have the part")
    found["unit"] = no("φ(x, x) is the total weight of the parts that x has")
    if len(parts) == 1 and phi.terms[0][0] <= 1:
        found["bounded"] = every("bounded", parts, "one part of weight at most 1")
        found["strong"] = every("strong", parts, "one part, which is")
        found["triangle"] = given([parts[0].triangle, parts[0].bounded], "one part of weight at most 1, which is")
    return known("weights and parts add up", **found)


def _mean(parts: list[Facts]) -> Facts:
    found = keep(parts, "every part is", "symmetric", "left", "right", "kernel", "triangle")
    found["bounded"] = every("bounded", parts, "a mean of values of at most 1")
    found["unit"] = every("unit", parts, "a mean of ones")
    if len(parts) == 1:
        return known(**found, discrete=parts[0].discrete, strong=parts[0].strong)
    return known("a mean of several parts has values in between", **found)


def _overlap(phi: nodes.Overlap, inner: Facts, by: Facts | None) -> Facts:
    one_pred = phi.match in ("1:1", "N:1") or phi.order == "index"  # by position, every part meets at most one other
    one_ref = phi.match in ("1:1", "1:N") or phi.order == "index"
    chosen = no("the alignment is chosen by another similarity: x need not be aligned to itself")
    several = no(f'with match="{phi.match}" a part may count several times: [a] scores more with [a, a] than with [a]')
    sides = given([inner.symmetric, *([by.symmetric] if by else [])], "so is the inner similarity, and the matching")
    return known(
        bounded=no("Σ grows with the number of parts"),
        symmetric=sides if one_pred == one_ref else no(f'match="{phi.match}" treats the sides differently'),
        discrete=no("Σ counts, it does not only tell equal from different"),
        unit=no("Σ(x, x) is the size of x"),
        left=chosen if by else given([inner.left], "each part scores most with itself") if one_pred else several,
        right=chosen if by else given([inner.right], "each part scores most with itself") if one_ref else several,
        strong=no("Σ is no strong kernel: {a, b} shares one part with {a} and with {b}, which share none"),
        kernel=chosen if by else _overlap_kernel(phi, inner),
        triangle=no("Σ is not bounded by 1"),
    )


def _overlap_kernel(phi: nodes.Overlap, inner: Facts) -> Fact:
    match phi.order, phi.match:
        case "index", _:
            return given([inner.kernel], "a sum over positions of kernels")
        case "bag", "N:N":
            return given([inner.kernel], "the vertex label kernel (Lemma 3)")
        case "bag", "1:1":
            # Lemmas 4 and 5 ask only for φ(x, x) ≥ φ(x, y), which is not enough: see Kriege et al. (2016).
            weak = "φ(x, y) ≥ min(φ(x, z), φ(z, y)) is needed, φ(x, x) ≥ φ(x, y) as in Lemma 4 is not enough"
            strong = "the optimal assignment kernel (Lemma 5, for a strong kernel as Kriege et al. 2016 define it)"
            return yes(strong) if inner.strong else no(weak)
        case order, match:
            return no(f'match="{match}", order="{order}": not known to be a kernel')


def _normalized_facts(phi: nodes.Normalized, inner: Facts, infer: Callable[[Similarity], Facts]) -> Facts:
    if phi.empty != 1:
        unit = no(f"0/0 is {phi.empty}")
    elif is_realigned(phi.inner):
        unit = no("align_by need not align x to itself")
    else:
        unit = yes("φ(x, x) / φ(x, x) = 1, and 0/0 is 1")
    small = [] if phi.empty <= 1 else [no(f"0/0 is {phi.empty}")]
    match phi.kind:
        case "precision" | "recall":
            near, far = ("left", "right") if phi.kind == "precision" else ("right", "left")
            own = getattr(inner, near)
            bounded = given([own, *small], f"{NOUNS[near]} of what is normalised")
            most = given([bounded, unit], "at most 1 = φ(x, x)")
            if phi.empty < 1 and not is_realigned(phi.inner):
                # Where φ(y, y) = 0 so is φ(x, y), and P is 0 or 0/0 at (x, y) and 0/0 at (y, y); elsewhere P(y, y) = 1.
                most = given([bounded, getattr(inner, far)], "at most 1 = φ(x, x), or 0/0 on both sides")
            found = {"bounded": bounded, near: own, far: most}
            return known(f"{phi.kind} treats the sides differently", unit=unit, **found)
        case "fbeta":
            bounded = given([inner.left, inner.right, *small], "φ(x, y) ≤ φ(x, x) and φ(y, y) of what is normalised")
            return known("F_β treats the sides differently", unit=unit, bounded=bounded, left=bounded, right=bounded)
        case "error_rate":
            return known(
                "an error rate is a distance: 0 is best, and it is per element of the reference",
                bounded=no("more may be inserted than there is: [a, b, c] against [a] is 2"),
                unit=no("d(x, x) = 0"),
            )
        case "edit":
            below = given([inner.left, inner.right], "φ(x, y) ≤ φ(x, x) and φ(y, y) of what is normalised")
            return known(
                "the edit similarity has values in between",
                bounded=given([below, *small], below.reason),
                symmetric=given([inner.symmetric], "what is normalised is"),
                unit=unit,
                left=given([below], "at most its value at (x, x)"),
                right=given([below], "at most its value at (y, y)"),
                kernel=no(
                    "of ab, ba, aba, bab (a change costs 1), with signs + + − −, all pairs add up to 4 + 2/3 − 16/3 < 0"
                ),
                triangle=no("1 − 1/3 for ab, aba and for aba, ba, but 0 for ab, ba (a change costs 1): 1 > 1/3 + 1/3"),
            )
        case "f1" | "jaccard":
            name, lemma = ("F", "Lemma 7") if phi.kind == "f1" else ("J", "Lemma 8")
            below = given([inner.left, inner.right], "φ(x, y) ≤ φ(x, x) and φ(y, y) of what is normalised")
            if inner.kernel and not below:
                below = yes("2 κ(x, y) ≤ κ(x, x) + κ(y, y) for the kernel κ that is normalised")
            return known(
                f"{name} has values in between",
                bounded=given([below, *small], below.reason),
                symmetric=given([inner.symmetric], "what is normalised is"),
                unit=unit,
                left=given([below], "at most its value at (x, x)"),
                right=given([below], "at most its value at (y, y)"),
                kernel=given([inner.kernel], f"{name} of a kernel ({lemma}); 0/0 is a block of its own"),
                triangle=_steinhaus(phi, infer) if name == "J" else no(_DICE),
            )


_DICE = "F violates it: F({a}, {a, b}) = F({a, b}, {b}) = 2/3, but F({a}, {b}) = 0 and 1 > 1/3 + 1/3"


def is_realigned(phi: Similarity) -> bool:
    """Whether φ(x, x) as a score can differ from the self-score that normalises it."""
    match phi:
        case nodes.Overlap(align_by=by):
            return by is not None
        case nodes.Again():
            return True  # what it comes back to is not known here
        case (
            nodes.Product()
            | nodes.Sum()
            | nodes.Mean()
            | nodes.Minus()
            | nodes.Substitution()
            | nodes.Above()
            | nodes.Union()
            | nodes.Recursive()
        ):
            return any(map(is_realigned, children(phi)))
    return False


def is_whole(phi: Similarity) -> bool:
    """True if every value of φ is known to be a whole number, so that sums of them are exact in any order."""
    match phi:
        case nodes.Sum(terms):
            return all(isinstance(weight, int) and is_whole(part) for weight, part in terms)
        case nodes.Product() | nodes.Overlap() | nodes.Union():
            return all(map(is_whole, children(phi)))
    return infer(phi, ()).discrete.holds


def _steinhaus(phi: nodes.Normalized, infer: Callable[[Similarity], Facts]) -> Fact:
    """1 − J is the Steinhaus transform of |P| + |R| − 2 Σ(P, R), the cost of editing P into R."""
    match phi.inner:
        case nodes.Overlap(align_by=None) as overlap if overlap.match == "1:1" or overlap.order == "index":
            inner = infer(overlap.inner)
            needed = [inner.triangle, inner.bounded, inner.symmetric, inner.unit]
            one = [] if phi.empty == 1 else [no(f"0/0 is {phi.empty}")]
            return given([*needed, *one], "the Steinhaus transform of the metric |P| + |R| − 2 Σ(P, R)")
    return no("known only of J of a 1:1 overlap")


def _harmonic(phi: nodes.Harmonic, sides: list[Facts]) -> Facts:
    unit = every("unit", sides, "both are 1")
    bounded = every("bounded", sides, "both are at most 1")
    most = given([bounded, unit], "at most 1 = φ(x, x)")
    if all(side.symmetric for side in sides):
        symmetric = yes("both are")
    elif mirror(phi.precision) == phi.recall:
        symmetric = yes("each is the other with the sides exchanged")
    else:
        symmetric = no("the second is not the first with the sides exchanged")
    found = {"bounded": bounded, "symmetric": symmetric, "unit": unit, "left": most, "right": most}
    return known("not known of a harmonic mean", **found)


def _above(phi: nodes.Above, inner: Facts, infer: Callable[[Similarity], Facts]) -> Facts:
    def passes(value: int) -> bool:
        return value > phi.threshold if phi.strict else value >= phi.threshold

    if inner.discrete and passes(1) and not passes(0):
        return known(discrete=inner.discrete)
    if not phi.strict and phi.threshold == 1 and _tells_bags_apart(phi.inner, infer):
        return known(discrete=yes("1 only for equal bags of equal keys"))
    return known(
        "a threshold need not be transitive",
        bounded=yes("it is 0 or 1"),
        symmetric=given([inner.symmetric], "what is compared is"),
        unit=given([inner.unit], "1 passes the threshold") if passes(1) else no("1 does not pass the threshold"),
        **keep([inner], "a threshold keeps the order", "left", "right", "strong"),
    )


def _tells_bags_apart(phi: Similarity, infer: Callable[[Similarity], Facts]) -> bool:
    """Whether φ is F or J of bags of keys, which is 1 exactly when the bags are equal."""
    match phi:
        case nodes.Normalized("f1" | "jaccard", nodes.Overlap(_, inner, "1:1", "bag", None), empty=1):
            return bool(infer(inner).discrete)
    return False


def _substitution(inner: Facts) -> Facts:
    """An increasing affine function of φ that keeps 1."""
    return known(
        "unequal elements keep some credit",
        unit=given([inner.unit], "1 − c/2 · (1 − 1) = 1"),
        kernel=given([inner.kernel], "a sum of a constant and of a multiple of the kernel"),
        **keep(
            [inner], "it grows with φ, and 1 stays 1", "bounded", "symmetric", "left", "right", "strong", "triangle"
        ),
    )


def _minus(inner: Facts) -> Facts:
    return known(
        "what is subtracted breaks it",
        bounded=given([inner.bounded], "no more than what it is subtracted from"),
        symmetric=given([inner.symmetric], "what it is subtracted from is"),
        **keep([inner], "max{0, φ − c} keeps the order", "left", "right", "strong"),
    )


def _union(cases: list[Facts]) -> Facts:
    found = keep(cases, "every case is, and different cases score 0", *NAMES)
    if not found["bounded"]:
        found["triangle"] = found["bounded"]
    return known(**found)


def _best(inner: Facts) -> Facts:
    found = keep([inner], "a maximum keeps it", "bounded", "symmetric", "left", "right")
    return known("a maximum does not keep it", unit=no("two empty collections score 0"), **found)


def _subset() -> Facts:
    return known(
        "⊆ is not symmetric",
        bounded=yes("it is 0 or 1"),
        unit=no("the empty set scores 0"),
        left=yes("P ⊆ P if it is not empty"),
        right=yes("R ⊆ R, and R is not empty if P is not"),
        triangle=yes("⊆ is transitive"),
    )


def _latent(inner: Facts) -> Facts:
    found = keep([inner], "it holds under every matching of variables", "bounded", "symmetric", "left", "right")
    found["unit"] = given([inner.unit, inner.bounded], "the identity is a matching of variables, and none scores more")
    return known("a maximum over matchings does not keep it", **found)


def _step_facts(step: Step, inner: Facts) -> Facts:
    if step.separate:
        return inner
    found = {"bounded": given([inner.bounded], f"so is what is compared after {step.name}")}
    if step.symmetric:
        found["symmetric"] = given([inner.symmetric], f"{step.name} treats both sides alike")
    return known(f"{step.name} sees both sides: not known to be {{name}}", **found)


def _recursive(name: str, inner: Similarity, scope: Scope) -> Facts:
    """By induction over the depth of the objects: what is assumed of `again` and proved of φ holds."""
    assumed = Facts(**{fact: yes("by induction over the depth") for fact in NAMES})
    while True:
        found = infer(inner, ((name, assumed), *scope))
        failed = {fact: getattr(found, fact) for fact in NAMES if getattr(assumed, fact) and not getattr(found, fact)}
        if not failed:
            return found
        assumed = Facts(**{fact: failed.get(fact, getattr(assumed, fact)) for fact in NAMES})
