"""Everything about an expression is checked when it is built, and its text is read and written in linear time."""

import cProfile
import pstats
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import pytest

from matchwise import (
    again,
    custom,
    date,
    eq,
    f1,
    facts,
    fbeta,
    latex,
    mean,
    normalize,
    overlap,
    parse,
    recursive,
    signature,
    union,
    var,
    within,
)
from matchwise.algebra.nodes import DEEPEST, MOST, Similarity
from matchwise.cli import main
from matchwise.errors import DeriveError, ExpressionError
from matchwise.tasks.documents import form

WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "again of a class": (lambda: again(int), "the name of again is <class 'int'>; write again(\"Tree\")"),  # type: ignore[arg-type]
    "again of a number": (lambda: again(0.5), 'the name of again is 0.5; write again("Tree")'),  # type: ignore[arg-type]
    "again of a similarity": (lambda: again(f1()), 'the name of again is f1(); write again("Tree")'),  # type: ignore[arg-type]
    "again of nothing": (lambda: again(""), "the name of again is ''; write again(\"Tree\")"),
    "recursive of a number": (lambda: recursive(3, eq()), 'the name of recursive is 3; write recursive("Tree", phi)'),  # type: ignore[arg-type]
    "a space that is no name": (lambda: var(space=3), 'space=3 is not a name; write var("id", space="events")'),  # type: ignore[arg-type]
    "a large beta": (lambda: fbeta("x", beta=1e308), "cannot weigh recall by a number above 1e100"),
    "a large whole beta": (lambda: fbeta("x", beta=10**400), "cannot weigh recall by a number above 1e100"),
    "a large beta of normalize": (lambda: normalize(overlap(), "fbeta", beta=1e200), "cannot weigh recall by a number"),
    "a large weight": (lambda: 1e101 * eq(), "cannot multiply by a number above 1e100"),
    "a product of large weights": (lambda: 1e99 * (1e99 * eq()), "cannot multiply by a number above 1e100"),
    "weights that overflow": (lambda: 1e100 * (1e100 * (1e100 * (1e100 * eq()))), "cannot multiply by a number"),
    "a weight of many digits": (lambda: Fraction(1, 10**5000) * eq(), "or finer than a float"),
    "a large threshold": (lambda: eq() > 10**400, "cannot compare with a number above 1e100"),
    "a directive twice": (lambda: date(formats=("%d %d",)), "formats: no date can be read by '%d %d' (redefinition"),
    "an unknown directive": (lambda: date(formats="%Q"), "formats: no date can be read by '%Q' ("),
    "a stray percent": (lambda: date(formats="%Y %"), "formats: no date can be read by '%Y %' ("),
    "formats that are a number": (lambda: date(formats=3), "formats=3 names no way to write a date"),  # type: ignore[arg-type]
    "a position beyond all": (lambda: eq(10**30), "cannot select by 1000000000000000000000000000000"),
    "facts that are a text": (lambda: custom(max, facts="unit"), "facts='unit' is not a tuple of facts"),  # type: ignore[arg-type]
    "facts that are a number": (
        lambda: custom(max, facts=3),
        'facts=3 is not a tuple of facts; write facts=("symmetric",)',
    ),  # type: ignore[arg-type]
    "a batch that is no truth value": (lambda: custom(max, batch="no"), "batch='no' must be True or False"),  # type: ignore[arg-type]
    "a tolerance of many digits": (lambda: within(days=10**2000), "days is more than 1e1000"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_when_the_expression_is_built(name: str) -> None:
    build, message = WRONG[name]
    with pytest.raises(ExpressionError) as raised:
        build()
    assert message in str(raised.value)


def test_a_long_number_in_a_path_is_a_key() -> None:
    assert parse(repr(eq("9" * 5000))) == eq(("9" * 5000,))


def nest(levels: int) -> Similarity:
    return reduce(lambda phi, _: phi - 1, range(levels - 2), overlap())


def test_nesting_has_a_stated_limit() -> None:
    deepest = nest(DEEPEST)
    assert parse(repr(deepest)) == deepest
    assert hash(deepest) == hash(nest(DEEPEST))
    assert latex(deepest)
    assert facts(deepest)
    assert signature(deepest)
    with pytest.raises(ExpressionError, match=r"nested more than 100 levels deep; .* write recursive"):
        nest(DEEPEST + 1)


def test_nesting_by_brackets_reads_as_deep_as_it_writes() -> None:
    phi: Similarity = eq()
    for _ in range(DEEPEST // 2 - 1):
        phi = f1("xs", phi)
    assert parse(repr(phi)) == phi


@pytest.mark.parametrize("join", [lambda phi: mean(phi, phi), lambda phi: phi + phi, lambda phi: phi * phi])
def test_an_expression_that_doubles_again_and_again_is_stopped(join: Callable[[Similarity], Similarity]) -> None:
    phi = reduce(lambda phi, _: join(phi), range(14), eq("a"))
    assert len(repr(phi)) < 20 * MOST
    with pytest.raises(ExpressionError, match="more than 50,000 nodes"):
        reduce(lambda phi, _: join(phi), range(60), phi)


def several(part: str, n: int, sign: str = ", ") -> str:
    return sign.join(part.replace("#", f"{number:04}") for number in range(n))


LISTS: dict[str, Callable[[int], str]] = {
    "mean": lambda n: "mean(" + several('eq("a#")', n) + ")",
    "union": lambda n: "union(None, {" + several('"T#": eq()', n) + "})",
    "sum": lambda n: several('eq("a#")', n, " + "),
    "product": lambda n: several('edit("a#")', n, " * "),
    "options": lambda n: "mean(" + several('f1("a#", empty=0)', n) + ")",
    "ontology": lambda n: "ontology({" + several('"a#": "b#"', n) + "})",
}


def calls(function: Callable[..., object], *arguments: object) -> int:
    profile = cProfile.Profile()
    profile.runcall(function, *arguments)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]  # typeshed leaves it out


@pytest.mark.parametrize("name", LISTS)
def test_twice_as_many_parts_cost_twice_as_much(name: str) -> None:
    one, two = LISTS[name](800), LISTS[name](1600)
    parse(one)  # fills the caches
    assert calls(parse, two) <= 2.1 * calls(parse, one)
    first, second = parse(one), parse(two)
    for read in (repr, signature, latex):
        assert calls(read, second) <= 2.1 * calls(read, first)


def test_long_chains_are_built_in_no_time() -> None:
    parts = [eq(f"a{number}") for number in range(3000)]
    assert calls(reduce, add, parts) < 60 * len(parts)
    assert calls(reduce, mul, parts) < 60 * len(parts)


def test_two_thousand_operators_in_a_row_are_read_and_no_more_on_every_python() -> None:
    assert len(repr(parse("+".join(["eq()"] * 2001)))) > 2001
    with pytest.raises(ExpressionError, match="too long a chain of operators"):
        parse("+".join(["eq()"] * 2002))


DEEP = ["(" * 250 + "1" + ")" * 250, "[" * 250, "{" * 250, "-" * 9000 + "1"]


@pytest.mark.parametrize("text", [*DEEP, "+".join(["eq()"] * 9000)])
def test_a_text_that_is_too_deep_is_refused_in_words(text: str, capsys: Any) -> None:
    with pytest.raises(ExpressionError, match="nested too deeply, or too long a chain of operators"):
        parse(text)
    assert main(["plan", f"--metric={text}"]) == 2
    assert "nested too deeply" in capsys.readouterr().err


@pytest.mark.parametrize("text", DEEP)
def test_an_option_of_the_shell_that_is_too_deep_is_refused_in_words(text: str, capsys: Any) -> None:
    assert main(["plan", "ner", "--option", f"percent={text}"]) == 2
    assert "nested too deeply" in capsys.readouterr().err


def test_a_wish_of_a_schema_that_is_too_deep_is_refused_in_words() -> None:
    with pytest.raises(DeriveError, match="x-matchwise: the expression is nested too deeply"):
        form({"properties": {"x": {"type": "string", "x-matchwise": "(" * 300}}})


def test_a_union_of_many_cases_is_read_back() -> None:
    phi = union(None, {f"T{number}": eq() for number in range(3000)})
    assert parse(repr(phi)) == phi
