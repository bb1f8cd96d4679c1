"""Texts of expressions: every word, with arguments that it may or may not take."""

import inspect
from random import Random

from matchwise.algebra.build import vocabulary

LITERALS = (
    '""', '"a"', '"a.b"', '"a..b"', '"0"', '"' + "9" * 5000 + '"', '"%Y"', '"%d %d"', '"%Q"', '"%"', '"\\ud800"',
    '"\\x00"', '"squad"', '"1:1"', '"N:1"', '"sequence"', '"index"', '"f1"', '"fbeta"', '"Tree"', '"either"', "0",
    "1", "2", "-1", "0.5", "-0.5", "1e308", "1e-308", "1e400", "5e-324", "9" * 400, "10" * 50, "True", "False",
    "None", "int", "str", "list", "len", "()", "(1,)", '("a", 0)', '("%Y", "%d.%m.%Y")', '("%Y %Y",)', "{}",
    '{"a": "b"}', '{"a": 1}', '{"a": "a"}', "{int: eq()}", "{str: eq(), int: eq()}", "{1: 2}", "Fraction(1, 3)",
    "Fraction(1, 0)", "Fraction(1, " + "9" * 300 + ")", 'Decimal("0.1")', 'Decimal("1e400")', 'Decimal("NaN")',
    "nothing", "...", "[]", "1j", 'b"a"', "lambda x: x", '"a" "b"',
)  # fmt: skip
"""Arguments, right and wrong."""

WORDS = sorted(vocabulary)


def write(random: Random, depth: int = 4) -> str:
    """An expression, or what almost is one."""
    kind = random.random()
    if depth == 0 or kind < 0.1:
        return random.choice(("eq()", 'eq("a")', "edit()", 'again("Tree")', "var()", random.choice(LITERALS)))
    inner = depth - 1
    if kind < 0.3:
        sign = random.choice((" * ", " + ", " - ", " > ", " >= ", " / ", " == "))
        return f"({write(random, inner)}{sign}{random.choice((write(random, inner), random.choice(LITERALS)))})"
    word = random.choice(WORDS)
    parameters = list(inspect.signature(vocabulary[word]).parameters.values())
    arguments, options = [], {}
    for parameter in parameters:
        if random.random() < (0.4 if parameter.default is not parameter.empty else 0.9):
            text = _argument(random, parameter.name, inner)
            if parameter.kind is parameter.VAR_POSITIONAL:
                arguments += [text, *(write(random, inner) for _ in range(random.randrange(3)))]
            elif parameter.kind is parameter.VAR_KEYWORD:
                options |= {random.choice(("match", "order", "align_by", "x")): text}
            elif parameter.kind is parameter.KEYWORD_ONLY or options:
                options[parameter.name] = text
            else:
                arguments.append(text)
    return f"{word}({', '.join([*arguments, *(f'{name}={text}' for name, text in options.items())])})"


def _argument(random: Random, name: str, depth: int) -> str:
    if random.random() < 0.3:
        return random.choice(LITERALS)
    if name in ("inner", "phi", "precision", "recall", "align_by", "parts"):
        return write(random, depth)
    if name == "cases":
        first = random.choice(("int", "str", '"A"'))
        return f'{{{first}: {write(random, depth)}, "B": {write(random, depth)}}}'
    choices = {
        "sel": ("None", '"a"', '"a.b"', "0", "len"),
        "match": ('"1:1"', '"N:1"', '"1:N"', '"N:N"'),
        "order": ('"bag"', '"sequence"', '"index"', '"tree"', '"graph"'),
        "kind": ('"precision"', '"f1"', '"fbeta"', '"jaccard"'),
        "name": ('"Tree"', '"B"'),
        "function": ("len", "max", "int"),
        "normalize": ('"squad"', '"none"', '"space casefold"'),
        "parents": ('{"a": "b"}', '{"a": ("b", "c")}'),
        "weights": ('{"a": 1, "b": 0.5}',),
        "formats": ('"%Y"', '("%Y-%m-%d", "%d.%m.%Y")'),
    }
    return random.choice(choices.get(name, ("0", "1", "2", "0.5", "True")))
