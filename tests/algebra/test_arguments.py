"""Every word of the language with arguments that are wrong, odd or left out: what is built, or why not.

`arguments.txt` says it, with the facts, the equation and the signature of what is built. The other tests say what is
right; this table says that nothing changes unseen. After an intended change `python tests/algebra/test_arguments.py`
writes it anew; read the difference before you commit it.
"""

import ast
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

import matchwise as mw
from matchwise.tasks.tracks import least

FILE = Path(__file__).with_name("arguments.txt")

WORDS = (
    'again("T", "x")', 'best("xs", edit())', 'casefold("x")', 'centre("x", within=2, box="xywh")',
    'close("x", abs=0.5, rel=0.1)', 'contingency(least, "xs", eq(), unnormalized=True, facts=("symmetric",))',
    'custom(least, "x", batch=False, unnormalized=True, facts=("symmetric",))', 'date("x", formats="%d.%m.%Y")',
    'edit("x", normalize="squad", floor=0.5)', 'eq("x.y")', 'error_rate("xs", edit(), order="sequence", align_by=eq())',
    'f1("xs", edit(), match="N:1", order="bag", align_by=eq(), empty=0)', 'fbeta("xs", edit(), beta=2, empty=0)',
    'giou("x", box="xywh", scale="shift")', "harmonic(precision(), recall())", 'head("x")',
    'informativity({"a": 1, "b": 2}, "x")', 'iou("x", box="xywh")', 'jaccard("xs", order="sequence")',
    'jaro("x", normalize="casefold", floor=0.9)', "latent(f1(None, var()))", 'left("x")', 'levels("x", separator="/")',
    'mean(eq("x"), 2 * eq("y"))', 'near("x", digits=2)', 'normalize(overlap("xs"), "fbeta", beta=2, empty=0)',
    'normalize(overlap("xs"), "error_rate")', 'number("x", abs=1, rel=0.5, decimal=",")',
    'ontology({"a": "b"}, "x", credit=0.25, credited="either")', 'overlap("xs", edit(), match="1:1", order="sequence")',
    'overlap("xs", edit(), match="N:N", align_by=eq("y"))', 'precision("xs", match="N:1")',
    'quote("x", normalize="space")',
    'recall("xs", match="1:N", empty=0.5)', 'recursive("T", eq("x") + overlap("xs", again("T")), "x")', 'right("x")',
    'subset("xs")', 'overlap("xs", substitute(edit(), cost=1), order="sequence")', 'supertypes({"a": "b"}, "x")',
    'text("x", normalize="squad")', 'tokens("x", normalize="none")', 'touch("x")',
    'union("x", {"str": eq(), "int": close(abs=1)})', 'latent(f1("xs", var("x", space="s") * eq("y")))',
    'within("x", days=1, hours=2, minutes=3, seconds=4)', 'eq("x") > 0.5', 'eq("x") >= 0.5', 'overlap("xs") - 1',
    'eq("x") * edit("y")', '2 * eq("x") + edit("y")',
)  # fmt: skip

BAD = ("None", "'x'", "-1", "0", "1", "2", "True", "()", "{}", "eq()", "'a..b'", "least")

TEXTS = (
    "", " ", "3", '"x"', "eq", "eq()()", "eq().x", "mw.eq()", "eq() < 1", "eq() == 1", "1 - eq()", "eq() / 2",
    "eq() % 2", "eq() + 1", "eq() and eq()", "not eq()", "-eq()", "eq(*x)", "eq(**x)", "[eq()]", "equ()",
    'f1("xs", edti())', 'f1("xs", macth="1:1")', "0.3 < eq() < 0.5", "eq() > 1e999", "Fraction(1) * eq()",
    'close(abs=Decimal("1e9999"))', 'union("x", {**y})', 'union("x", {"str": eq(), "str": edit()})', "lambda x: x",
    "eq(lambda x: x)", "1e400 * eq()", "10**9 * eq()", "f'x'", "eq(b'x')", "eq(...)", "eq if 1 else eq", "eq() > eq()",
    "2 * 3", "eq() * 3 * 2", "(" * 300 + "eq()" + ")" * 300, "eq() * " * 3000 + "eq()", "x | eq()", "eq(least.x)",
)  # fmt: skip


