"""Every preset and option of every task on asymmetric documents: numbers and errors, as the tables beside it say.

The documents are drawn from small pools, so that they have duplicates, ties, near misses and empty sides. The oracles
say which numbers are right; `numbers.txt` and `pictures.txt` say that none of them changes unseen, and every
option changes one. After an intended change `python tests/tasks/test_numbers.py` writes them anew; read the
difference before you commit it.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
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
MANY = {"boxes": 30, "results": 40, "sounds": 40, "toolcalls": 40, "triples": 20}
"""Where rare documents tell presets apart."""

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


def boxes(by: Chance) -> Pair:
    image = {"width": 500, "height": 250}

    def box(by: Chance) -> dict[str, Any]:
        x, y, size = by.one((0, 40, 60)), by.one((0, 20)), by.one((15, 30, 40, 120))
        width, height = size + by.one((0, 0, 4)), size - by.one((0, 0, 3))
        corners = [x, y, x + width, y, x + width, y + height, x, y + height]
        made = {"bbox": [x, y, x + width, y + height], "label": by.one(("cup", "cup", "cup.red", "pen"))}
        return made | {"segmentation": [corners if by.random() < 0.8 else corners[:6]], **image}

    ref = [box(by) for _ in range(int(by.random() * 6))]
    pred = by.some(ref, 0.4) + by.some(ref, 0.2) + [box(by) for _ in range(by.one((0, 1, 2)))]
    moved = [one | {"label": by.one((one["label"], "pen"))} for one in by.some(ref, 0.6)]
    for one in moved:
        x, y, right, bottom = one["bbox"]
        one["bbox"] = by.one(
            ([x, y, right, bottom - 4], [x, y, right - (right - x) // 3, bottom], [x + 6, y + 6, right, bottom])
        )
    ranked = [one | {"score": by.one((0.3, 0.5, 0.5, 0.9))} for one in pred + moved]
    return {"boxes": ranked, **image}, {"boxes": [one | {"iscrowd": by.one((0, 0, 0, 1))} for one in ref], **image}


def results(by: Chance) -> Pair:
    def row(by: Chance) -> list[Any]:
        return [by.one((1, 2, 2.0, None)), by.one(("Rome", "Oslo", "rome", 3)), by.one((0.5, 0.504, 10, 10.0))]

    pred, ref = by.both(row, 4)
    pred = by.one((pred, pred, ref, ref[::-1], ref + ref[:1], [[*one[:2], one[2] + 0.005] for one in ref]))
    names, turned = ["n", "city", "share"], by.random() < 0.4
    if turned:
        pred = [[*one[1:], one[0]] for one in pred]
    said: dict[str, Any] = {"sql": "SELECT 1 ORDER BY n"} if by.random() < 0.4 else {"condition_cols": [1]}
    failed = {"error": "no such table"} if by.random() < 0.1 else {}
    mine = [*names[1:], names[0]] if turned and by.random() < 0.5 else names
    return {"columns": mine, "rows": pred, **failed}, {"columns": names, "rows": ref, **said}


def sounds(by: Chance) -> Pair:
    def sound(by: Chance) -> dict[str, Any]:
        onset, length = by.one((0.0, 1.0, 1.125, 1.25)), by.one((0.25, 0.5, 2.0))
        return {"onset": onset, "offset": onset + length, "label": by.one(("dog", "cat"))}

    def late(one: dict[str, Any]) -> dict[str, Any]:
        shifts = (0, 0, 0.03125, 0.1875, 0.2265625, 0.4375)
        return one | {"onset": one["onset"] + by.one(shifts) / 2, "offset": one["offset"] + by.one(shifts)}

    ref = [sound(by) for _ in range(int(by.random() * 6))]
    return [late(one) for one in by.some(ref, 0.8) + by.some(ref, 0.2)] + [sound(by) for _ in by.some("ab", 0.3)], ref


def notes(by: Chance) -> Pair:
    """Sounds with a pitch: a prediction may be a quarter tone or more beside it."""
    pred, ref = ([{**one, "label": "", "pitch": 440} for one in side] for side in sounds(by))
    return [one | {"pitch": by.one((440, 440, 451, 455))} for one in pred], ref


def toolcalls(by: Chance) -> Pair:
    def call(by: Chance) -> dict[str, Any]:
        name = by.one(("search", "search", "shop.buy"))
        given = {"query": by.one(("tea", "green tea", "Tea")), "limit": by.one((5, 5.0, 10, "5"))}
        return {"name": name, "arguments": by.one((given, given, {"query": given["query"]}))}

    def spelt(one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "name": one["name"].replace(".", "_")} if by.random() < 0.3 else one

    pred, ref = by.both(call, 3)
    pred = by.one((pred, pred, ref, ref[::-1], ref[1:], [*ref, *by.some(ref, 0.6)]))
    return [spelt(one) for one in pred], ref


def accepted(by: Chance) -> Pair:
    """Calls of which a reference accepts several, and some that may be left out."""
    pred, ref = toolcalls(by)

    def open_(one: dict[str, Any]) -> dict[str, Any]:
        more: dict[str, Any] = {"optional": True} if by.random() < 0.3 else {}
        if "query" in one["arguments"]:
            more["accepted"] = by.one(({}, {"query": ["teas", "green tea"]}))
        if "limit" in one["arguments"]:
            more["optional_arguments"] = by.one(([], ["limit"]))
        return one | more | by.one(({}, {"instead": [{"name": "shop.buy", "arguments": {"query": "tea"}}]}))

    return pred, [open_(one) for one in ref]


def tracks(by: Chance) -> Pair:
    def video(names: tuple[int, ...], drop: float) -> list[tuple[int, int, list[int]]]:
        made = []
        for frame in (1, 2, 3, 5, 6, 7, 8):
            free = list(names)
            for thing in by.some((0, 1, 2), drop):
                track = free[thing] if by.random() < 0.7 else free[-1]
                if track in free:
                    place = 12 * thing + frame + by.one((0, 0, 1, 2, 4, 9))
                    made.append((frame, track, [place, by.one((0, 1)), 20, by.one((20, 16))]))
                    free[free.index(track)] = -1
        return [one for one in made if one[1] > 0]

    return video((7, 8, 9, 10), 0.8), video((1, 2, 3, 4), 0.9)


def triples(by: Chance) -> Pair:
    def triple(by: Chance) -> tuple[str, str, str]:
        names = ("Ada", "Ada Lovelace", "Lord Byron", "_:a", "_:b", "ada_lovelace", "")
        return by.one(names[:6]), by.one(("born in", "is father of", "birthPlace", "be", "said")), by.one(names)

    pred, ref = by.both(triple, 4)
    return pred + [(obj, rel, subj) for subj, rel, obj in by.some(ref, 0.3) if obj], ref


DRAW: dict[str, Callable[[Chance], Pair]] = {
    "amr": amr, "boxes": boxes, "constituency": constituency, "coref": coref, "dependencies": dependencies, "drs": drs,
    "events": events, "nary": nary, "ner": ner, "relations": relations, "results": results, "role_mentions": roles,
    "roles": roles, "sdp": sdp, "sequences": words, "sets": words, "sounds": sounds, "srl": srl, "tables": tables,
    "templates": templates, "toolcalls": toolcalls, "tracks": tracks, "transcripts": transcripts, "triples": triples,
}  # fmt: skip

TOOLS = [
    {
        "name": "search",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
            "required": ["query"],
        },
    }
]

GIVEN: dict[tuple[str, str], tuple[Any, ...]] = {
    ("boxes", "iou"): (0.75,),
    ("boxes", "scale"): (1000,),
    ("constituency", "parameters"): ("new",),
    ("constituency", "cutoff"): (4,),
    ("constituency", "labels"): (mw.parse('edit("label")'),),
    ("coref", "mentions"): ("head", "partial", 0.5, mw.parse("iou()")),
    ("dependencies", "enhancements"): (),
    ("drs", "synsets"): ({"auto.n.01": "car.n.01", "male.n.02": "car.n.01"},),
    ("ner", "only"): ("PER",),
    ("results", "tolerance"): (0.01,),
    ("role_mentions", "mentions"): (mw.parse("edit()"),),
    ("roles", "mentions"): (mw.parse("edit()"),),
    ("ner", "percent"): (60,),
    ("relations", "facts"): (),
    ("sounds", "collar"): (0.25,),
    ("sounds", "ratio"): (0.0, 1),
    ("srl", "without"): ("A0", ""),
    ("tables", "boxes"): (),
    ("templates", "adjudications"): (),
    ("templates", "categories"): ("stage,victim",),
    ("templates", "hierarchy"): ({"BOMBING": "ATTACK"},),
    ("templates", "premodifiers"): ("two",),
    ("templates", "slots"): ("victim",),
    ("templates", "values"): (),
    ("toolcalls", "settings"): (),
    ("toolcalls", "tools"): (TOOLS,),
    ("tracks", "iou"): (0.75,),
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
    draw = {"squad": answers, "neleval": links, "mir_eval": notes, "calls": accepted, "bfcl": accepted}.get(
        preset, DRAW[name]
    )
    preds, refs = zip(*(draw(by) for _ in range(MANY.get(name, DOCUMENTS))), strict=True)
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
    ("toolcalls", "calls"): [
        {"tools": TOOLS, "settings": {"search.query": mw.parse("tokens()")}},
        {"tools": TOOLS, "settings": {"search.limit": mw.ignore()}},
    ],
} | {
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
    said = " ".join(
        [
            name,
            preset,
            *(f"{key}={'search' if value is TOOLS else str(value).replace(' ', '')}" for key, value in given.items()),
        ]
    )
    preds, refs = corpus(name, preset, given)
    try:
        suite = task(name).suite(preset, **given)
        report = mw.evaluate(suite, preds, refs)
    except mw.MatchwiseError as error:
        return [f"{said}: {error}"]
    found = []
    for metric, value in report.to_dict()["metrics"].items():
        numbers = {key: one for key, one in value.items() if isinstance(one, int | float)} | (value.get("counts") or {})
        numbers.pop("value" if "f1" in numbers else "", None)
        if not value.get("counts") and metric in suite.metrics:  # a mean: of what?
            numbers |= {
                str(n): mw.score(suite.metrics[metric], *both) for n, both in enumerate(zip(preds, refs, strict=True))
            }
        found.append(f"{said} {metric}: {' '.join(f'{number:.8g}' for number in numbers.values())}")
    return found


def nothing(name: str, preset: str) -> list[str]:
    """The scores of nothing against nothing, of nothing, and of anything where there is nothing."""
    (*_, pred), (*_, ref) = corpus(name, preset, {})
    empty: Any = EntitySet(()) if name == "coref" else "" if preset == "squad" else []
    found = []
    for metric, phi in task(name).suite(preset).metrics.items():
        said = []
        for both in ((empty, empty), (empty, ref), (pred, empty)):
            try:
                said.append(f"{mw.score(phi, *both):.8g}")
            except mw.MatchwiseError as error:
                said.append(str(error)[:80])
        found.append(f"{name} {preset} nothing {metric}: {' '.join(said)}")
    return found + titles(name, preset)


def titles(name: str, preset: str) -> list[str]:
    """What a signature says of each option."""
    made = {}
    for given in variants(name, preset):
        said = ",".join(
            f"{key}={'search' if value is TOOLS else str(value).replace(' ', '')}" for key, value in given.items()
        )
        with suppress(mw.ExpressionError):
            made[f"{name} {preset} nothing {said}|title"] = task(name).suite(preset, **given).title
    return [f"{key}: {title}" for key, title in made.items()]


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
    if made.report and preset in REPORTED:
        said.append(str(made.report(suite, list(zip(preds, refs, strict=True)))))
    for other in suite.metrics:
        if other != metric and "_at" not in other:
            errors = explain(name, preds, refs, metric=other, preset=preset).to_text(examples=0, width=100)
            rows = (" ".join(line.split()) for line in errors.splitlines() if any(map(str.isdigit, line)))
            said.append(f"{other}: {' | '.join(rows)}")
    return [line.rstrip() for line in "\n".join(said).split("\n")]


REPORTED = ("coco", "optimal", "muc4")
"""Presets whose scorer prints a report of its own."""


def cases() -> list[tuple[str, str]]:
    return [(name, preset) for name in DRAW for preset in task(name).presets]


KNOWN = NUMBERS.read_text(encoding="utf-8").splitlines() if NUMBERS.exists() else []
ELSEWHERE = {
    *("mismatch", "repeated", "trees", "words"),  # say what is refused
    *("arguments", "boxes", "entities", "mapping", "premodifiers"),  # read what these documents do not have
    "suffix",  # the tags are spelt as it asks
}
"""Options that need not change a number here; the tests of their tasks have them."""


@pytest.mark.parametrize(("name", "preset"), cases())
def test_numbers_are_those_of_the_table(name: str, preset: str) -> None:
    made = [line for given in variants(name, preset) for line in lines(name, preset, given)]
    made += nothing(name, preset)
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
        if given and given != ["nothing"] and found.get(f"{name} {preset} {metric}") != numbers:
            changing |= {one.partition("=")[0] for one in given}
    asked = {option for preset in task(name).presets for given in variants(name, preset) for option in given}
    assert asked - changing <= ELSEWHERE


if __name__ == "__main__":
    made = []
    for one in cases():
        made += [line for given in variants(*one) for line in lines(*one, given)] + nothing(*one)
    NUMBERS.write_text("\n".join(made) + "\n", encoding="utf-8")
    PICTURES.write_text("\n".join(line for one in cases() for line in pictures(*one)) + "\n", encoding="utf-8")
