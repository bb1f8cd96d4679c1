"""AMR side by side with smatch 1.0.4, smatchpp 1.8.0, penman 1.3.1, metametric 0.2.1, and a plain ILP."""

import logging
from collections.abc import Iterator
from io import StringIO
from itertools import permutations
from random import Random
from typing import Any

import metametric.dsl as mm
import numpy as np
import penman as their_penman
import pytest
import smatch
import smatchpp
from metametric.core.metric import Variable
from metametric.structures.amr import AMR as TheirAMR
from metametric.structures.amr import Prop as TheirProp
from penman.models.amr import model
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array
from smatchpp import solvers
from smatchpp.formalism.amr.tools import AMRStandardizer

from matchwise.corpus.tally import Tally
from matchwise.deriving import Var
from matchwise.formats.penman import parse, read
from matchwise.tasks import amr
from matchwise.tasks.amr import AMR, Standard

ROLES = ["ARG0", "ARG1", "ARG2", "mod", "op1", "op2", "time", "location", "poss", "quant"]


def text(random: Random, size: int, *, concepts: int = 8, inverse: float = 0.2, letter: str = "v") -> str:
    """A tree of nodes, some edges more, constants, inverse roles; no triple twice, which smatch counts by squares."""
    parents = [random.randrange(place) for place in range(1, size)]
    below: list[list[int]] = [[] for _ in range(size)]
    for child, parent in enumerate(parents, start=1):
        below[parent].append(child)

    def role() -> str:
        return random.choice(ROLES)

    def node(place: int) -> str:
        parts = [f"({letter}{place} / c{int(concepts * random.random() ** 1.5)}{random.choice(['', '-01'])}"]
        if random.random() < 0.3:
            parts.append(random.choice([":polarity -", f":quant {random.randrange(3)}", ':op3 "A-b"']))
        if random.random() < 0.2:
            other = random.randrange(size)
            if other != place and other not in below[place] and place not in below[other]:
                parts.append(f":ARG3 {letter}{other}")
        for child in below[place]:
            named = role()
            turned = "-of" if random.random() < inverse and named != "mod" else ""
            parts.append(f":{named}{turned} {node(child)}")
        return " ".join(parts) + ")"

    return node(0)


def pairs(number: int, largest: int, **options: Any) -> Iterator[tuple[str, str]]:
    for seed in range(number):
        random = Random(seed)
        yield tuple(text(random, random.randint(1, largest), letter=letter, **options) for letter in "xy")  # type: ignore[misc]


def matched(pred: AMR, ref: AMR, preset: str = "smatch", **options: Any) -> tuple[int, int, int]:
    found = Tally(amr.suite(preset, **options)).add(pred, ref).report()["smatch"]  # type: ignore[arg-type]
    assert found.bounds.proved
    return round(found.counts.matched), round(found.counts.predicted), round(found.counts.reference)


def test_reading_agrees_with_penman() -> None:
    for pred, ref in pairs(150, 15):
        for written in (pred, ref):
            theirs = their_penman.decode(written, model=model)
            ours = Standard("paper", "none", duplicates="bag").graph(parse(written))
            assert [(x, f":{rel}", y) for rel, x, y in ours.props] == theirs.triples
            assert ours.top == theirs.top


@pytest.mark.parametrize(
    "written",
    [
        '(n / name :op1 "Lady \\"T\\" (x) :y" :op2 "a b")',
        "(w / want-01~e.3 :ARG0~e.1,2 (b / boy~4) :ARG1~5 b~e.6)",
        "(w/want-01:ARG0(b/boy):polarity -)",
        "(a / b :consist-of (c / d) :prep-on-behalf-of (e / f) :op1 +1.5 :op2 c-3)",
        "(c / d :mod 3 :domain-of (e / f))",
        "(a / b :ARG0 c :ARG1 (c / d :ARG0-of a))",
    ],
)
def test_odd_graphs_are_read_as_penman_reads_them(written: str) -> None:
    ours = Standard("paper", "none", duplicates="bag").graph(parse(written))
    assert [(x, f":{rel}", y) for rel, x, y in ours.props] == their_penman.decode(written, model=model).triples


