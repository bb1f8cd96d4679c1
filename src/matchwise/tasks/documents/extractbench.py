"""ExtractBench (Zhang et al. 2026): values, pages and boxes of JSON that was extracted from documents.

A document is flattened into cells: fields, and the fields of records, which are paired so that most cells agree. A
cell is right if it has one of the accepted values, and grounded if it also cites an accepted page or a box of IoU 0.5.

    {"extracted_data": {"total": 9}, "field_citations": [{"field_path": "total", "page": 1, "bbox": [x, y, w, h]}]}
    {"expected_output": {"total": 9}, "_field_rules": {"total": {"evidence": [{"value": 9, "page": 1, "bbox": […]}]}}}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, field

from matchwise.algebra.build import best, eq, f1, recall
from matchwise.algebra.nodes import Similarity
from matchwise.algebra.steps import StepKind
from matchwise.similarities.spans import iou


class CitedBox(NamedTuple):
    """A box on a page: left, top, width and height."""

    page: int
    box: tuple[float, ...]


class GroundedCell(NamedTuple):
    """A cell: the pair that it belongs to if its value is right, and what it cites."""

    pair: int
    pages: tuple[int, ...] = ()
    boxes: tuple[CitedBox, ...] = ()


class CellGroup(NamedTuple):
    """Some cells of a side."""

    cells: tuple[GroundedCell, ...]


class CellsOfDocument(NamedTuple):
    """All cells of a side, those that can be graded by page, and by box; none where the reference has none."""

    value: tuple[CellGroup, ...]
    page: tuple[CellGroup, ...]
    box: tuple[CellGroup, ...]


OVERLAP = eq("page") * (iou("box", box="xywh") >= 0.5)
METRICS: dict[str, Similarity] = {
    "value": recall("value", f1("cells", eq("pair"), empty=0)),
    "page": recall("page", f1("cells", eq("pair") * best("pages"), empty=0)),
    "grounded": recall("box", f1("cells", eq("pair") * best("boxes", OVERLAP), empty=0)),
}
"""Means of F1 over documents: the recall of documents, each worth its F1."""


@dataclass(frozen=True, slots=True)
class PairedCells:
    """Pairs the records of both sides, and flattens both documents into cells."""

    def __call__(self, pred: Any, ref: Any) -> tuple[CellsOfDocument, CellsOfDocument]:
        given = _inside(pred, ("output", "extracted_data"))
        wanted, rules = _inside(ref, ("expected_output",)), _rules(ref)
        schema = ref.get("data_schema") or {} if isinstance(ref, dict) else {}
        pairs = CellPairing(rules, _citations(pred))
        if isinstance(given, dict) and isinstance(wanted, dict):
            for name in sorted((set(wanted) | set(given)) - {"_provenance"}):
                about = schema.get("properties", {}).get(name, {})
                one, other = plain_dates(wanted.get(name)), plain_dates(given.get(name))
                if about.get("type") == "array" or isinstance(one, list):
                    pairs.add_records(name, name, one, other, about)
                else:
                    pairs.add_cell(name, name, one, other, name)
        elif isinstance(wanted, dict):  # nothing was extracted: no value is right
            for name, one in wanted.items():
                pairs.count(name, one, schema.get("properties", {}).get(name, {}), pairs.theirs)
        return pairs.sides()


paired_cells = StepKind("paired_cells", PairedCells, gives=CellsOfDocument)


class CellRule(NamedTuple):
    """What is accepted in a field."""

    values: tuple[Any, ...] = ()
    normalizers: tuple[str, ...] = ()


NO_RULE = CellRule(), GroundedCell(0)


class CellPairing(Struct):
    """The cells that were found so far."""

    rules: Mapping[str, tuple[CellRule, GroundedCell]]
    citations: Mapping[str, GroundedCell]
    mine: list[GroundedCell] = field(default_factory=list)
    theirs: list[GroundedCell] = field(default_factory=list)
    claims: list[GroundedCell] = field(default_factory=list)
    """Predicted cells that stand beside a cell of the reference."""

    def sides(self) -> tuple[CellsOfDocument, CellsOfDocument]:
        """Claims are graded where the reference has evidence."""
        known = {cell.pair: cell for cell in self.theirs}
        sides: list[list[tuple[CellGroup, ...]]] = [[], []]
        for kind in ("pages", "boxes"):
            graded = [cell for cell in self.theirs if getattr(cell, kind)]
            claims = [one for one in self.claims if getattr(one, kind) and getattr(known[abs(one.pair)], kind)]
            for side, cells in zip(sides, (claims, graded), strict=True):
                side.append((CellGroup(tuple(cells)),) if graded else ())
        for side, cells in zip(sides, (self.mine, self.theirs), strict=True):
            side.insert(0, (CellGroup(tuple(cells)),) if self.mine or self.theirs else ())
        return CellsOfDocument(*sides[0]), CellsOfDocument(*sides[1])

    def add_cell(self, path: str, own: str, wanted: Any, given: Any, name: str) -> None:
        """Two values in one place."""
        rule, known = self.rules.get(path, NO_RULE)
        number = len(self.theirs) + 1
        self.theirs.append(GroundedCell(number, known.pages, known.boxes))
        number *= 1 if is_same(wanted, given, name, rule) else -1
        cited = self.citations.get(own, NO_RULE[1])
        self.claims.append(GroundedCell(number, cited.pages, cited.boxes))
        self.mine.append(GroundedCell(number))

    def count(self, path: str, value: Any, about: Mapping[str, Any], side: list[GroundedCell]) -> None:
        """A cell of one side, or all cells of records that the other side lacks."""
        if _is_records(value):
            inside = about.get("items", {}).get("properties", {})
            for place, row in enumerate(value):
                for name in _columns(about, value):
                    part = row.get(name) if isinstance(row, dict) else None
                    self.count(f"{path}[{place}].{name}", part, inside.get(name, {}), side)
        elif side is self.theirs:
            known = self.rules.get(path, NO_RULE)[1]
            side.append(GroundedCell(len(side) + 1, known.pages, known.boxes))
        else:
            side.append(GroundedCell(-len(side) - 1_000_000_000))

    def add_records(self, path: str, own: str, wanted: Any, given: Any, about: Mapping[str, Any]) -> None:
        """Two lists of records, whose columns are those of the schema, or of the reference."""
        theirs, mine = (
            [row if isinstance(row, dict) else {} for row in (side if isinstance(side, list) else ())]
            for side in (wanted, given)
        )
        columns = _columns(about, theirs)
        inside = about.get("items", {}).get("properties", {})
        nested = [name for name in columns if any(_is_records(row.get(name)) for row in theirs)]
        partners = self._assign(path, theirs, mine, [name for name in columns if name not in nested] or columns)
        for i, row in enumerate(theirs):
            j = partners.get(i)
            for name in columns:
                place, one = f"{path}[{i}].{name}", row.get(name)
                if j is None:
                    self.count(place, one if name in nested else None, inside.get(name, {}), self.theirs)
                elif name in nested:
                    self.add_records(place, f"{own}[{j}].{name}", one, mine[j].get(name), inside.get(name, {}))
                else:
                    self.add_cell(place, f"{own}[{j}].{name}", one, mine[j].get(name), name)
        for j in set(range(len(mine))) - set(partners.values()):
            for name in columns:
                self.count("", mine[j].get(name) if name in nested else None, inside.get(name, {}), self.mine)

    def _assign(self, path: str, theirs: list[Any], mine: list[Any], columns: list[str]) -> dict[int, int]:
        """Reference row -> predicted row, so that the fewest cells differ; ties are SciPy's, as there."""
        from scipy.optimize import linear_sum_assignment

        cost = np.full((len(mine), len(theirs)), len(columns), dtype=np.int16)
        for name in columns:
            alike: list[int] = []
            sizes = []
            places: dict[Any, list[int]] = {}
            for j, row in enumerate(mine):
                places.setdefault(_key(row.get(name)), []).append(j)
            for i, row in enumerate(theirs):
                rule = self.rules.get(f"{path}[{i}].{name}", NO_RULE)[0]
                if rule.normalizers or name in FUZZY:
                    same = [j for j, other in enumerate(mine) if is_same(row.get(name), other.get(name), name, rule)]
                else:
                    same = [j for one in {_key(row.get(name)), *map(_key, rule.values)} for j in places.get(one, ())]
                alike += same
                sizes.append(len(same))
            cost[np.array(alike, dtype=np.int64), np.repeat(np.arange(len(theirs)), sizes)] -= 1
        rows, chosen = linear_sum_assignment(cost)
        return dict(zip(chosen.tolist(), rows.tolist(), strict=True))


