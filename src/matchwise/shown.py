"""Objects that show themselves: as text, in notebooks, as tables for papers and as frames.

How they look is said by `matchwise.views`, which reads them and so stands above them. The import below is the only one
that points upwards, and it runs when somebody looks.
"""

from __future__ import annotations

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
        """Draw it by matplotlib: the scores of documents of a report, or the differences of a comparison."""
        return draw(self, ax)

    def _repr_html_(self) -> str:
        return html(self)

    def _repr_latex_(self) -> str:
        return self.to_latex()


def html(shown: object) -> str:
    """A result in a notebook."""
    return str(_view("results").html(shown))


def draw(shown: object, ax: Axes | None) -> Axes:
    """A plot of a result."""
    made: Axes = _view("frames").plot(shown, ax)
    return made


def _view(name: str) -> Any:
    return import_module(f"matchwise.views.{name}")