def test_files_are_read_as_penman_reads_them() -> None:
    text = "# a\n\n# ::id 1 ::snt A boy\n# ::save-date 3\n(a / b\n   :c (d / e))\n\n\n# ::id 2\n(f / g)\n"
    theirs = list(their_penman.iterdecode(text))
    ours = list(read(StringIO(text)))
    assert [(graph.id, len(graph.props)) for graph in ours] == [
        (graph.metadata["id"], len(graph.triples)) for graph in theirs
    ]
    assert [graph.metadata for graph in ours] == [graph.metadata for graph in theirs]


def theirs_of_smatch(pred: str, ref: str) -> tuple[int, int, int]:
    smatch.iteration_num = 5
    smatch.match_triple_dict.clear()
    found: tuple[int, int, int] = smatch.get_amr_match(pred, ref)
    return found


def test_smatch_finds_at_most_the_optimum_of_the_same_triples() -> None:
    best = 0
    for pred, ref in pairs(120, 10):
        theirs, ours = theirs_of_smatch(pred, ref), matched(parse(pred), parse(ref))
        assert ours[1:] == theirs[1:]
        assert ours[0] >= theirs[0]
        best += ours[0] == theirs[0]
    assert best > 100  # it climbs well on small graphs


def test_a_duplicate_edge_raises_smatch_above_one_and_not_ours() -> None:
    pred, ref = "(a / b :ARG0 (c / d) :ARG0 c)", "(a / b :ARG0 (c / d))"
    assert theirs_of_smatch(pred, ref) == (5, 5, 4)
    assert matched(parse(pred), parse(ref)) == (4, 4, 4)


def test_smatch_loses_mod_of_a_constant_and_cuts_strings() -> None:
    assert theirs_of_smatch("(a / b :mod 7)", "(a / b :mod 7)") == (2, 2, 2)
    assert theirs_of_smatch('(a / b :op1 "L T")', '(a / b :op1 "L A")')[0] == 3
    assert matched(parse("(a / b :mod 7)"), parse("(a / b :mod 7)")) == (3, 3, 3)


def by_smatchpp(pred: str, ref: str, scorer: Any) -> tuple[int, ...]:
    logging.disable()
    try:
        found = scorer.process_pair(pred, ref)[0]["main"]
    finally:
        logging.disable(logging.NOTSET)
    return round(found[0]), round(found[2]), round(found[3])


@pytest.fixture(scope="module")
def ilp() -> Any:
    return smatchpp.Smatchpp(alignmentsolver=solvers.get_solver("ilp"), graph_standardizer=AMRStandardizer())


def test_smatchpp_with_its_ilp_agrees(ilp: Any) -> None:
    for pred, ref in pairs(40, 14):
        assert matched(parse(pred), parse(ref), "smatchpp") == by_smatchpp(pred, ref, ilp)


@pytest.mark.parametrize(
    ("pred", "ref"),
    [
        ("(r / ring :consist-of (g / gold :domain 5))", "(g / Gold :consist (r / ring))"),
        ("(s / sit-01 :ARG1-of (l / be-located-at-91 :ARG2 (h / house)))", "(s / sit-01 :location (h / house))"),
        ("(l / be-located-at-91 :ARG1 (s / sun) :ARG2 (h / house))", "(s / sun :location (h / house))"),
        ("(s / sun :ARG1-of (m / have-mod-91 :ARG2 7) :mod 8)", "(s / sun :mod 7 :domain 8)"),
        ('(n / name :op1 "Ann B" :op1 "Ann B")', "(n / name :op1 'ann' :op1 ann)"),
    ],
)
def test_smatchpp_standardises_odd_graphs_so(pred: str, ref: str, ilp: Any) -> None:
    assert matched(parse(pred.replace("'", '"')), parse(ref.replace("'", '"')), "smatchpp") == by_smatchpp(
        pred, ref, ilp
    )