def _inside(document: Any, names: tuple[str, ...]) -> Any:
    """The data of a document, which may stand under one of these names after the other."""
    for name in names:
        if isinstance(document, dict) and name in document:
            document = document[name]
    only_value = isinstance(document, dict) and set(document) == {"value"}
    return document["value"] if only_value else document


def _rules(document: Any) -> dict[str, tuple[CellRule, GroundedCell]]:
    """Path -> the accepted values, and their places."""
    known = document.get("_field_rules") or document.get("test_rules") or {} if isinstance(document, dict) else {}
    rules = known if isinstance(known, dict) else {one.get("field_path", ""): one for one in known}
    made = {}
    for path, rule in rules.items():
        found = rule.get("evidence")
        if found is None:  # before version 0.2
            found = [{**one, "value": rule.get("expected_value")} for one in rule.get("bboxes") or ()]
        accepted = tuple(plain_dates(one["value"]) for one in found if one.get("value") is not None)
        made[path] = CellRule(accepted, tuple(rule.get("normalizers") or ())), _places(found)
    return made


def _citations(document: Any) -> dict[str, GroundedCell]:
    whole = document.get("output", document) if isinstance(document, dict) else {}
    listed = whole.get("field_citations") or () if isinstance(whole, dict) else ()
    found: dict[str, list[Any]] = {}
    for one in listed:
        found.setdefault(one.get("field_path"), []).append(one)
    return {path: _places(several) for path, several in found.items()}


