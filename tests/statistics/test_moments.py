"""Moments of forms are exact, and so is the variance that is read from them."""

from fractions import Fraction

import numpy as np

from matchwise.statistics.variation import moments


def test_one_unit_has_no_variance_and_two_have_that_of_their_difference() -> None:
    assert moments(np.array([[3.0, 4.0]])).variance(np.array([1.0, 2.0])) == 0.0
    # The values are 11 and 5, three from their mean: 2 / 1 · (3² + 3²).
    assert moments(np.array([[3.0, 4.0], [1.0, 2.0]])).variance(np.array([1.0, 2.0])) == 36.0


def test_moments_of_fractions_are_exact() -> None:
    forms = np.array([[0.1, 3.0], [1 / 3, 2.0], [1e-9, 7.5]])
    found = moments(forms)
    columns = [[Fraction(float(x)) for x in column] for column in forms.T]
    assert list(found.sums) == [sum(column) for column in columns]
    assert found.squares.tolist() == [
        [sum(a * b for a, b in zip(one, other, strict=True)) for other in columns] for one in columns
    ]


def test_moments_of_large_whole_numbers_are_exact() -> None:
    for most in (2**25, 2**26, 2**27, 2**40):
        forms = np.array([[most - 1, 3], [most - 3, most - 5], [1, 2]], dtype=float)
        columns = [[int(x) for x in column] for column in forms.T]
        found = moments(forms)
        assert [int(x) for x in found.sums] == [sum(column) for column in columns]
        assert [[int(x) for x in row] for row in found.squares] == [
            [sum(a * b for a, b in zip(one, other, strict=True)) for other in columns] for one in columns
        ]
