"""Objects that cannot be compared: one error that says where, what was found and what to do."""

import gc
from typing import Any
from weakref import ref as watch

import pytest

from matchwise import align, facts, plan, score
from matchwise.algebra.build import again, custom, eq, f1, overlap, recursive, subset, union
from matchwise.algebra.nodes import Similarity
from matchwise.engine.many.frame import run
from matchwise.engine.plan import Program
from matchwise.errors import DataError, ExpressionError
from matchwise.similarities.vocabulary import close, edit


def one_and_a_half(x: Any, y: Any) -> float:
    return 1.5


def nan(x: Any, y: Any) -> float:
    return float("nan")


def negative(x: Any, y: Any) -> float:
    return -0.5


def word(x: Any, y: Any) -> Any:
    return "high"


def failing(x: Any, y: Any) -> float:
    raise RuntimeError("out of paper")


def short(xs: list[Any], ys: list[Any]) -> list[list[float]]:
    return [[1.0]]


def nans(xs: list[Any], ys: list[Any]) -> list[list[float]]:
    return [[float("nan") for _ in ys] for _ in xs]


TWO = {"xs": [1, 2]}

REFUSED: list[tuple[Similarity, Any, Any, str]] = [
    (f1("xs"), {"xs": None}, TWO,
     "prediction: xs: found None, expected a collection (list, tuple, set, mapping); "
     "write an empty list when reading, or give it a place in a sum of parts"),
    (f1("xs"), TWO, {"xs": "abc"}, "reference: xs: found str 'abc', expected a collection (list, tuple, set, mapping)"),
    (f1("xs"), TWO, {"ys": []}, "reference: found dict {'ys': []} without key 'xs'; there are ys"),
    (subset("xs"), {"xs": 5}, TWO, "prediction: xs: found int 5, expected a collection (list, tuple, set, mapping)"),
    (f1("xs"), {"xs": [1, float("nan")]}, TWO,
     "prediction: xs[1]: found NaN, which equals nothing, not even itself; leave it out or write None when reading"),
    (f1("xs"), TWO, {"xs": [[bytearray()]]},
     "reference: xs[0]: found an unhashable bytearray, which is not a record, list or mapping; "
     "give the class __hash__ and __eq__, or make it a dataclass"),
    (overlap("xs", custom(one_and_a_half)), TWO, TWO,
     "prediction: xs[0]: one_and_a_half returned 1.5, expected a number from 0 to 1; "
     "write custom(..., unnormalized=True) if it may be larger (compared with xs[0])"),
    (overlap("xs", custom(nan)), TWO, TWO,
     "prediction: xs[0]: nan returned nan, expected a finite number that is not negative (compared with xs[0])"),
    (overlap("xs", custom(negative)), TWO, TWO,
     "prediction: xs[0]: negative returned -0.5, expected a finite number that is not negative (compared with xs[0])"),
    (overlap("xs", custom(word)), TWO, TWO,
     "prediction: xs[0]: word returned 'high', expected a number (compared with xs[0])"),
    (overlap("xs", custom(failing)), TWO, TWO,
     "prediction: xs[0]: failing raised RuntimeError: out of paper (compared with xs[0])"),
    (overlap("xs", custom(short, batch=True)), TWO, TWO,
     "prediction: xs[0]: short returned (1, 1), expected (2, 2)"),
    (overlap("xs", custom(nans, batch=True)), TWO, TWO,
     "prediction: xs[0]: nans returned nan, expected a finite number that is not negative (compared with xs[0])"),
    (union("v", {int: eq(), str: edit()}), {"v": 1.5}, {"v": 1},
     "prediction: v: found a float, expected one of int, str; add a case for it to the union"),
    (union("v", {int: eq(), str: eq()}), {"v": 1}, {"v": None},
     "reference: v: found a NoneType, expected one of int, str; add a case for it to the union"),
]  # fmt: skip


@pytest.mark.parametrize(("phi", "pred", "ref", "message"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_the_error_says_where_what_was_found_and_what_to_do(phi: Similarity, pred: Any, ref: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        score(phi, pred, ref)
    assert str(caught.value) == message


@pytest.mark.parametrize(("phi", "pred", "ref", "message"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_an_alignment_is_refused_like_the_score(phi: Similarity, pred: Any, ref: Any, message: str) -> None:
    with pytest.raises(DataError):
        align(phi, pred, ref)


def test_a_number_where_text_is_expected_says_what_to_write() -> None:
    with pytest.raises(DataError, match=r"^prediction: xs\[1\]: expected a string, found int 5$"):
        score(overlap("xs", edit()), {"xs": ["a", 5]}, {"xs": ["a"]})


def test_text_where_a_number_is_expected_says_what_was_found() -> None:
    with pytest.raises(DataError, match=r"^reference: n: expected a finite number, found str 'abc'$"):
        score(close("n", abs=1), {"n": 1}, {"n": "abc"})


def cycle() -> dict[str, Any]:
    made: dict[str, Any] = {"a": 1}
    made["kids"] = [made]
    return made


@pytest.mark.parametrize("phi", [eq(), eq("kids"), f1("kids"), overlap("kids", eq("kids"))], ids=repr)
def test_an_object_that_contains_itself_is_refused(phi: Similarity) -> None:
    with pytest.raises(DataError, match="contains itself"):
        score(phi, cycle(), cycle())


def test_a_recursive_similarity_of_an_object_that_contains_itself_is_refused() -> None:
    phi = recursive("T", eq("a") + overlap("kids", again("T")))
    with pytest.raises(DataError, match="found an object that contains itself, or is nested too deeply to score"):
        score(phi, cycle(), cycle())


def test_a_cycle_that_is_not_compared_does_no_harm() -> None:
    assert score(eq("a"), cycle(), cycle()) == 1


def test_only_similarities_are_scored() -> None:
    with pytest.raises(ExpressionError) as found:
        score("ner", 1, 2)  # type: ignore[arg-type]
    assert str(found.value) == (
        "score() needs a metric such as f1(\"relations\"), not the string 'ner'. "
        "For a task: evaluate(ner.suite(), preds, refs)."
    )


@pytest.mark.parametrize("function", [align, facts, plan], ids=["align", "facts", "plan"])
def test_every_function_of_a_metric_says_what_it_needs(function: Any) -> None:
    given = [1, 2] if function is align else []
    with pytest.raises(
        ExpressionError, match=rf"^{function.__name__}\(\) needs a metric such as .*, not the string 'ner'"
    ):
        function("ner", *given)


@pytest.mark.parametrize("collecting", [True, False])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_garbage_collector_is_left_as_it_was_found(collecting: bool, wrong: bool) -> None:
    before = gc.isenabled()
    (gc.enable if collecting else gc.disable)()
    try:
        if wrong:
            with pytest.raises(DataError):
                score(f1("xs"), {"xs": None}, TWO)
        else:
            score(f1("xs"), TWO, TWO)
        assert gc.isenabled() == collecting
    finally:
        (gc.enable if before else gc.disable)()


def test_no_document_is_kept_alive_by_what_was_computed_of_it() -> None:
    class Document:
        def __init__(self) -> None:
            self.xs = [1, 2, 3]

    pred, truth = Document(), Document()
    watched = watch(pred), watch(truth)
    program = Program({"f1": f1("xs"), "near": overlap("xs", close(abs=1)), "bag": f1("xs", eq(), match="N:N")})
    collecting = gc.isenabled()
    gc.disable()  # reference counts alone must do
    try:
        run(program.count, [pred], [truth])
        del pred, truth
        assert [one() for one in watched] == [None, None]
    finally:
        if collecting:
            gc.enable()
