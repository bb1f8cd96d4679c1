"""The solver of latent variables by itself: against brute force, against the paper's programme, and under limits."""

from collections import Counter
from itertools import combinations, count, permutations
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds as Box
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import coo_array

from matchwise.algebra.build import custom, eq, f1, latent, overlap, union, var
from matchwise.deriving import Var
from matchwise.engine.limits import UNLIMITED, Bounds, Limits
from matchwise.engine.one.parts import PairSide as Side
from matchwise.engine.one.parts import Part
from matchwise.engine.operators.latent import write
from matchwise.engine.plan import plan, score
from matchwise.engine.solve import latent as solver
from matchwise.engine.solve.climbing import Climber
from matchwise.engine.solve.latent import solve
from matchwise.engine.solve.polynomial import Board, Polynomial, Terms, arrange, value
from matchwise.errors import ExpressionError, MatchwiseError
from matchwise.views.alignment import align


def problem(random: Random, arity: int, graded: bool) -> tuple[Board, Terms]:
    """A polynomial over a few rows and columns."""
    board = Board()
    terms: Terms = {}
    n, m = random.randint(1, 4), random.randint(1, 4)
    rows, columns = [board.row(("", i)) for i in range(n)], [board.column(("", a)) for a in range(m)]
    for _ in range(random.randint(1, 24)):
        size = min(random.randint(1, arity), n, m)
        term = board.term(tuple(random.sample(rows, size)), tuple(random.sample(columns, size)))
        assert term is not None
        terms[term] = terms.get(term, 0) + (random.random() if graded else random.choice([1, 1, 2]))
    return board, terms


def brute_force(board: Board, terms: Terms) -> float:
    pairs = range(len(board.places))
    best = 0.0
    for size in range(min(len(board.rows), len(board.columns)) + 1):
        for chosen in combinations(pairs, size):
            places = [board.places[pair] for pair in chosen]
            if len({i for i, _ in places}) == len({a for _, a in places}) == size:
                best = max(best, float(value(terms, chosen)))
    return best


@pytest.mark.parametrize("arity", [1, 2, 3])
@pytest.mark.parametrize("graded", [False, True])
def test_small_problems_are_solved_to_the_optimum_of_brute_force(arity: int, graded: bool) -> None:
    random = Random(arity)
    for _ in range(60):
        board, terms = problem(random, arity, graded)
        made, pairs = arrange(board, terms)
        found = solve(made, UNLIMITED)
        assert found.lower == found.upper == pytest.approx(brute_force(board, terms), abs=1e-9)
        assert value(terms, [pairs[pair] for pair in found.chosen]) == pytest.approx(found.lower, abs=1e-9)


Triples = list[tuple[str, str, str]]


