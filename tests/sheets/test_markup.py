"""Every sign that means something in Markdown or LaTeX, and every kind of cell, exactly as they are written."""

from matchwise.sheets.markup import to_latex, to_markdown
from matchwise.sheets.table import ColumnHead, NumberStyle, PrintedTable, ScoreCell, Sheet

ROWS = (
    {"metric": "\\|*_`<>[] a\n b", "f1": ScoreCell(0.5, (0.375, 0.625), best=True, p=0.05), "p": 0.0009, "matched": 3},
    {"metric": "{}$&#%^~±≤≥–…−", "f1": ScoreCell(0.25, p=0.051), "p": 0.001, "matched": 0},
    {"metric": "x", "f1": None, "difference": -0.25, "p": 1.0},
)
SHEET = Sheet((PrintedTable("scores", ROWS),), notes=("a_b\nc", "d"), signature="f1|x")


def test_a_table_in_markdown() -> None:
    assert to_markdown(SHEET) == (
        "| metric | f1 | difference | p | matched |\n"
        "| :--- | ---: | ---: | ---: | ---: |\n"
        r"| \\\|\*\_\`\<\>\[\] a b | **0.5000 ± 0.1250\*** |  | 0.0009 | 3 |" "\n"
        r"| {}\$\&#%^\~±≤≥–…− | 0.2500 |  | 0.0010 | 0 |" "\n"
        "| x | – | -0.2500 | 1.0000 |  |\n"
        "\n"
        r"a\_b c" "\n"
        "\n"
        "d\n"
        "\n"
        "```\nf1|x\n```\n"
    )  # fmt: skip


def test_a_table_in_latex() -> None:
    assert to_latex(SHEET).splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"Metric & F$_1$ & Difference & $p$ \\",
        r"\midrule",
        r"\textbackslash{}\textbar{}*\_`\textless{}\textgreater{}[] a b & "
        r"\textbf{0.5000 $\pm$ 0.1250}$^{*}$ &  & $<$0.001 \\",
        r"\{\}\$\&\#\%\textasciicircum{}\textasciitilde{}$\pm$$\leq$$\geq$--\ldots{}$-$ & 0.2500 &  & 0.0010 \\",
        r"x & -- & $-$0.2500 & 1.0000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        r"% the rules need \usepackage{booktabs}",
        "% a_b",
        "% c",
        "% d",
        "% f1|x",
    ]


def test_groups_titles_and_labels() -> None:
    heads = {
        "system": ColumnHead("", "system", "text"),
        "p": ColumnHead("b3", "precision"),
        "r": ColumnHead("b3", "recall"),
    }
    wide = PrintedTable("by_x", ({"system": "a", "p": 0.5, "r": 1.0},), heads=heads)
    counted = PrintedTable("conf", ({"metric": "a_b", "las": 2},), labels=frozenset({"las"}))
    style = NumberStyle(digits=1, percent=True)
    assert to_latex(Sheet((wide, counted), numbers=style)).splitlines()[:18] == [
        "% by_x",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{B$^3$} \\",
        r"\cmidrule(lr){2-3}",
        r"System & P & R \\",
        r"\midrule",
        r"a & 50.0 & 100.0 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
        "% conf",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"Metric & las \\",
        r"\midrule",
        r"a\_b & 2 \\",
        r"\bottomrule",
    ]
    assert to_markdown(Sheet((wide,), numbers=style, signature="a ``` b")) == (
        "**by\\_x**\n\n| system | b3 precision | b3 recall |\n| :--- | ---: | ---: |\n| a | 50.0 | 100.0 |\n"
        "\n````\na ``` b\n````\n"
    )
