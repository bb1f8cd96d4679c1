"""Objects that cannot be compared: one error that says where, what was found and what to do."""

import gc
from typing import Any
from weakref import ref as watch

import numpy as np
import pytest

import matchwise as mw
from matchwise import align, evaluate, facts, plan, score
from matchwise.algebra.build import again, best, custom, eq, f1, normalize, overlap, recursive, subset, union
from matchwise.algebra.nodes import Similarity
from matchwise.engine.many.frame import run
from matchwise.engine.plan import Program
from matchwise.errors import DataError, ExpressionError
from matchwise.similarities.vocabulary import close, edit, iou
from matchwise.tasks import amr


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


def test_a_class_a_module_and_a_mapping_are_no_metrics_and_the_error_says_what_to_write() -> None:
    class Invoice: ...

    for given, said in (
        (Invoice, "the class Invoice. For a type: documents.form(Invoice), from matchwise.tasks import documents."),
        (amr, "the module matchwise.tasks.amr. For a task: evaluate(amr.suite(), preds, refs)."),
        ({"a": eq()}, "{'a': eq()}. For several metrics: Suite(**metrics)."),
    ):
        with pytest.raises(ExpressionError) as found:
            evaluate(given, [1], [1])  # type: ignore[call-overload]
        assert str(found.value) == f'expected a metric such as f1("relations"), or a suite, not {said}'


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


def odd(base: type, **methods: Any) -> type:
    """A class whose methods raise, or answer with what is not true."""
    return type(f"Odd{base.__name__.title()}", (base,), methods)


def __len__(self: Any) -> int:
    raise RuntimeError("out of paper")


def __iter__(self: Any) -> Any:
    raise RuntimeError("out of paper")


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("out of paper")


def raise_wordless(self: Any) -> Any:
    raise Wordless


