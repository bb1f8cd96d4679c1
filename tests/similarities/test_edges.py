"""Values at the edges of what the leaves accept; each test was written for a planted mistake that survived."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from fractions import Fraction
from math import inf, nan
from random import Random

import numpy as np
import pytest
from leaf_tables import table_of

import matchwise as mw
from matchwise import f1
from matchwise.errors import ExpressionError
from matchwise.similarities import numbers, spans
from matchwise.similarities.answers import as_content
from matchwise.similarities.dates import date, within
from matchwise.similarities.numbers import close
from matchwise.similarities.ontology import ontology
from matchwise.similarities.values import name
from matchwise.tasks.documents.tools import anls_star


@pytest.mark.parametrize("rel", [1, 1.5, 2])
def test_a_relative_tolerance_is_less_than_the_whole(rel):
    with pytest.raises(ExpressionError, match=r"is a share of the larger number; write rel=0\.05 for 5 %"):
        close(rel=rel)


def test_the_largest_relative_tolerance_below_the_whole_is_taken():
    assert dict(close(rel=0.999).options) == {"abs": 0, "rel": 0.999}


def test_many_numbers_at_the_tolerance_are_compared_exactly():
    options = dict(close(abs=0.01).options)
    places = np.array([0, 1])
    found = numbers.paired([1.00, 1.00], [1.01, 1.0100000001], places, places, options)
    assert found.tolist() == [1.0, 0.0]


def test_a_reference_list_of_other_things_than_strings_is_no_list_of_accepted_answers():
    assert anls_star("a", ["a", 1]) == 0.0
    assert anls_star("a", ["a", "b"]) == 1.0


def test_every_format_of_a_date_has_a_directive():
    with pytest.raises(ExpressionError, match="names no way to write a date"):
        date(formats=("%Y-%m-%d", "today"))


@pytest.mark.parametrize(("seconds", "value"), [(0.5, 1), (0.499999, 0)])
def test_microseconds_of_a_time_count_forwards(score, seconds, value):
    assert score(within(seconds=seconds), time(0, 0, 0, 500_000), time(0, 0, 1)) == value


def test_a_second_of_tolerance_is_not_a_microsecond_more(score):
    assert score(within(seconds=1), time(0, 0, 0), time(0, 0, 1)) == 1
    assert score(within(seconds=1), time(0, 0, 0), time(0, 0, 1, 1)) == 0


@pytest.mark.parametrize("unit", ["days", "hours", "minutes", "seconds"])
def test_a_unit_of_tolerance_is_exactly_as_long_as_it_is(score, unit):
    start, length = datetime(2024, 2, 28), timedelta(**{unit: 3})
    assert score(within(**{unit: 3}), start, start + length) == 1
    assert score(within(**{unit: 3}), start, start + length + timedelta(microseconds=1)) == 0
    assert mw.score(f1("xs", within(**{unit: 3})), {"xs": [start] * 70}, {"xs": [start + length] * 70}) == 1.0


@pytest.mark.parametrize("leaf", [close(abs=0.01), close(rel=0.01), close(abs="0.02", rel="0.001")], ids=repr)
def test_prices_at_the_tolerance_are_compared_as_they_are_printed(leaf):
    options = dict(leaf.options)
    least, share = (Fraction(str(options[name])) for name in ("abs", "rel"))
    cents = [*range(95, 106), *range(-3, 4), 9900, 9999, 10000, 10001, 10101]
    values = [numbers.feature(cent / 100, options) for cent in cents]
    expected = [[float(abs(x - y) <= max(100 * least, share * max(abs(x), abs(y)))) for y in cents] for x in cents]
    assert [[numbers.compare(f, g, options) for g in values] for f in values] == expected
    assert table_of(numbers.CLOSE, values, values, options).tolist() == expected
    a, b = (places.ravel() for places in np.indices((len(cents), len(cents))))
    assert numbers.paired(values, values, a, b, options).tolist() == [cell for row in expected for cell in row]


def test_a_tolerance_that_is_larger_than_both_numbers_is_exact():
    assert mw.score(close(abs=0.3), 0.1, -0.2) == 1.0  # 0.1 + 0.2 > 0.3 in floats
    assert table_of(numbers.CLOSE, [0.1], [-0.2], dict(close(abs=0.3).options)).tolist() == [[1.0]]


def test_pieces_of_no_width_are_left_out_beside_wide_ones():
    assert spans.pieces([(0, 0), (5, 8), (8, 8), (9, 9)]) == ((5, 8),)
    assert spans.pieces([(4, 4), (2, 2), (4, 4)]) == ((2, 2), (4, 4))


@pytest.mark.parametrize("scale", [1, 0.1, 2**50], ids=["whole", "floats", "large"])
def test_spans_of_several_pieces_score_alone_as_they_do_together(scale):
    random = Random(5)
    drawn = [sorted(random.sample(range(20), 2 * random.choice([1, 1, 2, 3]))) for _ in range(40)]
    values = [spans.pieces([(a * scale, b * scale) for a, b in zip(*[iter(ends)] * 2, strict=True)]) for ends in drawn]
    a, b = (places.ravel() for places in np.indices((len(values), len(values))))
    for kind in (spans.IOU, spans.TOUCH):
        expected = [[kind.compare(f, g, {}) for g in values] for f in values]
        assert table_of(kind, values, values, {}).tolist() == expected
        assert kind.paired(values, values, a, b, {}).tolist() == [cell for row in expected for cell in row]


def test_three_numbers_are_no_span():
    with pytest.raises(ValueError, match="span"):
        spans.pieces((1, 2, 3))


def test_positions_beyond_what_floats_add_are_shared_exactly():
    phi = mw.parse('f1("xs", iou() > 0.999999)')
    start = 2**60
    pred, ref = {"xs": [(start, start + 3)] * 40}, {"xs": [(start, start + 4)] * 40}
    assert mw.score(phi, pred, ref) == 0.0
    assert mw.score(phi, ref, ref) == 1.0


def test_either_relative_at_half_credit_keeps_the_triangle():
    assert mw.facts(ontology({"bombing": "attack"}, credit=0.5, credited="either")).triangle
    assert not mw.facts(ontology({"bombing": "attack"}, credit=0.51, credited="either")).triangle


def test_a_float_is_a_name_and_nan_is_none():
    assert name(1.5) == 1.5
    assert name(inf) == inf
    with pytest.raises(ValueError, match="expected a name"):
        name(nan)


def test_content_is_text_as_written_in_the_order_of_keys_and_finite():
    assert as_content({"b": 1, "a": "ä"}) == '{"a": "ä", "b": 1}'
    with pytest.raises(ValueError, match="JSON"):
        as_content({"a": nan})


def test_spans_of_several_pieces_are_compared_in_a_matrix_to_the_last_bit() -> None:
    rng = Random(0)

    def draw(most: int, least: int = 1) -> spans.Pieces:
        ends = sorted(rng.choice([rng.random(), 0, 1]) for _ in range(2 * rng.randint(least, most)))
        return spans.pieces(list(zip(ends[::2], ends[1::2], strict=True)))

    for fs, gs in (
        ([draw(3) for _ in range(20)], [draw(3) for _ in range(20)]),
        ([draw(3) for _ in range(20)], [draw(1) for _ in range(20)]),
        ([draw(1) for _ in range(20)], [draw(3) for _ in range(20)]),
        ([draw(3, 2) for _ in range(20)], [draw(3, 2) for _ in range(20)]),
        ([((0.1, 0.3), (0.5, 0.7))] * 20, [((0.2, 0.4), (0.6, 0.9))] * 20),
        ([draw(20, 12) for _ in range(20)], [draw(20, 12) for _ in range(20)]),
        ([draw(20, 12) for _ in range(20)], [draw(1) for _ in range(20)]),
    ):
        for leaf in (spans.IOU, spans.TOUCH):
            want = [[leaf.compare(f, g, {}) for g in gs] for f in fs]
            assert table_of(leaf, fs, gs, {}).tolist() == want
            assert leaf.paired is not None
            everywhere = np.arange(20)
            assert leaf.paired(fs, gs, everywhere, everywhere, {}).tolist() == [want[n][n] for n in range(20)]


def test_pieces_of_no_width_beside_others_are_left_out() -> None:
    assert spans.pieces([(0, 2), (3, 3), (5, 6)]) == ((0, 2), (5, 6))
    assert spans.pieces([(3, 3), (1, 1), (3, 3)]) == ((1, 1), (3, 3))
    assert spans.pieces([(4, 4)]) == spans.pieces((4, 4)) == ((4, 4),)


@pytest.mark.parametrize(("unit", "seconds"), [("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1)])
def test_every_unit_of_time_ends_to_the_microsecond(unit: str, seconds: int) -> None:
    phi, start = within(**{unit: 2}), datetime(2024, 1, 1)
    inside, outside = (start + timedelta(seconds=2 * seconds, microseconds=more) for more in (0, 1))
    assert [mw.score(phi, start, end) for end in (inside, outside)] == [1, 0]
    features = [phi.kind.feature(moment, dict(phi.options)) for moment in (start, inside, outside)]
    assert table_of(phi.kind, features[:1], features, dict(phi.options)).tolist() == [[1, 1, 0]]
    places = np.array([0, 0, 0]), np.array([0, 1, 2])
    assert phi.kind.paired(features, features, *places, dict(phi.options)).tolist() == [1, 1, 0]
    (starts, ends) = phi.kind.reach(features, dict(phi.options))
    assert starts[1] <= ends[0]  # the two that are near enough are compared
    assert phi.kind.reach([*features, ("date", 0)], dict(phi.options)) is None


def test_numbers_within_rounding_of_the_tolerance_are_compared_exactly_in_every_way() -> None:
    phi = close(abs=0.01)
    fs, gs = [1.0, 0.07, 5.0], [1.01, 0.06, 5.02]
    want = [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert [[phi.kind.compare(f, g, dict(phi.options)) for g in gs] for f in fs] == want
    assert table_of(phi.kind, fs, gs, dict(phi.options)).tolist() == want
    places = np.array([0, 1, 2, 0]), np.array([0, 1, 2, 1])
    assert phi.kind.paired(fs, gs, *places, dict(phi.options)).tolist() == [1, 1, 0, 0]


def same(pairs: list[tuple[str, str]]) -> list[float]:
    return [float(pred == ref) for pred, ref in pairs]


def test_a_damaged_line_of_a_cache_is_shown_up_to_sixty_letters(tmp_path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("x" * 100 + "\n")
    with pytest.raises(mw.FormatError, match=f"found '{'x' * 60}' before byte 101, expected an answer such as"):
        mw.score(mw.judge(same, version="1", cache=file), "a", "b")


def test_times_of_day_within_reach_are_compared_to_the_microsecond() -> None:
    phi = within(seconds=2)
    noon, inside = (phi.kind.feature(moment, dict(phi.options)) for moment in (time(12), time(12, 0, 2)))
    starts, ends = phi.kind.reach([noon, inside], dict(phi.options))
    assert starts[1] <= ends[0]


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12])
def test_numbers_at_the_tolerance_are_within_reach_however_large_they_are(size: float) -> None:
    phi = close(abs=0.01)
    starts, ends = phi.kind.reach([size, size + 0.02], dict(phi.options))
    assert starts[1] <= ends[0]  # each reaches half of the way, and a little more


def test_answers_are_kept_in_the_letters_of_the_documents(tmp_path) -> None:
    file = tmp_path / "answers.jsonl"
    assert mw.score(mw.judge(same, version="1", cache=file), "Zoë", "Ute") == 0
    assert '"Zoë"' in file.read_text(encoding="utf-8")


def test_types_are_compared_in_pairs_as_in_a_table() -> None:
    phi = ontology({"dog": "animal", "cat": "animal", "animal": "thing"}, credited="either", credit=0.5)
    fs, gs, options = ["dog", "cat", "thing"], ["animal", "dog"], dict(phi.options)
    places = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 0, 1])
    want = [phi.kind.compare(fs[i], gs[j], options) for i, j in zip(*places, strict=True)]
    assert phi.kind.paired(fs, gs, *places, options).tolist() == want == [0.5, 1, 0, 0.5, 0.5]
