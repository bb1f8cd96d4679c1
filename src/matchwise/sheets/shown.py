"""Results that show themselves: each says which tables it is made of, and this class writes them in every form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from matchwise.errors import MatchwiseError, suggestion
from matchwise.sheets.table import Sheet, print_rows, render

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from markupsafe import Markup
    from matplotlib.axes import Axes

FrameTables: TypeAlias = dict[str, Callable[[], list[dict[str, Any]]]]
"""Name of a table -> what makes its rows, unrounded; the first table is meant where none is named."""


class Shown(ABC):
    """A result that is made of tables."""

    __slots__ = ()

    @abstractmethod
    def sheet(self) -> Sheet:
        """The tables as people read them, with what belongs below them."""

    @abstractmethod
    def frame_tables(self) -> FrameTables:
        """The tables for programs."""

    def chart(self) -> Markup | str:
        """A drawing that is shown with the tables in HTML, if there is one."""
        return ""

    def explain_missing_table(self, name: str) -> str:
        """What to write for a table that is there only if it was asked for."""
        return ""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it by matplotlib: a report, a comparison, a curve, a calibration or an agreement."""
        known = "a report, a comparison, errors, a curve, a calibration or an agreement"
        raise MatchwiseError(f"there is no plot of {type(self).__name__}; plot {known}")

    def __str__(self) -> str:
        return render(self.sheet(), whole="to_pandas()").removesuffix("\n")

    def to_markdown(self) -> str:
        """Every table as Markdown, with the signature."""
        from matchwise.sheets.markup import to_markdown

        return to_markdown(self.sheet())

    def to_latex(self) -> str:
        """Every table as LaTeX (booktabs), with the notes and the signature as comments."""
        from matchwise.sheets.markup import to_latex

        return to_latex(self.sheet())

    def to_html(self) -> str:
        """One page of HTML that needs no other file."""
        from markupsafe import Markup

        from matchwise.sheets.html import page

        return page(type(self).__name__, Markup("<main>{}</main>").format(Markup(self._repr_html_())))

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """A table as a data frame of pandas, unrounded; an unknown name is an error that lists the tables."""
        import pandas

        return pandas.DataFrame(_columns(self, table))

    def to_polars(self, table: str | None = None) -> polars.DataFrame:
        """A table as a data frame of Polars, unrounded."""
        import polars

        return polars.DataFrame(_one_type(_columns(self, table)), strict=False)

    def to_arrow(self, table: str | None = None) -> pyarrow.Table:
        """A table as a table of Arrow, unrounded."""
        import pyarrow

        return pyarrow.table(_one_type(_columns(self, table)))

    def _repr_html_(self) -> str:
        from matchwise.sheets.html import fragment

        return str(fragment(self.sheet(), self.chart()))

    def _repr_latex_(self) -> str:
        return self.to_latex()


ROWS = 20
"""Rows of a table that people see of a result."""


class Tabled(Shown):
    """A result whose tables are plain rows."""

    __slots__ = ()

    @property
    def above(self) -> Shown | None:
        """The scores that are shown before the tables, if there are any."""
        return None

    @property
    def signature(self) -> str:
        """By what it was measured, where that is known."""
        return ""

    @abstractmethod
    def tables(self, *, brief: bool = False) -> dict[str, list[dict[str, Any]]]:
        """The rows of each table, unrounded, the main table first; with `brief`, what a person reads of them."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What is said below the tables."""

    def sheet(self) -> Sheet:
        before = Sheet(()) if self.above is None else self.above.sheet()
        found = {name: rows for name, rows in self.tables(brief=True).items() if rows}
        left = [
            f'{name}: {len(rows) - ROWS} more; to_pandas("{name}") has all'
            for name, rows in found.items()
            if len(rows) > ROWS
        ]
        tables = (print_rows(name, rows[:ROWS]) for name, rows in found.items())
        notes = (*before.notes, *left, *self.notes())
        return Sheet((*before.tables, *tables), notes, before.signature or self.signature)

    def frame_tables(self) -> FrameTables:
        before = {} if self.above is None else self.above.frame_tables()
        return before | {name: partial(list, rows) for name, rows in self.tables().items()}

    def chart(self) -> Markup | str:
        return "" if self.above is None else self.above.chart()

    def plot(self, ax: Axes | None = None) -> Axes:
        return super().plot(ax) if self.above is None else self.above.plot(ax)


def _columns(shown: Shown, table: str | None) -> dict[str, list[Any]]:
    """The cells of a table, column by column; what a row does not have is None."""
    known = shown.frame_tables()
    if table is not None and table not in known:
        raise MatchwiseError(f"no table {table!r}{shown.explain_missing_table(table) or suggestion(table, known)}")
    rows = known[next(iter(known)) if table is None else table]()
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def _one_type(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Columns that hold one type each: whole numbers among others are floats, words among numbers make texts."""
    return {name: _same(cells) for name, cells in columns.items()}


def _same(cells: list[Any]) -> list[Any]:
    types = {type(cell) for cell in cells if cell is not None}
    if len(types) < 2 and types <= {str, int, float, bool}:
        return cells
    if types <= {int, float}:
        return [None if cell is None else float(cell) for cell in cells]
    return [None if cell is None else str(cell) for cell in cells]