class Name:
    """A class with a common mistake: it is only comparable with its own kind."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: Any) -> bool:
        return bool(self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)


class Page:
    @property
    def xs(self) -> list[int]:
        raise RuntimeError("out of paper")


PLAIN: dict[Similarity, Any] = {
    eq("xs"): {"xs": "a"},
    f1("xs", order="tree"): {"xs": {"a": []}},
    f1("xs", order="graph"): {"xs": {"a": []}},
    f1("xs", iou()): {"xs": [[0, 2]]},
}
"""What the other side holds, if it is not a list of two letters."""


WAYS: dict[str, Any] = {
    "score": score,
    "align": lambda phi, pred, ref: align(phi, pred, ref).to_dict(),
    "evaluate": lambda phi, pred, ref: mw.evaluate(
        mw.Suite(m=phi), [PLAIN.get(phi, TWO), pred], [PLAIN.get(phi, TWO), ref]
    ),
    "add": lambda phi, pred, ref: mw.Tally(mw.Suite(m=phi)).add(pred, ref, id="b"),
    "bounds": lambda phi, pred, ref: plan(phi).bounds(pred, ref),
}

UNREADABLE: list[tuple[Similarity, Any, str]] = [
    (f1("xs"), {"xs": np.array(5)}, "xs: found a ndarray whose elements cannot be read: TypeError"),
    (f1("xs"), {"xs": odd(list, __iter__=__iter__)([1])}, "xs: found a OddList .* RuntimeError: out of paper; convert"),
    (f1("xs"), {"xs": odd(list, __len__=__len__)([1])}, "xs: found a OddList .* RuntimeError: out of paper; convert"),
    (f1("xs"), {"xs": odd(list, __len__=lambda self: -1)([1])}, "xs: found a OddList .* cannot be read: ValueError"),
    (f1("xs"), {"xs": odd(dict, items=__iter__)(a=1)}, "xs: found a OddDict .* cannot be read: RuntimeError"),
    (f1("xs"), {"xs": [Name("a")]}, r"xs\[0\]: found a Name whose __eq__ raises AttributeError: .*; convert it when"),
    (eq("xs"), {"xs": Name("a")}, "xs: found a Name whose __eq__ raises AttributeError: .*; convert it when reading"),
    (f1("xs"), Page(), "found a Page whose xs raises RuntimeError: out of paper; convert it when reading"),
    (f1("xs", order="tree"), {"xs": odd(list, __iter__=lambda self: 3)("a")},
     "xs: found a OddList that cannot be read: TypeError: iter.. returned non-iterator of type 'int'; convert it"),
    (f1("xs", order="graph"), {"xs": odd(dict, items=lambda self: [1])(a=["b"])},
     "xs: found a OddDict that cannot be read: TypeError: cannot unpack non-iterable int object; convert it when"),
    (f1("xs", iou()), {"xs": [odd(list, __len__=lambda self: "x")([1, 2])]},
     r"xs\[0\]: found a OddList .*TypeError: 'str' object cannot be interpreted as an integer; convert it when"),
    (f1("xs"), {"xs": odd(list, __iter__=raise_wordless)([1])}, "xs: found a OddList .*: Wordless; convert it"),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("phi", "odd_one", "message"), UNREADABLE, ids=[f"{row[0]!r} {row[2]}" for row in UNREADABLE])
def test_methods_that_raise_are_named_with_the_place_of_their_object(
    way: Any, phi: Similarity, odd_one: Any, message: str
) -> None:
    plain = PLAIN.get(phi, {"xs": ["a", "b"]})
    with pytest.raises(DataError, match=f"prediction: {message}"):
        way(phi, odd_one, plain)
    with pytest.raises(DataError, match=f"reference: {message}"):
        way(phi, plain, odd_one)


def test_the_innermost_object_that_cannot_be_written_is_named() -> None:
    rows = [{"a": "a", "b": [odd(object, __repr__=lambda self: None)()]}] * 2
    with pytest.raises(
        DataError, match=r"^prediction: xs\[0\].b\[0\]: found a OddObject that cannot be read: TypeError"
    ):
        score(f1("xs", edit("a"), match="N:1"), {"xs": rows}, {"xs": [{"a": "a"}, {"a": "b"}]})


def test_what_cannot_be_read_is_found_in_an_object_that_contains_itself() -> None:
    row: dict[str, Any] = {"a": "a", "b": [odd(object, __repr__=lambda self: None)()]}
    row["up"] = row
    with pytest.raises(DataError, match=r"^prediction: xs\[0\].b\[0\]: found a OddObject that cannot be read"):
        score(f1("xs", edit("a"), match="N:1"), {"xs": [row, row]}, {"xs": [{"a": "a"}, {"a": "b"}]})


@pytest.mark.parametrize("length", [0, 9])
def test_a_list_that_lies_about_its_length_has_the_elements_that_it_gives(length: int) -> None:
    liar = {"xs": odd(list, __len__=lambda self: length)([1, 2])}
    assert score(f1("xs"), liar, {"xs": [1, 3]}) == 0.5
    assert mw.evaluate(mw.Suite(m=f1("xs")), [liar, liar], [TWO, TWO])["m"].f1 == 1


def test_an_error_of_our_own_is_not_blamed_on_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(value: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("matchwise.engine.one.parts.absent", broken)
    with pytest.raises(ZeroDivisionError):
        score(normalize(eq("a") + eq("b"), "f1"), {"a": 1}, {"a": 1})


def test_the_places_of_a_set_do_not_depend_on_hashes() -> None:
    words = ["plum", "fig", "pear", "apple", "kiwi"]
    missed = align(overlap("xs"), {"xs": []}, {"xs": set(words)}).missed
    assert [(one.path, one.value) for one in missed] == [(f"xs[{k}]", word) for k, word in enumerate(sorted(words))]
    with pytest.raises(DataError, match=r"reference: xs\[0\]: expected a string, found int 1"):
        mw.evaluate(mw.Suite(m=f1("xs", edit())), [{"xs": ["a"]}] * 2, [{"xs": frozenset({3, 2, 1})}] * 2)


def test_nothing_is_no_collection_where_one_value_is_one() -> None:
    phi = f1("xs", best("names"))
    ref = {"xs": [{"names": ["a"]}]}
    for names, found in (("a", 1.0), ([], 0.0)):
        assert score(phi, {"xs": [{"names": names}]}, ref) == found
        assert mw.evaluate(phi, [{"xs": [{"names": names}]}], [ref])["score"].f1 == found
    for run_it in (score, lambda phi, pred, ref: mw.evaluate(phi, [pred], [ref])):
        with pytest.raises(DataError, match=r"xs\[0\].names: found None, expected a collection"):
            run_it(phi, {"xs": [{"names": None}]}, ref)
