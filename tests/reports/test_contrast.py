"""The contrast of the report's colours, measured as WCAG 2 has it: 4.5 for text, 3 for what is drawn."""

import colorsys
import re
from math import cos, radians, sin

import pytest

from matchwise.sheets.html import read_asset

TABLES, CHARTS, VIEW, STYLE = (read_asset(f"{name}.css") for name in ("tables", "charts", "view", "report"))
SPANS = re.findall(r"\.mw-c\d \{ background: (#\w{6})33; border-color: \1; \}", VIEW)
ACCENT = re.findall(r"var\(--accent, (#\w{6})\)", CHARTS)[0]

Colour = tuple[float, ...]


def colour(text: str) -> Colour:
    return tuple(int(text[place : place + 2], 16) for place in (1, 3, 5))


def luminance(rgb: Colour) -> float:
    """WCAG 2, relative luminance of sRGB."""
    linear = [decode(part / 255) for part in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def over(rgb: Colour, share: float, paper: Colour) -> Colour:
    """A colour laid over another."""
    return tuple(share * mine + (1 - share) * theirs for mine, theirs in zip(rgb, paper, strict=True))


def decode(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def encode(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def lightness(rgb: Colour) -> float:
    """L of Oklab (Ottosson 2020)."""
    r, g, b = (decode(part / 255) for part in rgb)
    long = 0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b
    medium = 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b
    short = 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b
    return 0.2104542553 * long ** (1 / 3) + 0.7936177850 * medium ** (1 / 3) - 0.0040720468 * short ** (1 / 3)


def from_oklch(light: float, chroma: float, hue: float) -> Colour:
    a, b = chroma * cos(radians(hue)), chroma * sin(radians(hue))
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return tuple(255 * encode(min(max(part, 0.0), 1.0)) for part in linear)


def beside(ink: Colour) -> dict[str, Colour]:
    """The colours of a view whose text has this colour."""
    number = r"(-?[.0-9]+)"
    lightest, chromatic = rf"clamp\({number}, l, {number}\)", rf"calc\({number} ([-+]) {number} \* l\)"
    rule = rf"--(mw-[a-z]+): oklch\(from currentColor {lightest} {chromatic} {number} / 1\)"
    light, made = lightness(ink), {}
    for name, low, high, start, sign, slope, hue in re.findall(rule, VIEW):
        chroma = float(start) + float(f"{sign}{slope}") * light
        made[name] = from_oklch(min(max(light, float(low)), float(high)), chroma, float(hue))
    return made


def palette(mode: str) -> dict[str, Colour]:
    """The variables of the page, of which the dark ones come second, and the colours of views beside its text."""
    place = ("light", "dark").index(mode)
    made: dict[str, list[Colour]] = {}
    for name, value in re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", STYLE):
        made.setdefault(name, []).append(colour(value))
    tints = [tuple(map(float, tint.split(", "))) for tint in re.findall(r"--tint: ([0-9, ]+);", STYLE)]
    own = {name: values[place] for name, values in made.items() if len(values) == 2}
    return {**own, **beside(own["ink"]), "tint": tints[place]}


@pytest.mark.parametrize(("ink", "paper"), [("#000000", "#ffffff"), ("#ffffff", "#111111")])
def test_views_in_a_notebook_follow_its_text_and_not_the_system(ink: str, paper: str) -> None:
    assert "prefers-color-scheme" not in VIEW + CHARTS + TABLES
    assert sorted(beside(colour(ink))) == ["mw-bad", "mw-good", "mw-part"]
    assert min(contrast(made, colour(paper)) for made in beside(colour(ink)).values()) >= 4.5


def test_black_and_white_have_lightness_0_and_1_and_a_known_red_comes_back() -> None:
    assert lightness((0, 0, 0)) == 0
    assert lightness((255, 255, 255)) == pytest.approx(1, abs=1e-6)
    assert [round(part) for part in from_oklch(0.6279554, 0.2576833, 29.2338813)] == [255, 0, 0]


def test_black_on_white_is_21_and_a_known_grey_4_54() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21, abs=1e-12)
    assert round(contrast(colour("#767676"), (255, 255, 255)), 2) == 4.54


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_colour_of_the_palette_is_found(mode: str) -> None:
    assert set(palette(mode)) == {
        "ink", "paper", "raised", "quiet", "rule", "accent", "warn", "tint", "mw-bad", "mw-part", "mw-good",
        "base", "second", "third", "fourth",
    }  # fmt: skip


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "quiet", "warn", "accent", "mw-bad", "mw-part", "mw-good"])
def test_text_on_paper_and_on_raised_ground_is_aa(mode: str, name: str) -> None:
    colours = palette(mode)
    assert min(contrast(colours[name], colours[ground]) for ground in ("paper", "raised")) >= 4.5


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
@pytest.mark.parametrize("name", ["accent", "base", "second", "third", "fourth"])
def test_bars_and_the_line_around_the_focus_stand_out(mode: str, name: str) -> None:
    colours = palette(mode)
    assert contrast(colours[name], colours["paper"]) >= 3


def hue(rgb: Colour) -> float:
    return colorsys.rgb_to_hsv(*(part / 255 for part in rgb))[0] * 360


def test_no_label_entity_or_system_is_drawn_in_the_green_of_right_or_the_red_of_wrong() -> None:
    drawn = [colour(span) for span in SPANS]
    drawn += [palette(mode)[name] for mode in ("light", "dark") for name in ("base", "second", "third", "fourth")]
    assert len(SPANS) == 8
    assert [one for one in drawn if not 25 < hue(one) < 75 and not 175 < hue(one) < 320] == []


def test_charts_in_notebooks_stand_out_from_white_and_from_dark() -> None:
    assert min(contrast(colour(ACCENT), colour(paper)) for paper in ("#ffffff", "#111111")) >= 3
