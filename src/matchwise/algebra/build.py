"""The user's vocabulary: small functions that build the tree.

The first positional argument is the *selector* (a dotted path or a named function; left out, the object itself), the
second the inner similarity (left out, `eq()`); options are keyword-only.

>>> f1("relations", eq("type") * eq("subj") * eq("obj"))
f1("relations", eq("type") * eq("subj") * eq("obj"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, get_args

from matchwise.algebra import nodes
from matchwise.algebra.nodes import Kind, Match, Number, Order, Similarity, _number, require_name
from matchwise.algebra.nodes import Selectable as Selectable
from matchwise.algebra.nodes import selector as selector
from matchwise.errors import DeriveError, ExpressionError, check_choice, suggestion

__all__ = [
    "Selectable", "again", "best", "custom", "eq", "error_rate", "f1", "fbeta", "harmonic", "jaccard", "latent",
    "mean", "normalize", "overlap", "precision", "recall", "recursive", "selector", "subset", "substitute", "union",
    "var", "vocabulary", "word",
]  # fmt: skip

Builder = TypeVar("Builder", bound=Callable[..., Similarity])

vocabulary: dict[str, Callable[..., Similarity]] = {}
"""The words that `parse` knows: name -> builder."""


def word(builder: Builder) -> Builder:
    """Put a builder into the vocabulary of `parse`."""
    vocabulary[builder.__name__] = builder
    vars(builder)["__get_pydantic_core_schema__"] = _refuse_as_type
    return builder


def _refuse_as_type(source: Any, handler: Callable[[Any], Any]) -> Any:
    """Pydantic calls this for a word that stands as a type; in `Annotated`, `derive` says what is wrong with it."""
    if advice := name_clash(source):
        raise DeriveError(advice)
    return handler(source)


def name_clash(annotation: object) -> str:
    """What to write for an annotation that is a word and should be a type; empty for any other."""
    name = next((name for name, builder in vocabulary.items() if annotation is builder), None)
    if name is None:
        return ""
    return (
        f"found matchwise's function {name}() where a type should be; if it hides another {name}, "
        f"write import matchwise as mw, and mw.{name}(…) for the similarity"
    )


@word
def eq(sel: Selectable = None) -> Similarity:
    """1 if the selected values are equal, else 0: the δ of the paper.

    >>> import matchwise as mw
    >>> mw.score(mw.eq(), "1", 1)
    0.0
    """
    return nodes.Eq(selector(sel))


@word
def overlap(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    match: Match = "1:1",
    order: Order = "bag",
    align_by: Similarity | None = None,
) -> Similarity:
    """Σ^◇[φ]: the best total of `inner` over the matchings of two collections that `match` and `order` allow.

    `match` is written predicted:reference. `"N:1"` lets several predictions share one reference. `align_by` chooses the
    matching by another similarity and adds up `inner` over it.

    >>> import matchwise as mw
    >>> mw.score(mw.overlap("xs", mw.edit()), {"xs": ["cats"]}, {"xs": ["cat", "dog"]})
    0.75
    """
    phi = nodes.Eq() if inner is None else _similarity(inner, "inner")
    check_choice("match", match, get_args(Match))
    check_choice("order", order, get_args(Order))
    return nodes.Overlap(
        selector(sel), phi, match, order, None if align_by is None else _similarity(align_by, "align_by")
    )


ZERO_BY_ZERO = "score 0/0 by", "empty=0"
"""What `empty` does, and how it is written."""


@word
def normalize(phi: Similarity, kind: Kind, *, beta: Number = 1, empty: Number = 1) -> Similarity:
    """Precision, recall, F1, F_β, Jaccard, edit similarity or error rate of a sum; `empty` is the value of 0/0.

    With the distance d = φ(x, x) + φ(y, y) − 2 φ(x, y), `"edit"` is max{0, 1 − d / max(φ(x, x), φ(y, y))}, averaged
    over documents, and `"error_rate"` is d / φ(y, y), or d where φ(y, y) = 0.

    >>> import matchwise as mw
    >>> book = mw.normalize(mw.eq("name") + 2 * mw.eq("year"), "f1")
    >>> mw.score(book, {"name": "A", "year": 1}, {"name": "A", "year": 2})
    0.3333333333333333
    """
    _similarity(phi, "phi")
    check_choice("kind", kind, get_args(Kind))
    if kind == "fbeta" and beta == float("inf"):
        kind, beta = "recall", 1
    _number(beta, "weigh recall by", "fbeta(sel, phi, beta=2)")
    if kind != "fbeta" and beta != 1:
        raise ExpressionError(f'beta={beta!r} goes with "fbeta"; write normalize(phi, "fbeta", beta={beta!r})')
    if kind == "fbeta" and beta == 1:
        kind = "f1"
    if kind == "error_rate" and empty != 1:
        raise ExpressionError(f"empty={empty!r} does not go with an error rate, whose 0/0 is 0; leave it out")
    return nodes.Normalized(kind, phi, beta, _number(empty, *ZERO_BY_ZERO))


@word
def precision(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    match: Match = "1:1",
    order: Order = "bag",
    align_by: Similarity | None = None,
    empty: Number = 1,
) -> Similarity:
    """P[Σ] = Σ(P, R) / Σ(P, P); takes the options of `overlap`.

    >>> import matchwise as mw
    >>> mw.score(mw.precision("xs"), {"xs": ["a", "b"]}, {"xs": ["a", "c", "d", "e"]})
    0.5
    """
    phi = overlap(sel, inner, match=match, order=order, align_by=align_by)
    return nodes.Normalized("precision", phi, empty=_number(empty, *ZERO_BY_ZERO))


@word
def recall(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    match: Match = "1:1",
    order: Order = "bag",
    align_by: Similarity | None = None,
    empty: Number = 1,
) -> Similarity:
    """R[Σ] = Σ(P, R) / Σ(R, R); takes the options of `overlap`.

    >>> import matchwise as mw
    >>> mw.score(mw.recall("xs"), {"xs": ["a", "b"]}, {"xs": ["a", "c", "d", "e"]})
    0.25
    """
    phi = overlap(sel, inner, match=match, order=order, align_by=align_by)
    return nodes.Normalized("recall", phi, empty=_number(empty, *ZERO_BY_ZERO))


@word
def f1(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    match: Match = "1:1",
    order: Order = "bag",
    align_by: Similarity | None = None,
    empty: Number = 1,
) -> Similarity:
    """F[Σ] = 2 Σ(P, R) / (Σ(P, P) + Σ(R, R)); takes the options of `overlap`.

    >>> import matchwise as mw
    >>> mw.score(mw.f1("xs", mw.eq("type") * mw.eq("who")), {"xs": [{"type": "born", "who": "Ada"}]}, {"xs": []})
    0.0
    """
    phi = overlap(sel, inner, match=match, order=order, align_by=align_by)
    return nodes.Normalized("f1", phi, empty=_number(empty, *ZERO_BY_ZERO))


@word
def fbeta(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    beta: Number,
    match: Match = "1:1",
    order: Order = "bag",
    align_by: Similarity | None = None,
    empty: Number = 1,
) -> Similarity:
    """F_β[Σ] = (1 + β²) Σ(P, R) / (Σ(P, P) + β² Σ(R, R)), for β = ∞ recall; takes the options of `overlap`.

    >>> import matchwise as mw
    >>> mw.score(mw.fbeta("xs", beta=2), {"xs": ["a", "b"]}, {"xs": ["a"]})
    0.8333333333333334
    """
    return normalize(overlap(sel, inner, match=match, order=order, align_by=align_by), "fbeta", beta=beta, empty=empty)


@word
def jaccard(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    match: Match = "1:1",
    order: Order = "bag",
    align_by: Similarity | None = None,
    empty: Number = 1,
) -> Similarity:
    """J[Σ] = Σ(P, R) / (Σ(P, P) + Σ(R, R) − Σ(P, R)); takes the options of `overlap`.

    >>> import matchwise as mw
    >>> mw.score(mw.jaccard("xs"), {"xs": ["a", "b"]}, {"xs": ["b", "c"]})
    0.3333333333333333
    """
    phi = overlap(sel, inner, match=match, order=order, align_by=align_by)
    return nodes.Normalized("jaccard", phi, empty=_number(empty, *ZERO_BY_ZERO))


@word
def substitute(phi: Similarity | None = None, *, cost: Number = 1) -> Similarity:
    """1 − cost/2 · (1 − φ): half credit for an aligned pair that differs, if a change costs as much as an insertion.

    An insertion or a deletion costs 1, a change cost · (1 − φ); left out, φ is `eq()`. A change that costs 2 is a
    deletion and an insertion, and φ is as it is.

    >>> import matchwise as mw
    >>> mw.score(mw.overlap(None, mw.substitute(), order="sequence"), ["a", "cat"], ["a", "hat"])
    1.5
    """
    inner = nodes.Eq() if phi is None else _similarity(phi, "phi")
    _number(cost, "change an element at the cost", "substitute(phi, cost=1)")
    if cost > 2:
        raise ExpressionError(
            f"cost={cost!r}: a deletion and an insertion cost 2, so that nothing would be changed; write cost=2"
        )
    return inner if cost == 2 else nodes.Substitution(inner, cost)


@word
def error_rate(
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    order: Order = "bag",
    align_by: Similarity | None = None,
) -> Similarity:
    """The edits that turn the prediction into the reference, per reference element: WER is (S + D + I) / N.

    It is (Σ(P, P) + Σ(R, R) − 2 Σ(P, R)) / Σ(R, R), 0 at best, and may be above 1; `inner`, if left out, is
    `substitute()`: a substitution costs 1. The other options are those of `overlap`.

    >>> import matchwise as mw
    >>> wer = mw.error_rate("words", order="sequence")
    >>> mw.score(wer, {"words": ["a", "hat"]}, {"words": ["a", "cat", "sat", "up"]})
    0.75
    """
    phi = overlap(sel, substitute() if inner is None else inner, order=order, align_by=align_by)
    return nodes.Normalized("error_rate", phi)


@word
def harmonic(precision: Similarity, recall: Similarity) -> Similarity:
    """2pr / (p + r): F from two expressions, as B³ and LEA need it.

    >>> import matchwise as mw
    >>> phi = mw.harmonic(mw.precision("xs", match="N:1"), mw.recall("xs", match="1:N"))
    >>> mw.score(phi, {"xs": ["a", "a"]}, {"xs": ["a", "b"]})
    0.6666666666666666
    """
    return nodes.Harmonic(_similarity(precision, "precision"), _similarity(recall, "recall"))


@word
def mean(*parts: Similarity) -> Similarity:
    """The weighted mean of normalised parts: `mean(a, 2 * b)`.

    >>> import matchwise as mw
    >>> mw.score(mw.mean(mw.eq("id"), 2 * mw.edit("name")), {"id": 1, "name": "Anna"}, {"id": 2, "name": "Anne"})
    0.5
    """
    terms: list[tuple[Number, Similarity]] = []
    for part in parts:  # `2 * phi` is a part of weight 2; a sum of several parts is one part of weight 1
        _similarity(part, "a part of mean(...)")
        terms += part.terms if isinstance(part, nodes.Sum) and len(part.terms) == 1 else ((1, part),)
    if not terms:
        raise ExpressionError('mean() needs at least one part; write mean(eq("name"), 2 * eq("type"))')
    if not any(weight for weight, _ in terms):
        raise ExpressionError("the weights of mean(...) are all 0; give at least one part a weight above 0")
    return nodes.Mean(tuple(terms))


@word
def union(sel: Selectable, cases: Mapping[type | str, Similarity]) -> Similarity:
    """Choose the similarity φ_T by the type of the value: `union("value", {str: edit(), Entity: f1("mentions")})`.

    A case is a class or the name of one; the most specific case wins, and values of different cases score 0.

    >>> import matchwise as mw
    >>> phi = mw.union("value", {str: mw.edit(), int: mw.eq()})
    >>> mw.score(phi, {"value": "cats"}, {"value": "cat"}), mw.score(phi, {"value": 1}, {"value": "1"})
    (0.75, 0.0)
    """
    if not isinstance(cases, Mapping) or not cases:
        raise ExpressionError(f'the cases of union are {cases!r}; write union("value", {{str: eq(), Entity: phi}})')
    for case in cases:
        if not isinstance(case, type | str):
            raise ExpressionError(f"a case of union is {case!r}; write a class or the name of one")
    named = [(case, _similarity(inner, "a case of union")) for case, inner in cases.items()]
    return nodes.Union(selector(sel), tuple(sorted(named, key=lambda item: _case_name(item[0]))))


def _case_name(case: type | str) -> str:
    return case if isinstance(case, str) else f"{case.__name__} {case.__module__}"


@word
def best(sel: Selectable = None, inner: Similarity | None = None) -> Similarity:
    """The score of the best pair of two collections; a single value counts as a collection of one.

    >>> import matchwise as mw
    >>> mw.score(mw.best("names", mw.edit()), {"names": "Ada L."}, {"names": ["Lovelace", "Ada"]})
    0.5
    """
    return nodes.Best(selector(sel), nodes.Eq() if inner is None else _similarity(inner, "inner"))


@word
def subset(sel: Selectable = None) -> Similarity:
    """φ_⊆: 1 if the predicted collection is not empty and lies within the reference.

    >>> import matchwise as mw
    >>> mw.score(mw.subset("xs"), {"xs": ["a"]}, {"xs": ["a", "b"]})
    1.0
    """
    return nodes.Subset(selector(sel))


@word
def latent(phi: Similarity) -> Similarity:
    """The best value of φ over all 1:1 matchings of the variables inside it.

    >>> import matchwise as mw
    >>> phi = mw.latent(mw.f1("edges", mw.eq("role") * mw.var("from") * mw.var("to")))
    >>> pred, ref = [{"role": "in", "from": "x", "to": "y"}], [{"role": "in", "from": 1, "to": 2}]
    >>> mw.score(phi, {"edges": pred}, {"edges": ref})
    1.0
    """
    if isinstance(phi, nodes.Normalized) and phi.kind == "error_rate":
        raise ExpressionError(
            "latent(…) finds the largest value, and an error rate is best where it is small; "
            f'write normalize(latent({phi.inner!r}), "error_rate")'
        )
    return nodes.Latent(_similarity(phi, "phi"))


@word
def var(sel: Selectable = None, *, space: str = "") -> Similarity:
    """1 if the enclosing `latent` matches the two variables.

    >>> import matchwise as mw
    >>> mw.score(mw.latent(mw.f1("names", mw.var())), {"names": ["x", "y"]}, {"names": ["a", "b", "c"]})
    0.8
    """
    if not isinstance(space, str):
        raise ExpressionError(f'space={space!r} is not a name; write var("id", space="events")')
    return nodes.Variable(selector(sel), space)


@word
def recursive(name: str, phi: Similarity, sel: Selectable = None) -> Similarity:
    """A similarity that contains itself: `recursive("Tree", eq("label") + overlap("children", again("Tree")))`.

    The selector says which part of the object φ is of; `again` starts from φ, not from the selector.

    >>> import matchwise as mw
    >>> tree = mw.recursive("Tree", mw.eq("label") + mw.overlap("children", mw.again("Tree")))
    >>> leaf = {"label": "x", "children": []}
    >>> mw.score(mw.normalize(tree, "f1"), {"label": "s", "children": [leaf]}, {"label": "s", "children": [leaf, leaf]})
    0.8
    """
    return nodes.Recursive(_name(name, 'recursive("Tree", phi)'), _similarity(phi, "phi"), selector(sel))


@word
def again(name: str, sel: Selectable = None) -> Similarity:
    """The enclosing `recursive(name, …)`, applied to the selected part.

    >>> import matchwise as mw
    >>> mw.recursive("Tree", mw.eq("label") + mw.overlap("children", mw.again("Tree")))
    recursive("Tree", eq("label") + overlap("children", again("Tree")))
    """
    return nodes.Again(_name(name, 'again("Tree")'), selector(sel))


def _name(name: object, example: str) -> str:
    if not isinstance(name, str) or not name:
        raise ExpressionError(f"the name of {example.partition('(')[0]} is {name!r}; write {example}")
    return name


DECLARABLE = ("symmetric", "unit", "left", "right", "kernel", "triangle")


@word
def custom(
    function: Callable[..., Any],
    sel: Selectable = None,
    *,
    batch: bool = False,
    unnormalized: bool = False,
    facts: tuple[str, ...] = (),
) -> Similarity:
    """Your own function `function(pred, ref) -> number` from 0 to 1 (above 1 if `unnormalized`).

    With `batch=True` it takes two lists of distinct values and returns the table of their similarities, row by row. The
    `facts` it is known to have (`"symmetric"`, `"unit"`: φ(x, x) = 1, `"left"`: φ(x, y) ≤ φ(x, x),
    `"right"`: φ(x, y) ≤ φ(y, y), `"kernel"`, `"triangle"`) are believed by the planner and checked by `check_laws`.

    As a part of a sum or an overlap it is also given (x, x) of either side, because that is what F1 divides by, unless
    it is declared `"unit"`. Anywhere else it is given a prediction and a reference only.

    >>> import matchwise as mw
    >>> def same_length(pred: str, ref: str) -> bool:
    ...     return len(pred) == len(ref)
    >>> mw.score(mw.f1("words", mw.custom(same_length)), {"words": ["one", "four"]}, {"words": ["two"]})
    0.6666666666666666
    """
    declared = _check_declared("custom", facts, unnormalized)
    return nodes.Custom(require_name(function, "custom"), selector(sel), _truth("batch", batch), declared)


@word
def contingency(
    function: Callable[..., Any],
    sel: Selectable = None,
    inner: Similarity | None = None,
    *,
    unnormalized: bool = False,
    facts: tuple[str, ...] = (),
) -> Similarity:
    """Your own function of the table of two collections: `function(rows, columns, weights) -> number`.

    The table is what two clusterings are compared by, for example (the Rand index, entropies): its cells are the pairs
    of elements that have something in common, row by row, as three lists: which predicted element, which reference
    element (both counted from 0), and their similarity, which is above 0. In which order the elements come must not
    matter to the function. `unnormalized` and `facts` are as in `custom`.

    >>> import matchwise as mw
    >>> def touching(rows, columns, weights):
    ...     return len(rows)
    >>> phi = mw.contingency(touching, "clusters", mw.overlap(), unnormalized=True)
    >>> mw.score(phi, {"clusters": [["a", "b"], ["c"]]}, {"clusters": [["a"], ["b", "c"]]})
    3.0
    """
    of_elements = nodes.Eq() if inner is None else _similarity(inner, "inner")
    declared = _check_declared("contingency", facts, unnormalized)
    return nodes.Contingency(require_name(function, "contingency"), selector(sel), of_elements, declared)


def _check_declared(word: str, facts: object, unnormalized: bool) -> tuple[str, ...]:
    if isinstance(facts, str) or not isinstance(facts, Iterable):
        raise ExpressionError(f'facts={facts!r} is not a tuple of facts; write facts=("symmetric",)')
    named = tuple(facts)
    for fact in named:
        if fact not in DECLARABLE:
            raise ExpressionError(f"unknown fact {fact!r} of {word}{suggestion(str(fact), DECLARABLE)}")
    return tuple(sorted({*named, *(() if _truth("unnormalized", unnormalized) else ("bounded",))}))


def _truth(option: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError(f"{option}={value!r} must be True or False; write {option}=True")
    return value


def _similarity(value: object, where: str) -> Similarity:
    if isinstance(value, Similarity):
        return value
    hint = f'; write eq("{value}")' if isinstance(value, str) else ""
    raise ExpressionError(f"{where} must be a similarity, not {value!r}{hint}")