def _places(found: list[Any]) -> GroundedCell:
    pages: dict[int, None] = {}
    boxes = []
    for one in found:
        page, box = one.get("page"), one.get("bbox") or ()
        if page is not None:
            pages[page] = None
            if len(box) >= 4:
                boxes.append(CitedBox(page, tuple(box[:4])))
    return GroundedCell(0, tuple(pages), tuple(boxes))


def _columns(about: Mapping[str, Any], rows: list[Any]) -> list[str]:
    declared = about.get("items", {}).get("properties", {})
    return list(declared) or sorted({name for row in rows if isinstance(row, dict) for name in row})


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(row, dict) for row in value)


FUZZY = {"description": 95.0, "court": 85.0}
"""Fields whose texts need not be equal: the least ratio of rapidfuzz."""


def is_same(wanted: Any, given: Any, name: str, rule: CellRule) -> bool:
    """Whether a cell has one of the accepted values.

    >>> is_same("New  York", "New York", "city", CellRule()), is_same("ab", "AB", "city", CellRule(("cd", "AB")))
    (True, True)
    """
    return any(_is_equal(one, given, name) or _is_near(one, given, name, rule) for one in (wanted, *rule.values))


def _is_equal(wanted: Any, given: Any, name: str) -> bool:
    if not (name in FUZZY and isinstance(wanted, str) and isinstance(given, str)):
        return bool(_key(wanted) == _key(given))
    from rapidfuzz.fuzz import ratio

    a, b = (" ".join(re.sub(r"[^\w\s]", " ", one).split()).lower() for one in (wanted, given))
    return a == b or bool(a and b and ratio(a, b) >= FUZZY[name])


def _key(value: Any) -> Any:
    """A text without the width of its blanks; anything else is equal as in Python."""
    return ("text", " ".join(value.split())) if isinstance(value, str) else _freeze(value)


def _freeze(value: Any) -> Any:
    if isinstance(value, list):
        return ("list", *map(_freeze, value))
    if isinstance(value, dict):
        return "object", frozenset((name, _freeze(one)) for name, one in value.items())
    return value