PYTHON = (
    "eq() + 3", "3 + eq()", "3 - eq()", "eq() - eq()", "eq() / 2", "eq() < 1", "eq() <= 1", "bool(eq())", "eq() * 'x'",
    "'x' * eq()", "2 * eq()", "eq() * 2", "eq() * Fraction(1, 3)", "float('inf') * eq()", "1e101 * eq()", "-1 * eq()",
    "True * eq()", "sum([eq(), edit()])", "mean()", "mean(3)", "mean(0 * eq())", "mean(eq(), 'x')",
    "union('x', {3: eq()})",
    "union('x', {})", "union('x', {str: 3})", "union('x', [eq()])", "normalize(overlap(), 'f1', beta=2)",
    "normalize(overlap(), 'error_rate', empty=0)", "normalize(3, 'f1')", "normalize(overlap(), 'f2')", "f1(eq())",
    "f1('xs', 'ys')", "f1('xs', macth='1:1')", "f1('a..b')", "f1(3.5)", "f1(('a', 0, 'b'))",
    "f1(lambda x: x)", "eq(len)",
    "custom(3)", "custom(lambda p, r: 1)", "custom(len, facts='symmetric')", "custom(len, facts=('symetric',))",
    "custom(len, batch=1)", "latent(3)", "latent(error_rate('xs'))", "var('x', space=3)", "again(3)",
    "recursive(3, eq())",
    "recursive('T', 3)", "harmonic(eq(), 3)", "best('xs', 3)", "substitute(cost=3)", "substitute(3)",
    "substitute(cost=-1)",
    "Suite()", "Suite(a=3)", "Suite({'a': eq()}, a=edit())", "Suite(a=average('b'))", "Suite(a=average())",
    "Suite(a=eq(), b=average('a', where='x'))", "Suite(a=eq(), b=loss('a'))", "Suite(a=eq(), b=roots('c'))",
    "Suite(a=f1('xs'), b=product('a', 'a'))", "replace(eq(), {edit(): eq()})", "replace(eq(), {3: eq()})",
    "replace(Suite(a=eq('x')), {eq('y'): edit()})", "replace(3, {})", "check(eq('x'), int)",
    "check(f1('xs'), dict[str, int])",
    "plan(3)", "plan(var('x'))", "plan(again('T'))", "score(3, 1, 1)", "score(Suite(a=eq(), b=edit()), 1, 1)",
    "parse(3)", "weight(-1)", "weight('x')", "floor(2)", "keyed()", "keyed('a', 'a')", "keyed(3)",
    "name(3)", "evidence()",
    "evidence('a', 'a')", "register(list, 3)", "derive(3)", "derive('x')",
    "derive({})", "derive({'a': 1})",
    "derive(int, record='x')", "derive(int, compare='x')", "derive(int, compare='evidence')",
    "derive(list)", "derive(set[int])",
    "derive(dict[str, int])", "derive(tuple[int, str])", "derive(int | None)", "derive(int, {'x': edit()})",
    "derive(str, {'': edit()})", "derive(list[str], {'[]': edit()})", "derive({'type': 'x'})",
    "derive({'type': 'array'})",
    "derive({'properties': {'a': {'type': 'string', 'x-matchwise': 'edit()'}}})",
    "derive({'properties': {'a': {'type': 'string', 'x-matchwise': 'edti()'}}})",
    "derive({'properties': {'a': {'type': 'string', 'x-matchwise': 3}}})", "derive({'$ref': '#/$defs/x'})",
    "derive({'$ref': 'http://x'})", "derive({'properties': 3})", "derive({'type': 'object', 'required': 3})",
    "derive({'allOf': [{'type': 'string'}, {'type': 'object'}]})", "derive({'enum': [1, 'a']})", "derive({'const': 1})",
    "derive({'anyOf': [{'type': 'string'}, {'type': 'null'}]})",
    "derive({'oneOf': [{'type': 'string'}, {'type': 'integer'}]})",
    "derive({'type': ['string', 'null']})", "derive({'type': 'object', 'additionalProperties': {'type': 'number'}})",
    "derive({'type': 'array', 'items': {'type': 'integer'}, 'x-matchwise': 'ordered()'})",
    "derive({'type': 'array', 'prefixItems': [{'type': 'integer'}, {'type': 'string'}]})",
    "derive({'properties': {'day': {'type': 'string', 'format': 'date'}, 'n': {'type': 'number'}}, 'required': ['n']})",
)  # fmt: skip


