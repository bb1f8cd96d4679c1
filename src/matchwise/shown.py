"""Objects that show themselves: as text, in notebooks, as tables for papers and as frames.

How they look is said by `matchwise.views`, which reads them and so stands above them. The import below is the only one
that points upwards, and it runs when somebody looks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    from matplotlib.axes import Axes


class Shown:
    """A result that is made of tables; `matchwise.views.results` says of which."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(_view("results").text(self))

    def to_markdown(self) -> str:
        """Every table as Markdown, with the signature."""
        return str(_view("results").markdown(self))

    def to_latex(self) -> str:
        """Every table as LaTeX (booktabs), with the notes and the signature as comments."""
        return str(_view("results").latex(self))

    def to_html(self) -> str:
        """One page of HTML that needs no other file."""
        return str(_view("results").page(self))

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """A table as a data frame of pandas, unrounded; an unknown name is an error that lists the tables."""
        return _view("frames").to_pandas(self, table)

    def to_polars(self, table: str | None = None) -> polars.DataFrame:
        """A table as a data frame of Polars, unrounded."""
        made: polars.DataFrame = _view("frames").to_polars(self, table)
        return made

    def to_arrow(self, table: str | None = None) -> pyarrow.Table:
        """A table as a table of Arrow, unrounded."""
        return _view("frames").to_arrow(self, table)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it by matplotlib: a report, a comparison, a curve, a calibration or an agreement."""
        return draw(self, ax)

    def _repr_html_(self) -> str:
        return html(self)

    def _repr_latex_(self) -> str:
        return self.to_latex()


class Tabled(Shown, ABC):
    """A result that says itself which tables it is made of."""

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


def html(shown: object) -> str:
    """A result in a notebook."""
    return str(_view("results").html(shown))


def draw(shown: object, ax: Axes | None) -> Axes:
    """A plot of a result."""
    made: Axes = _view("frames").plot(shown, ax)
    return made


def preformatted(text: str) -> str:
    """Text in a notebook, sign below sign; themes set other fonts for code, some of them proportional."""
    return f'<pre style="font-family: {MONOSPACE}; white-space: pre; overflow-x: auto">{escape(text)}</pre>'


MONOSPACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def _view(name: str) -> Any:
    return import_module(f"matchwise.views.{name}")