def _is_near(wanted: Any, given: Any, name: str, rule: CellRule) -> bool:
    """Whether two values that differ are the same to one of the field's normalizers."""
    if not rule.normalizers:
        return False
    if "null_equals_false" in rule.normalizers and {type(wanted), type(given)} <= {bool, type(None)}:
        return not wanted and not given
    if not isinstance(wanted, str) or not isinstance(given, str):
        return False
    for one in rule.normalizers:
        a, b = (_NORMALIZERS[one](side) for side in (wanted, given)) if one in _NORMALIZERS else (None, None)
        if a and b and (bool(a & b) if isinstance(a, frozenset) else _is_equal(a, b, name)):
            return True
    return False


def _phone(text: str) -> str:
    return re.sub(r"\D+", "", text)[-10:]


def _dates(text: str) -> frozenset[str]:
    """The dates that a scanned text may stand for: years that were split, and years of two digits in both centuries."""
    split = re.search(r"\b(19|20)\s+(\d{2})\b", text)
    forms = [text]
    if split and re.search(r"\d", text[: split.start()]):
        forms.append(re.sub(r"\b(19|20)\s+(\d{2})\b", r"\1\2", text))
    found = {plain_date(text)}
    for one in list(forms):
        short = re.match(r"^(.*[ ,/-])(\d{2})\s*$", one)
        if short and re.search(r"\d", short[1]):
            forms += [f"{short[1]}{century}{short[2]}" for century in (19, 20)]
    read = (plain_date(one) for one in forms[1:])
    return frozenset(found | {one for one in read if re.match(r"^\d{4}-\d{2}-\d{2}$", one)})


_NORMALIZERS: dict[str, Any] = {
    "optional_terminal_punctuation": lambda text: re.sub(r"\s*[.,;:]\s*$", "", text.strip()),
    "punctuation_spacing": lambda text: re.sub(r"\s*([,.;:])\s*", r"\1", text),
    "case_insensitive": lambda text: text.casefold(),
    "phone_digits": _phone,
    "lenient_date": _dates,
}


def plain_dates(value: Any) -> Any:
    """A value whose dates are written as 2026-05-08."""
    match value:
        case str():
            return plain_date(value)
        case list():
            return [plain_dates(one) for one in value]
        case dict():
            return {name: plain_dates(one) for name, one in value.items()}
    return value


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = "(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
MONTH += "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
DAY, YEAR = r"(?P<day>\d{1,2})", r"(?P<year>\d{4})"
WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
TIME = r"(?: \d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?)?"
DATES = (
    rf"{YEAR}-(?P<month>\d{{1,2}})-{DAY}(?:T[\d:.]+Z?|{TIME})",
    rf"(?P<month>\d{{1,2}})([/-]){DAY}\2(?P<year>\d{{4}}|\d{{2}}){TIME}",
    rf"(?:(?:{WEEKDAY},? )?{MONTH}|{WEEKDAY}\.? {MONTH.replace('<name>', '<after>')}\.?) {DAY},? {YEAR}{TIME}",
    rf"{DAY} {MONTH} {YEAR}{TIME}",
)


@lru_cache(maxsize=8192)
def plain_date(text: str) -> str:
    """A date as 2026-05-08, if the whole text is one in the forms that ExtractBench reads; else the text.

    >>> [plain_date(one) for one in ("May 8,2026", "5/8/26", "31-12-2026", "8 May 2026", "8 apples")]
    ['2026-05-08', '2026-05-08', '2026-12-31', '2026-05-08', '8 apples']
    """
    probe = re.sub(r"\s*,\s*", ", ", text.strip())
    found = next((match for form in DATES if (match := re.fullmatch(form, probe, re.IGNORECASE))), None)
    if found is None or len(text) > 50:
        return text
    given = found.groupdict()
    year, day, name = int(given["year"]), int(given["day"]), given.get("name") or given.get("after")
    month = MONTHS.index(name[:3].lower()) + 1 if name else int(given["month"])
    if month > 31:  # 65-8-14
        year, month, day = month, day, year
    elif month > 12 and found.re.pattern != DATES[0]:
        month, day = day, month
    if year < 100:
        year += 2000 if year < 76 else 1900
    try:
        return date(year, month, day).isoformat() if 1900 <= year <= 2100 else text
    except ValueError:
        return text
