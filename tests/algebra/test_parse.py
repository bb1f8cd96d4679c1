import pytest

from matchwise.algebra.build import eq, f1
from matchwise.algebra.parse import parse
from matchwise.errors import ExpressionError


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('f1("a", eq("b") * ovrlap("c"))', "column 19: unknown word 'ovrlap'; did you mean 'overlap'?"),
        ('f1("a", mach="1:1")', "column 9: f1 has no option 'mach'; did you mean 'match'?"),
        ('eq() * f1(order="up")', 'column 8: order=\'up\'; write order="bag", order="sequence", order="index", '
         'order="tree" or order="graph"'),
        ("eq(type)", "column 4: unknown name 'type'; write \"type\" for a field, or give parse its names"),
        ("f1(eq)", 'column 4: eq is a word without its arguments; write eq(...), or "eq" for a field'),
        ('eq("ä") * eq("ö") * é', "column 21: unknown name 'é'; write \"é\" for a field, or give parse its names"),
        ('eq("a") / 3', "column 1: similarities cannot be divided; write Fraction(1, 3) * phi for a third"),
        ("3", 'column 1: 3 is not a similarity; write f1("mentions"), for example'),
        ("2 * 3 * eq()", "column 1: neither 2 nor 3 is a similarity; write 2 * phi, phi * psi or phi + psi"),
        ("1 - eq()", "column 1: cannot subtract from 1; write phi - 1"),
        ('mw.f1("x")', 'column 1: mw.f1("x") looks into an object; write the word alone, as in f1("mentions")'),
        ("eq() > 1 > 2", "column 1: eq() > 1 > 2 is not a threshold; write (phi > t) or (phi >= t), one at a time"),
        ("0.5 > 1", "column 1: 0.5 is not a similarity; write phi > 0.5"),
        ("f1(roles._kind)", "column 4: roles has no '_kind'; there are "),
        ("f1(*x)", "column 4: *x unpacks arguments; write them one by one"),
        ("f1(**x)", "column 6: x unpacks options; write them one by one"),
        ('union("v", {**x})', "column 15: x unpacks a mapping; write its entries"),
        ('union("v", {"A": eq(), "A": eq()})', "column 24: 'A' occurs twice; write each case once"),
        ("-1 * eq()", "column 1: cannot multiply by -1: it must be finite and not negative; "
            "write 2 * phi, or phi * psi for a product"),
        ('f1("a",\n  f2("b"))', "line 2, column 3: unknown word 'f2'"),
        ("f1(", "column 3: '(' was never closed; write an expression such as f1(\"mentions\")"),
        ("", 'the expression is empty; write f1("mentions"), for example'),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_place_and_what_to_write(source: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse(source)
    assert str(error.value).startswith(message)


def rand(rows: list[int], columns: list[int], weights: list[int]) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('contingency("rand", "xs")', "column 1: contingency needs a function with a name, not 'rand'"),
        ('contingency(rand, "xs", "id")', "column 1: inner must be a similarity, not 'id'; write eq(\"id\")"),
        ('contingency(rand, facts=("unt",))', "column 1: unknown fact 'unt' of contingency; did you mean 'unit'?"),
    ],
)
def test_a_mistake_around_a_function_is_refused(source: str, message: str) -> None:
    with pytest.raises(ExpressionError) as error:
        parse(source, {"rand": rand})
    assert str(error.value).startswith(message)


HOSTILE = {
    "an import": "__import__('os')",
    "an import as a selector": "eq(__import__('os').system)",
    "an attribute": "eq.__globals__",
    "an attribute of a literal": "().__class__.__bases__[0].__subclasses__()",
    "a lambda": "eq(lambda x: x)",
    "a comprehension": "[x for x in (1,)]",
    "an assignment": "(x := eq())",
    "a formatted string": 'eq(f"{1}")',
    "a builtin": "custom(open)",
    "a power": "9**9**9",
    "a shift": "1 << 99999 * eq()",
    "a huge integer": "9" * 5000 + " * eq()",
    "a large integer": "9" * 400 + " * eq()",
    "a huge hexadecimal": "0x" + "f" * 50_000 + " * eq()",
    "an infinite float": "1e999 * eq()",
    "a huge fraction": "Fraction('1e999999999') * eq()",
    "a huge decimal": "eq(Decimal('1e999999999'))",
    "a division by zero": "Fraction(1, 0) * eq()",
    "nested parentheses": "(" * 10_000 + "eq()" + ")" * 10_000,
    "nested calls": "f1(None, " * 150 + "eq()" + ")" * 150,
    "nested signs": "-" * 90_000 + "1",
    "nested negations": "not " * 20_000 + "1",
    "nested attributes": "a" + ".b" * 40_000,
    "nested subscripts": "a" + "[0]" * 30_000,
    "nested comparisons": "1 > " * 20_000 + "1",
    "a long sum": "+".join(["eq()"] * 19_000),
    "too long a sum": "+".join(["eq()"] * 100_000),
    "too many arguments": "f1(" + "1, " * 30_000 + ")",
    "a null byte": "eq()\0",
    "a lone surrogate": 'eq("\ud800")',
    "a statement": "import os",
    "two lines": "eq()\neq()",
    "an unhashable option": "var(space={})",
    "an unhashable key": "union('v', {{}: eq()})",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError):
        parse(source)


def test_only_text_is_read() -> None:
    with pytest.raises(ExpressionError, match=r"parse\(\) needs text, not bytes"):
        parse(b"eq()")  # type: ignore[arg-type]  # the mistake under test


def test_a_long_sum_is_no_deep_nesting() -> None:
    assert parse(" + ".join(f'eq("f{i}")' for i in range(500))) == parse(
        " + ".join(f'1 * eq("f{i}")' for i in range(500))
    )


def test_names_given_by_the_caller_are_known() -> None:
    mention = eq("left") * eq("right")
    assert parse('f1("mentions", mention)', {"mention": mention}) == f1("mentions", mention)


def test_an_unknown_name_is_compared_with_those_given() -> None:
    with pytest.raises(ExpressionError) as error:
        parse("union('v', {Entty: eq()})", {"Entity": int})
    assert str(error.value) == "column 13: unknown name 'Entty'; did you mean 'Entity'?"


def test_space_and_comments_around_are_ignored() -> None:
    assert parse(' f1(\n  "a", # the field\n) \n') == f1("a")