def evaluated(text: str) -> str:
    """What Python makes of a text, or why not."""
    try:
        return repr(eval(text, {"Fraction": Fraction} | {name: getattr(mw, name) for name in dir(mw)}))
    except mw.MatchwiseError as error:
        return re.sub(r" at 0x\w+", "", f"{type(error).__name__}: {str(error)[:300]}")
    except TypeError as error:
        return type(error).__name__


def built(text: str) -> str:
    try:
        phi = mw.parse(text, {"least": least})
    except mw.MatchwiseError as error:
        return re.sub(r"<function lea.*?>", "<least>", f"{type(error).__name__}: {str(error)[:300]}")
    return f"{phi!r} {mw.unicode(phi)}"


def variations(word: str) -> Iterator[str]:
    """The call with each of its arguments gone or wrong."""
    yield word
    call = ast.parse(word, mode="eval").body
    if isinstance(call, ast.Call):
        places = [*range(len(call.args)), *(one.arg or "" for one in call.keywords)]
        for place in places:
            for bad in (None, *BAD):
                made = ast.parse(word, mode="eval").body
                assert isinstance(made, ast.Call)
                value = None if bad is None else ast.parse(bad, mode="eval").body
                if isinstance(place, int):
                    made.args = [*made.args[:place], *([value] if value else []), *made.args[place + 1 :]]
                else:
                    made.keywords = [
                        ast.keyword(one.arg, value if one.arg == place else one.value)  # type: ignore[arg-type]
                        for one in made.keywords
                        if value or one.arg != place
                    ]
                yield ast.unparse(made)
    elif isinstance(call, ast.BinOp | ast.Compare):
        for bad in BAD:
            made = ast.parse(word, mode="eval").body
            if isinstance(made, ast.BinOp):
                made.right = ast.parse(bad, mode="eval").body
            elif isinstance(made, ast.Compare):
                made.comparators = [ast.parse(bad, mode="eval").body]
            yield ast.unparse(made)


def lines(word: str) -> list[str]:
    return [f"{text} => {built(text)}" for text in dict.fromkeys(variations(word))]


def about(word: str) -> str:
    phi = mw.parse(word, {"least": least})
    return f"{word} == {' '.join(str(mw.facts(phi)).split())} {mw.latex(phi)} {mw.signature(phi).split('|')[-1]}"


def table() -> list[str]:
    made = [line for word in WORDS for line in lines(word)] + [about(word) for word in WORDS if "again" not in word[:5]]
    made += [f"{text[:80]!r} => {built(text)}" for text in TEXTS]
    return made + [f"{text} => {evaluated(text)}" for text in PYTHON]


@pytest.fixture(scope="module")
def known() -> list[str]:
    return FILE.read_text(encoding="utf-8").splitlines()


def test_words_with_odd_arguments_are_built_or_refused_as_the_table_says(known: list[str]) -> None:
    assert table() == known


if __name__ == "__main__":
    FILE.write_text("\n".join(table()) + "\n", encoding="utf-8")
