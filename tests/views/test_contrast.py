"""The contrast of the report's colours, measured as WCAG 2 has it: 4.5 for text, 3 for what is drawn."""

import re

import pytest

from matchwise.views.html import ACCENT, SPANS
from matchwise.views.html import STYLE as VIEW
from matchwise.views.report import STYLE

Colour = tuple[float, ...]


def colour(text: str) -> Colour:
    return tuple(int(text[place : place + 2], 16) for place in (1, 3, 5))


def luminance(rgb: Colour) -> float:
    """WCAG 2, relative luminance of sRGB."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def over(rgb: Colour, share: float, paper: Colour) -> Colour:
    """A colour laid over another."""
    return tuple(share * mine + (1 - share) * theirs for mine, theirs in zip(rgb, paper, strict=True))


def palette(mode: str) -> dict[str, Colour]:
    """The variables of both styles; the dark ones come second."""
    place = ("light", "dark").index(mode)
    found = re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", STYLE) + re.findall(r"--(mw-[a-z]+): (#[0-9a-f]{6})\b", VIEW)
    made: dict[str, list[Colour]] = {}
    for name, value in found:
        made.setdefault(name, []).append(colour(value))
    tints = [tuple(map(float, tint.split(", "))) for tint in re.findall(r"--tint: ([0-9, ]+);", STYLE)]
    return {**{name: values[place] for name, values in made.items() if len(values) == 2}, "tint": tints[place]}


def test_black_on_white_is_21_and_a_known_grey_4_54() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21, abs=1e-12)
    assert round(contrast(colour("#767676"), (255, 255, 255)), 2) == 4.54


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_colour_of_the_palette_is_found(mode: str) -> None:
    assert set(palette(mode)) == {
        "ink", "paper", "quiet", "rule", "accent", "warn", "tint", "mw-bad", "mw-part", "mw-good",
    }  # fmt: skip


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "quiet", "warn", "mw-bad", "mw-part", "mw-good"])
def test_text_on_paper_is_aa(mode: str, name: str) -> None:
    colours = palette(mode)
    assert contrast(colours[name], colours["paper"]) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_on_the_darkest_cell_of_a_heat_table_is_aa(mode: str) -> None:
    colours = palette(mode)
    share = float(re.findall(r"calc\(var\(--share\) \* ([.0-9]+)\)", STYLE)[0])
    assert contrast(colours["ink"], over(colours["tint"], share, colours["paper"])) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize("name", ["ink", "mw-bad", "mw-part"])
def test_words_and_signs_on_the_tint_of_a_span_inside_another_are_aa(mode: str, span: str, name: str) -> None:
    colours = palette(mode)
    assert f"background: {span}33" in VIEW
    once = over(colour(span), 0x33 / 0xFF, colours["paper"])
    twice = [over(colour(inner), 0x33 / 0xFF, once) for inner in SPANS]
    assert min(contrast(colours[name], behind) for behind in (once, *twice)) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_bars_and_the_line_around_the_focus_stand_out(mode: str) -> None:
    colours = palette(mode)
    assert contrast(colours["accent"], colours["paper"]) >= 3


def test_charts_in_notebooks_stand_out_from_white_and_from_dark() -> None:
    assert min(contrast(colour(ACCENT), colour(paper)) for paper in ("#ffffff", "#111111")) >= 3
