"""Every preset and option of every task on asymmetric documents: numbers and errors, as the tables beside it say.

The documents are drawn from small pools, so that they have duplicates, ties, near misses and empty sides. The oracles
say which numbers are right; `numbers.txt` and `pictures.txt` say that none of them changes unseen, and every
option changes one. After an intended change `python tests/tasks/test_numbers.py` writes them anew; read the
difference before you commit it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import matchwise as mw
from matchwise.corpus.suite import Suite
from matchwise.tasks import task
from matchwise.tasks.coref import CorefMention, Entity, EntitySet
from matchwise.tasks.views import explain, metric_of, view_of
from matchwise.views.text import to_text

NUMBERS, PICTURES = (Path(__file__).with_name(name) for name in ("numbers.txt", "pictures.txt"))
DOCUMENTS = 12
Pair = tuple[Any, Any]


class Chance(Random):
    """Draws by `random()` alone, which is the same in every Python."""

    def one(self, pool: Any) -> Any:
        return pool[int(self.random() * len(pool))]

    def some(self, pool: Any, share: float = 0.6) -> list[Any]:
        return [one for one in pool if self.random() < share]

    def both(self, draw: Callable[["Chance"], Any], most: int = 5) -> tuple[list[Any], list[Any]]:
        """Two lists with much in common: parts that are there on both sides, twice, changed, or on one side only."""
        ref = [draw(self) for _ in range(int(self.random() * (most + 1)))]
        pred = self.some(ref, 0.5) + self.some(ref, 0.15) + [draw(self) for _ in range(self.one((0, 0, 1, 1, 2)))]
        return pred + [change(self, one) for one in self.some(ref, 0.5)], ref


def change(by: Chance, part: Any) -> Any:
    """A part with one leaf drawn anew: another label, a place further to the right."""
    if isinstance(part, dict):
        key = by.one(list(part))
        return {**part, key: change(by, part[key])}
    if isinstance(part, list | tuple) and part:
        at = int(by.random() * len(part))
        return type(part)([*part[:at], change(by, part[at]), *part[at + 1 :]])
    if isinstance(part, str):
        return part[: part.find(".")] if "." in part else f"{part}.x"
    return part + 1 if isinstance(part, int) else part


def amr(by: Chance) -> Pair:
    def graph() -> list[tuple[str, str, Any]]:
        names = "abcde"[: 2 + int(by.random() * 4)]
        triples = [(x, "instance", by.one(("want-01", "boy", "go-02", "city", "want-02"))) for x in names]
        roles = ("ARG0", "ARG1", "ARG0-of", "mod", "location")
        triples += [(by.one(names[:at]), by.one(roles), x) for at, x in enumerate(names) if at]
        placed = [("z", "instance", "be-located-at-91"), ("z", "ARG1", "a"), ("z", "ARG2", "b")]
        more = [("a", "polarity", "-"), ("b", "quant", "3"), ("b", "name", "Lima"), ("b", "instance", "boy")]
        return triples + by.some(more, 0.4) + by.some(triples[-1:], 0.3) + by.one(([], placed))

    return graph(), graph()


def constituency(by: Chance) -> Pair:
    words = ("the", "man", ",", "saw", "the", "dog", "again", "?", ".")
    tags = ("DT", "NN", ",", "VBD", "DT", "NN", "RB", "?", ".")
    kept = sorted(by.some(range(9), 0.8)) or [1]

    def tree() -> str:
        def split(places: list[int], depth: int) -> str:
            if len(places) == 1 and by.random() < 0.8:
                return f"({by.one((tags[places[0]], tags[places[0]], 'NN'))} {words[places[0]]})"
            if depth > 3 or len(places) == 1:
                return f"({label()} {' '.join(f'({tags[at]} {words[at]})' for at in places)})"
            at = 1 + int(by.random() * (len(places) - 1))
            return f"({label()} {split(places[:at], depth + 1)} {split(places[at:], depth + 1)})"

        def label() -> str:
            return str(by.one(("NP", "VP", "NP-SBJ", "S1", "PRT", "ADVP", "NP")))

        return f"(TOP {split(kept, 0)})"

    return tree(), tree()


def coref(by: Chance) -> Pair:
    def entities(drop: float) -> EntitySet:
        pool = [(0, 1), (2, 5), (3, 5), (6, 9), (6, 8), (10, 11), (12, 13), (14, 17)]
        clusters: dict[int, list[CorefMention]] = {}
        for start, end in by.some(pool, drop):
            clusters.setdefault(by.one((0, 0, 1, 1, 2, 3)), []).append(CorefMention(start, end, head=(end - 1, 0)))
        for at, number in by.some(((2, 1), (2, 2), (7, 1)), 0.6):  # zeros: empty nodes after a word
            depends = (((by.one((3, 4)), 0), by.one(("nsubj", "obj"))),)
            node = (at, number)
            clusters.setdefault(by.one((0, 1, 2)), []).append(CorefMention(at, at, node, (node,), depends))
        return EntitySet(tuple(Entity(tuple(some)) for _, some in sorted(clusters.items())))

    return entities(0.7), entities(0.9)


def dependencies(by: Chance) -> Pair:
    size = 3 + int(by.random() * 4)
    root = 1 + int(by.random() * size)
    rels = ("nsubj", "nsubj:pass", "obj", "punct", "case")

    def head(at: int) -> int:
        return 0 if at == root else root if at > root else by.one((root, at + 1))

    ref = [(head(at), by.one(rels) if at != root else "root") for at in range(1, size + 1)]
    pred = [
        (by.one((h, h, head(at))), by.one((rel, by.one(rels))) if h else rel)
        for at, (h, rel) in enumerate(ref, start=1)
    ]
    return pred, ref


def drs(by: Chance) -> Pair:
    def clauses() -> list[list[str]]:
        roles = [
            ["b2", by.one(("Agent", "Theme", "Time", "AgentOf")), by.one(("e1", "e2")), by.one(("x1", "x2"))]
            for _ in "abc"
        ]
        named = [["b1", by.one(("male", "car", "auto")), by.one(('"n.01"', '"n.02"')), x] for x in ("x1", "x2")]
        more = [
            ["b1", "REF", "x1"],
            ["b2", "REF", "e1"],
            ["b2", "NOT", "b3"],
            ["b2", "TPR", "t1", '"now"'],
            ["b2", "EQU", "x1", "x2"],
        ]
        return [*named, *roles, ["b2", "grin", by.one(('"v.01"', '"v.02"')), "e1"], *by.some(more, 0.5)]

    return clauses(), clauses()


def events(by: Chance) -> Pair:
    def event(by: Chance) -> dict[str, Any]:
        start, size = by.one((0, 3, 3, 6)), by.one((1, 1, 2, 3))
        args = [
            {"start": at, "end": at + by.one((1, 2)), "role": by.one(("Agent", "Place", "Target")), "head": at}
            for at in by.some((1, 4, 8), 0.6)
        ]
        return {"type": by.one(("Attack", "Attack.Bomb", "Move")), "trigger": [start, start + size], "args": args}

    return by.both(event, 4)


def nary(by: Chance) -> Pair:
    def relation(by: Chance) -> tuple[str, dict[str, Any]]:
        spans = {role: by.some([[0, 2], [0, 3], [5, 6], [9, 10], [20, 23]], 0.4) or [[5, 6]] for role in "TM"}
        return by.one(("result", "result.best", "other")), {"Task": spans["T"], "Method": spans["M"]}

    return by.both(relation, 4)


def ner(by: Chance) -> Pair:
    tags = [
        "O",
        "O",
        "B-PER",
        "I-PER",
        "E-PER",
        "S-LOC",
        "B-LOC",
        "B-LOC.city",
        "I-LOC.city",
        "S-LOC.city",
        "U-LOC",
        "L-PER",
    ]
    ref = [by.one(tags) for _ in range(9)]
    return [by.one((tag, tag, tag, by.one(tags))) for tag in ref], ref


def links(by: Chance) -> Pair:
    def mention(by: Chance) -> dict[str, Any]:
        start = by.one((0, 3, 8))
        entity = by.one(("Q1", "Q2", "NIL1", "NIL2"))
        return {"start": start, "end": start + by.one((2, 4)), "type": by.one(("PER", "LOC")), "link": entity}

    return by.both(mention)


def relations(by: Chance) -> Pair:
    def relation(by: Chance) -> dict[str, Any]:
        left, right = by.one(((0, 1), (0, 2), (5, 6))), by.one(((5, 6), (5, 7), (0, 1), (9, 10)))
        return {
            "type": by.one(("capital", "capital.of", "near")),
            "subj": {"start": left[0], "end": left[1], "type": by.one(("LOC", "ORG"))},
            "obj": {"start": right[0], "end": right[1], "type": "LOC"},
        }

    pred, ref = by.both(relation)
    turned = [{**one, "subj": one["obj"], "obj": one["subj"]} for one in by.some(ref, 0.3)]
    return pred + turned, ref


def roles(by: Chance) -> Pair:
    def document() -> dict[str, Any]:
        names = ["rebels", "the rebels", "Rebels.", "bank", "a bank", "bus"]
        return {
            role: [by.some(names, 0.4) or [by.one(names)] for _ in range(by.one((0, 1, 1, 2, 3)))]
            + by.one(([], [["bus"], ["bus"]]))
            for role in ("PerpInd", "PerpOrg", "PerpOrg.a", "Target")
        }

    return document(), document()


def sdp(by: Chance) -> Pair:
    def graph() -> dict[str, Any]:
        edges = [(a, b, by.one(("ARG1", "ARG2", "ARG1-x", "BV"))) for a in range(4) for b in range(4) if a != b]
        nodes = [
            {
                "id": at,
                "properties": ["pos", "frame"],
                "values": [by.one(("VBD", "VBD", "NN")), by.one(("v:e-i", "v:e-i-p"))],
            }
            for at in range(4)
        ]
        return {"nodes": nodes, "tops": by.some((0, 1, 2), 0.5), "edges": by.some(edges, 0.45)}

    return graph(), graph()


def words(by: Chance) -> Pair:
    return by.both(lambda by: by.one(("tea", "teas", "coffee", "milk", "Tea")))


def answers(by: Chance) -> Pair:
    pool = ("the bank", "a bank", "Bank!", "big bank", "branch", "")
    return by.one(pool), by.some(pool, 0.4) or ["bank"]


def srl(by: Chance) -> Pair:
    def sentence() -> list[dict[str, Any]]:
        pool = [
            (0, 1, "A0"),
            (0, 2, "A0"),
            (2, 4, "A1"),
            (5, 6, "C-A1"),
            (6, 8, "R-A0"),
            (8, 9, by.one(("AM-TMP", "AM-LOC"))),
            (1, 2, "V"),
        ]
        return [
            {
                "predicate": at,
                "verb": by.one(("say", "tell")),
                "sense": by.one(("01", "02")),
                "args": by.some(pool, 0.55),
            }
            for at in by.some((1, 4, 7), 0.8)
        ]

    return sentence(), sentence()


def tables(by: Chance) -> Pair:
    def table() -> str:
        rows = []
        for number in range(2 + int(by.random() * 3)):
            cells = [
                by.one(("item", "price", "tea", "2.00", "2.50", "<b>tea</b>", "tea  x")) for _ in range(by.one((2, 3)))
            ]
            span = by.one(("", "", ' colspan="2"', ' rowspan="2"'))
            tag = "th" if not number else "td"
            rows.append(
                "<tr>" + "".join(f"<{tag}{span if not at else ''}>{x}</{tag}>" for at, x in enumerate(cells)) + "</tr>"
            )
        return f"<table><thead>{rows[0]}</thead><tbody>{''.join(rows[1:])}</tbody></table>"

    return table(), table()


def templates(by: Chance) -> Pair:
    def template(by: Chance) -> tuple[str, dict[str, Any]]:
        names = ["the rebels", "two rebels", "two men", "guerrillas", "the mayor", "mayor of Lima"]
        slots: dict[str, Any] = {
            slot: [by.some(names, 0.3) or [by.one(names)] for _ in range(by.one((1, 1, 2)))]
            for slot in by.some(("perpetrator", "victim", "PERP: ORGANIZATION ID"), 0.7)
        }
        return by.one(("ATTACK", "ATTACK.BOMBING", "ATTACK")), slots | {"stage": [by.one(("BOMBING", "ATTACK"))]}

    return by.both(template, 3)


def transcripts(by: Chance) -> Pair:
    def talk(names: str) -> list[dict[str, Any]]:
        said, at = [], 0.0
        for _ in range(2 + int(by.random() * 4)):
            text = " ".join(
                by.one(("the", "Cat", "cat,", "cat", "sat", "yes", "it's")) for _ in range(by.one((1, 3, 4)))
            )
            start, at = max(0.0, at - by.one((0, 0, 0.5))), at + by.one((0.75, 1.0, 2.0))
            said.append({"speaker": by.one(names), "start": start, "end": at, "text": text})
        return said

    return talk("xyz"), talk("AB")


DRAW: dict[str, Callable[[Chance], Pair]] = {
    "amr": amr, "constituency": constituency, "coref": coref, "dependencies": dependencies, "drs": drs,
    "events": events, "nary": nary, "ner": ner, "relations": relations, "role_mentions": roles, "roles": roles,
    "sdp": sdp, "sequences": words, "sets": words, "srl": srl, "tables": tables, "templates": templates,
    "transcripts": transcripts,
}  # fmt: skip

GIVEN: dict[tuple[str, str], tuple[Any, ...]] = {
    ("constituency", "parameters"): ("new",),
    ("constituency", "cutoff"): (4,),
    ("constituency", "labels"): (mw.parse('edit("label")'),),
    ("coref", "mentions"): ("head", "partial", 0.5, mw.parse("iou()")),
    ("dependencies", "enhancements"): (),
    ("drs", "synsets"): ({"auto.n.01": "car.n.01", "male.n.02": "car.n.01"},),
    ("ner", "only"): ("PER",),
    ("role_mentions", "mentions"): (mw.parse("edit()"),),
    ("roles", "mentions"): (mw.parse("edit()"),),
    ("ner", "percent"): (60,),
    ("relations", "facts"): (),
    ("srl", "without"): ("A0", ""),
    ("tables", "boxes"): (),
    ("templates", "adjudications"): (),
    ("templates", "categories"): ("stage,victim",),
    ("templates", "hierarchy"): ({"BOMBING": "ATTACK"},),
    ("templates", "premodifiers"): ("two",),
    ("templates", "slots"): ("victim",),
    ("templates", "values"): (),
    ("transcripts", "collar"): (0.25, 1),
    ("transcripts", "text"): ("casefold", "punctuation"),
}
"""The values of options that do not say theirs; none where plain documents have nothing that the option reads."""


PREFIXES = {
    "IOB1": "SBUBEILI",
    "IOB2": "SBUBEILI",
    "IOE1": "BISEUELE",
    "IOE2": "BISEUELE",
    "IOBES": "USLE",
    "BILOU": "SUEL",
}
"""Scheme -> letters that it lacks, each with the one that stands for it."""


def corpus(name: str, preset: str, given: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    by = Chance(name)
    draw = {"squad": answers, "neleval": links}.get(preset, DRAW[name])
    preds, refs = zip(*(draw(by) for _ in range(DOCUMENTS)), strict=True)
    if name == "ner" and preset != "neleval":
        pairs = PREFIXES.get(given.get("scheme", ""), "")
        letters = str.maketrans(pairs[::2], pairs[1::2])

        def spell(tag: str) -> str:
            letter, _, label = tag.partition("-")
            letter = letter.translate(letters)
            return f"{label}-{letter}" if label and given.get("suffix") else f"{letter}-{label}" if label else letter

        preds, refs = ([[spell(tag) for tag in tags] for tags in side] for side in (preds, refs))
    return list(preds), list(refs)


MORE: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("templates", preset): [
        {"categories": "stage", "hierarchy": {"BOMBING": "ATTACK"}, "credited": credited}
        for credited in ("descendant", "ancestor", "either")
    ]
    for preset in ("paper", "better")
}
"""Options that say something only together."""


def variants(name: str, preset: str) -> Iterator[dict[str, Any]]:
    """No option, then each value of each option."""
    yield {}
    for option in task(name).options:
        if option.presets and preset not in option.presets:
            continue
        values: tuple[Any, ...] = GIVEN.get((name, option.name), option.choices)
        if option.type == "boolean" and values is option.choices:
            values = (True, False)
        elif option.type == "similarity" and values is option.choices:
            values = (*values, mw.parse(option.example))
        for value in values:
            yield {option.name: value}
    yield from MORE.get((name, preset), ())


def lines(name: str, preset: str, given: dict[str, Any]) -> list[str]:
    """What a suite says of the corpus, one line for each metric."""
    said = " ".join([name, preset, *(f"{key}={str(value).replace(' ', '')}" for key, value in given.items())])
    preds, refs = corpus(name, preset, given)
    try:
        report = mw.evaluate(task(name).suite(preset, **given), preds, refs)
    except mw.MatchwiseError as error:
        return [f"{said}: {error}"]
    found = []
    for metric, value in report.to_dict()["metrics"].items():
        numbers = {key: one for key, one in value.items() if isinstance(one, int | float)} | (value.get("counts") or {})
        numbers.pop("value" if "f1" in numbers else "", None)
        found.append(f"{said} {metric}: {' '.join(f'{number:.8g}' for number in numbers.values())}")
    return found


def pictures(name: str, preset: str) -> list[str]:
    """The errors of the corpus in words, categories, and what `align` shows of some documents."""
    made, (preds, refs) = task(name), corpus(name, preset, {})
    suite: Suite = made.suite(preset)
    metric = metric_of(name, suite)
    said = [
        f"== {name} {preset} {metric}",
        explain(name, preds, refs, metric=metric, preset=preset).to_text(examples=2, width=100),
    ]
    for number in (1, 5):
        said.append(to_text(view_of(name, suite, metric, preds[number], refs[number], title=str(number)), 100))
    gradings = made.gradings(preset) if made.gradings else {}
    report = mw.evaluate(suite, preds, refs, categories=gradings or None)
    said += [f"{key}: {found!r}" for key, found in (report.categories or {}).items()]
    return "\n".join(said).split("\n")


def cases() -> list[tuple[str, str]]:
    return [(name, preset) for name in DRAW for preset in task(name).presets]


KNOWN = NUMBERS.read_text(encoding="utf-8").splitlines() if NUMBERS.exists() else []
ELSEWHERE = {
    *("mismatch", "repeated", "trees", "words"),  # say what is refused
    *("arguments", "entities", "mapping", "premodifiers"),  # read what these documents do not have
    "suffix",  # the tags are spelt as it asks
}
"""Options that need not change a number here; the tests of their tasks have them."""


@pytest.mark.parametrize(("name", "preset"), cases())
def test_numbers_are_those_of_the_table(name: str, preset: str) -> None:
    made = [line for given in variants(name, preset) for line in lines(name, preset, given)]
    assert made == [line for line in KNOWN if line.startswith(f"{name} {preset} ")]


@pytest.mark.parametrize(("name", "preset"), cases())
def test_errors_categories_and_views_are_those_of_the_table(name: str, preset: str) -> None:
    _, _, after = PICTURES.read_text(encoding="utf-8").partition(f"== {name} {preset} ")
    assert "\n".join(pictures(name, preset)) == f"== {name} {preset} {after.partition(chr(10) + '== ')[0]}".rstrip("\n")


@pytest.mark.parametrize("name", DRAW)
def test_every_option_changes_a_number(name: str) -> None:
    found = dict(line.split(": ", 1) for line in KNOWN if line.startswith(f"{name} "))
    changing = set()
    for key, numbers in found.items():
        _, preset, *given, metric = key.split(" ")
        if given and found.get(f"{name} {preset} {metric}") != numbers:
            changing |= {one.partition("=")[0] for one in given}
    asked = {option for preset in task(name).presets for given in variants(name, preset) for option in given}
    assert asked - changing <= ELSEWHERE


if __name__ == "__main__":
    made = [line for one in cases() for given in variants(*one) for line in lines(*one, given)]
    NUMBERS.write_text("\n".join(made) + "\n", encoding="utf-8")
    PICTURES.write_text("\n".join(line for one in cases() for line in pictures(*one)) + "\n", encoding="utf-8")