def plain_programme(pred: AMR, ref: AMR) -> int:
    """Appendix A as it is written: x of each two variables, y ≤ x of each two propositions, by HiGHS."""
    names: dict[tuple[str, str], int] = {}
    cells = []
    for u, one in enumerate(pred.props):
        for v, other in enumerate(ref.props):
            both = isinstance(one.obj, Var), isinstance(other.obj, Var)
            if one.rel == other.rel and (all(both) or (not any(both) and one.obj == other.obj)):
                needs = [(one.subj, other.subj)] + ([(one.obj, other.obj)] if all(both) else [])
                cells.append((u, v, [names.setdefault(pair, len(names)) for pair in needs]))
    if not cells:
        return 0
    rows: list[dict[int, float]] = []
    for k, (_, _, needs) in enumerate(cells):
        rows += [{len(names) + k: 1, need: -1} for need in needs]
    first = len(rows)
    groups: dict[tuple[str, Any], dict[int, float]] = {}
    for (x, y), place in names.items():
        groups.setdefault(("x", x), {})[place] = 1
        groups.setdefault(("y", y), {})[place] = 1
    for k, (u, v, _) in enumerate(cells):
        groups.setdefault(("u", u), {})[len(names) + k] = 1
        groups.setdefault(("v", v), {})[len(names) + k] = 1
    rows += groups.values()
    entries = [(row, column, number) for row, each in enumerate(rows) for column, number in each.items()]
    i, j, numbers = zip(*entries, strict=True)
    size = len(names) + len(cells)
    found = milp(
        np.concatenate([np.zeros(len(names)), -np.ones(len(cells))]),
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(
            coo_array((numbers, (i, j)), shape=(len(rows), size)).tocsr(),
            ub=np.concatenate([np.zeros(first), np.ones(len(rows) - first)]),
        ),
    )
    return round(-found.fun)


@pytest.mark.parametrize(("reification", "number"), [("keep", 300), ("reify", 60)])
def test_two_exact_solvers_agree_on_graphs_of_the_size_of_sentences(reification: str, number: int) -> None:
    standard = Standard(reification=reification)  # type: ignore[arg-type]
    for pred, ref in pairs(number, 16, concepts=12):
        one, other = standard.graph(parse(pred)), standard.graph(parse(ref))
        assert matched(parse(pred), parse(ref), reification=reification)[0] == plain_programme(one, other)


def brute_force(pred: AMR, ref: AMR) -> int:
    """The best over all mappings, one by one."""
    mine, theirs = (list(dict.fromkeys(prop.subj for prop in graph.props)) for graph in (pred, ref))
    places = [*theirs, *(f"none {k}" for k in range(len(mine)))]
    wanted = set(ref.props)
    best = 0
    for chosen in permutations(places, len(mine)):
        name = dict(zip(mine, chosen, strict=True))
        mapped = {
            (prop.rel, name[prop.subj], name[prop.obj] if isinstance(prop.obj, Var) else prop.obj)
            for prop in pred.props
        }
        best = max(best, len(mapped & wanted))
    return best


def test_small_graphs_have_the_optimum_of_brute_force() -> None:
    for pred, ref in pairs(80, 4, concepts=3):
        one, other = (Standard().graph(parse(written)) for written in (pred, ref))
        assert matched(parse(pred), parse(ref))[0] == brute_force(one, other)


def test_metametric_agrees_where_it_can() -> None:
    s_match = mm.normalize["f1"](mm.auto[TheirAMR])
    for pred, ref in pairs(12, 6):
        converted = []
        for written in (pred, ref):
            props = Standard("paper", "none").graph(parse(written)).props
            made = [TheirProp(Variable(x), rel, Variable(y) if isinstance(y, Var) else y) for rel, x, y in props]
            converted.append(TheirAMR(made))
        report = Tally(amr.suite("paper")).add(parse(pred), parse(ref)).report()
        assert report["smatch"].f1 == pytest.approx(s_match.score(*converted), abs=1e-9)