def graph(random: Random, size: int, labels: int) -> Triples:
    """Like an AMR: a tree of nodes with labels, a few edges more, a few constants."""
    nodes = [f"v{number}" for number in range(size)]
    triples = [("instance", node, f"c{int(labels * random.random() ** 2.5)}") for node in nodes]
    roles, often = ["ARG0", "ARG1", "ARG2", "mod", "op1", "time"], [20, 28, 8, 14, 6, 4]
    for child in range(1, size):
        parent = random.randrange(max(0, child - 6), child)
        triples.append((random.choices(roles, often)[0], nodes[parent], Var(nodes[child])))
    for _ in range(size // 8):
        triples.append((random.choices(roles, often)[0], random.choice(nodes), Var(random.choice(nodes))))
    return sorted(set(triples), key=repr)


def changed(random: Random, triples: Triples, rate: float, labels: int) -> Triples:
    """What a parser might make of it, under other names."""
    nodes = sorted({subj for _, subj, _ in triples})
    names = random.sample(nodes, len(nodes))
    renamed = dict(zip(nodes, names, strict=True))
    made = set()
    for rel, subj, obj in triples:
        if random.random() < rate / 2:
            continue
        if rel == "instance" and random.random() < rate:
            obj = f"c{int(labels * random.random() ** 2.5)}"
        elif isinstance(obj, Var) and random.random() < rate:
            obj = Var(random.choice(nodes))
        made.add((rel, renamed[subj], Var(renamed[obj]) if isinstance(obj, Var) else obj))
    return sorted(made, key=repr)


def props(triples: Triples) -> dict[str, Any]:
    return {"props": [{"rel": rel, "subj": subj, "obj": obj} for rel, subj, obj in triples]}


def pair(seed: int, size: int, rate: float = 0.2, labels: int = 40) -> tuple[dict[str, Any], dict[str, Any]]:
    random = Random(seed)
    ref = graph(random, size, labels)
    return props(changed(random, ref, rate, labels)), props(ref)


def near(x: str, y: str) -> float:
    return 1.0 if x == y else 0.5 if x[:2] == y[:2] else 0.0


OBJECT = union("obj", {Var: var(), str: eq()})
SIGMA = latent(overlap("props", eq("rel") * var("subj") * OBJECT))
SMATCH = latent(f1("props", eq("rel") * var("subj") * OBJECT))
SOFT = latent(overlap("props", eq("rel") * var("subj") * union("obj", {Var: var(), str: custom(near)})))


def paper_programme(phi: Any, pred: Any, ref: Any) -> float:
    """Appendix A, as written: m_uv and m̃_xy in {0, 1}, m_uv ≤ m̃ of each variable, and 1:1 on both."""
    us, vs = pred["props"], ref["props"]
    compare = near if phi is SOFT else (lambda x, y: float(x == y))
    cells = []
    for u, one in enumerate(us):
        for v, other in enumerate(vs):
            variables = [(one["subj"], other["subj"])]
            w = float(one["rel"] == other["rel"])
            if isinstance(one["obj"], Var) and isinstance(other["obj"], Var):
                variables.append((one["obj"], other["obj"]))
            elif isinstance(one["obj"], Var) or isinstance(other["obj"], Var):
                w = 0.0
            else:
                w *= compare(one["obj"], other["obj"])
            if w:
                cells.append((u, v, w, variables))
    names = {name: number for number, name in enumerate(dict.fromkeys(x for *_, some in cells for x in some))}
    entries: list[tuple[int, int, float]] = []
    caps: list[float] = []

    def row(columns: list[int], numbers: list[float], cap: float) -> None:
        entries.extend((len(caps), column, number) for column, number in zip(columns, numbers, strict=True))
        caps.append(cap)

    first = len(cells)
    for k, (_, _, _, variables) in enumerate(cells):
        for name in variables:
            row([k, first + names[name]], [1, -1], 0)
    for side in (0, 1):
        groups: dict[Any, list[int]] = {}
        for k, cell in enumerate(cells):
            groups.setdefault(("prop", cell[side]), []).append(k)
        for name, number in names.items():
            groups.setdefault(("name", name[side]), []).append(first + number)
        for columns in groups.values():
            row(columns, [1] * len(columns), 1)
    i, j, w = (np.array(column) for column in zip(*entries, strict=True))
    size = first + len(names)
    matrix = coo_array((w, (i, j)), shape=(len(caps), size)).tocsr()
    cost = -np.array([cell[2] for cell in cells] + [0.0] * len(names))
    found = milp(cost, integrality=np.ones(size), bounds=Box(0, 1), constraints=LinearConstraint(matrix, ub=caps))
    return -float(found.fun)


@pytest.mark.parametrize("seed", range(60))
def test_graphs_are_solved_to_the_optimum_of_the_papers_programme(seed: int) -> None:
    pred, ref = pair(seed, size=8 + seed % 17, rate=(0.1, 0.3, 0.6)[seed % 3], labels=(6, 40, 200)[seed % 3])
    assert score(SIGMA, pred, ref) == pytest.approx(paper_programme(SIGMA, pred, ref), abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_graded_concepts_are_solved_to_the_optimum_of_the_papers_programme(seed: int) -> None:
    pred, ref = pair(seed, size=6 + seed % 12, rate=0.3, labels=30)
    assert score(SOFT, pred, ref) == pytest.approx(paper_programme(SOFT, pred, ref), abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_graph_under_other_names_and_in_another_order_is_equal(seed: int) -> None:
    random = Random(seed)
    ref = graph(random, 25, 12)
    assert score(SMATCH, props(changed(random, ref, 0, 12)), props(ref)) == 1


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("seed", range(3))
def test_what_bounds_and_local_search_leave_open_is_solved_to_the_optimum_of_brute_force(size: int, seed: int) -> None:
    # Nothing but HiGHS proves these: every edge may be matched with every other.
    mine, theirs = unlabelled_edges(Random(seed), size)
    counts = Counter(map(tuple, theirs))
    best = max(sum(counts[names[i], names[j]] for i, j in mine) for names in permutations(range(size)))
    found = solve(unlabelled(Random(seed), size), UNLIMITED)
    assert found.lower == found.upper == best


def arrays(pred: Any, ref: Any) -> Polynomial:
    pair: Any = plan(SIGMA).operator
    board = Board()
    return arrange(board, write(board, pair.inner, Part(pred, Side("prediction")), Part(ref, Side("reference"))))[0]


def test_equal_problems_have_equal_answers() -> None:
    pred, ref = pair(3, size=30, rate=0.5, labels=10)
    shuffled = {"props": Random(0).sample(pred["props"], len(pred["props"]))}
    one, two = arrays(pred, ref), arrays(shuffled, ref)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert solve(one, UNLIMITED) == solve(two, UNLIMITED)


HARD = pair(7, size=45, rate=0.5, labels=15)


def test_a_gap_stops_early_with_bounds_around_the_optimum() -> None:
    best = score(SMATCH, *HARD)
    found = plan(SMATCH).bounds(*HARD, gap=0.2)
    assert not found.proved
    assert found.lower <= best <= found.upper
    assert found.upper - found.lower <= 0.2 * found.upper


def test_bounds_have_the_part_of_a_sum_that_depends_on_no_variable() -> None:
    phi = latent(overlap("props", eq("rel") * var("subj") * OBJECT) + overlap("tags"))
    pred, ref = ({**one, "tags": list(range(50))} for one in HARD)
    found = plan(phi).bounds(pred, ref, gap=0.2)
    assert not found.proved
    assert found.lower <= score(phi, pred, ref) <= found.upper


def test_a_time_limit_of_0_still_gives_bounds() -> None:
    found = plan(SMATCH).bounds(*HARD, time_limit=0)
    assert not found.proved
    assert found.lower <= score(SMATCH, *HARD) <= found.upper


@pytest.mark.parametrize("seed", [0, 2, 4, 5])
def test_local_search_is_tried_before_the_time_is_over(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = unlabelled(Random(seed), 12)
    found, at_once = [], Climber.climb
    for climb in (lambda self, start, _: at_once(self, start, lambda: False), lambda self, start, _: (0.0, [])):
        ticks = count()
        monkeypatch.setattr(solver, "monotonic", lambda ticks=ticks: float(next(ticks)))  # a second at each look
        monkeypatch.setattr(Climber, "climb", climb)
        found.append(solve(made, Limits(30, deadline=30.0)))
    assert found[1].lower < found[0].lower < found[0].upper


def unlabelled_edges(random: Random, size: int) -> tuple[list[list[int]], list[list[int]]]:
    mine, theirs = ([random.sample(range(size), 2) for _ in range(3 * size)] for _ in range(2))
    return mine, theirs


def unlabelled(random: Random, size: int) -> Polynomial:
    """Two graphs of edges without labels: every edge may be matched with every other."""
    board = Board()
    terms: Terms = {}
    rows, columns = ([place(("", node)) for node in range(size)] for place in (board.row, board.column))
    mine, theirs = unlabelled_edges(random, size)
    for i, j in mine:
        for a, b in theirs:
            term = board.term((rows[i], rows[j]), (columns[a], columns[b]))
            assert term is not None
            terms[term] = terms.get(term, 0) + 1
    return arrange(board, terms)[0]


def test_without_limits_the_bounds_are_equal() -> None:
    pred, ref = pair(1, size=12)
    assert plan(SMATCH).bounds(pred, ref) == Bounds(score(SMATCH, pred, ref), score(SMATCH, pred, ref))


def test_a_score_under_a_limit_is_the_lower_bound() -> None:
    assert score(SMATCH, *HARD, gap=0.2) == plan(SMATCH).bounds(*HARD, gap=0.2).lower


def test_an_alignment_under_a_limit_is_that_of_the_lower_bound() -> None:
    assert align(SMATCH, *HARD, gap=0.2).score == plan(SMATCH).bounds(*HARD, gap=0.2).lower


def test_bounds_pass_through_what_stands_around() -> None:
    around = f1("docs", SMATCH)
    found = plan(around).bounds({"docs": [HARD[0]]}, {"docs": [HARD[1]]}, gap=0.2)
    inner = plan(SMATCH).bounds(*HARD, gap=0.2)
    assert (found.lower, found.upper) == (inner.lower, inner.upper)


@pytest.mark.parametrize(
    ("limits", "problem"),
    [({"time_limit": -1}, "time_limit=-1; write the seconds"), ({"gap": 1.5}, "gap=1.5; write a share")],
)
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any], problem: str) -> None:
    with pytest.raises(MatchwiseError, match=problem):
        Limits(**limits)


def test_bounds_print_as_a_proof_or_as_a_range() -> None:
    assert (str(Bounds(0.8312, 0.8312)), str(Bounds(0.829, 0.8345))) == ("0.8312 (proved)", "0.8290–0.8345")


def test_what_is_aligned_by_an_optimum_has_no_bounds() -> None:
    phi = overlap("docs", eq("id"), align_by=SMATCH)
    pred, ref = {"docs": [{"id": 1, **HARD[0]}]}, {"docs": [{"id": 1, **HARD[1]}]}
    assert score(phi, pred, ref) == 1
    with pytest.raises(ExpressionError, match="what is aligned by it has no bounds"):
        plan(phi).bounds(pred, ref, gap=0.2)


@pytest.mark.parametrize("gap", [-0.1, 1, 2])
def test_a_gap_is_a_share_below_1(gap: float) -> None:
    with pytest.raises(MatchwiseError, match=f"gap={gap}; write a share of the score from 0 to 1, such as 0.01"):
        score(eq(), 1, 1, gap=gap)
