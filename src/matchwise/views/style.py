"""What the classes of a view look like in HTML, in light and in dark; the contrast of every text is AA."""

from __future__ import annotations

DEEPEST = 6
"""Rows that are deeper are indented as far as this."""

SPANS = ("#4c8bf5", "#f59e0b", "#22a06b", "#d6409f", "#8b5cf6", "#06b6d4", "#ef4444", "#84cc16")
"""The colours of labels and entities: a line below the words, and a tint behind them."""

_INDENTS = "\n".join(f".mw-view td.mw-d{depth} {{ padding-left: {1.2 * depth:g}rem; }}" for depth in range(1, 7))

_COLOURS = "\n".join(
    f".mw-view .mw-c{place} {{ background: {colour}33; border-color: {colour}; }}" for place, colour in enumerate(SPANS)
)

STYLE = f"""\
.mw-view {{ --mw-bad: #9c2026; --mw-part: #714b00; --mw-good: #2b6a30; --mw-rule: #8886;
  margin: 0 0 1.2rem; line-height: 1.45; }}
@media screen and (prefers-color-scheme: dark) {{
  .mw-view {{ --mw-bad: #ffa6a6; --mw-part: #ffc966; --mw-good: #8fd694; }} }}
.mw-view .mw-head, .mw-view .mw-note, .mw-view .mw-more {{ overflow-wrap: anywhere; }}
.mw-view .mw-head {{ margin: 0 0 .4rem; }} .mw-view .mw-head b {{ margin-right: .8rem; }}
.mw-view .mw-note, .mw-view .mw-more {{ margin: .2rem 0; }}
.mw-view .mw-note {{ font-size: .9em; }}
.mw-view .mw-wide {{ overflow-x: auto; }}
.mw-view table {{ border-collapse: collapse; max-width: 100%; }}
.mw-view th {{ text-align: left; font-weight: 600; font-size: .85em; }}
.mw-view td, .mw-view th {{ padding: .15rem .7rem .15rem 0; vertical-align: top;
  border-bottom: 1px solid var(--mw-rule); }}
.mw-view td.mw-n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.mw-view td.mw-value {{ white-space: pre-wrap; overflow-wrap: anywhere; min-width: 6rem; }}
{_INDENTS}
.mw-view .mw-sign {{ font-weight: 700; margin-right: .4em; }}
.mw-view .mw-wrong, .mw-view .mw-missed, .mw-view .mw-spurious {{ color: var(--mw-bad); }}
.mw-view .mw-partial {{ color: var(--mw-part); }}
.mw-view .mw-right {{ color: var(--mw-good); }}
.mw-view .mw-changed {{ font-weight: 700; text-decoration: underline; text-underline-offset: .2em; }}
.mw-view .mw-passage {{ margin: .4rem 0; line-height: 2; overflow-wrap: anywhere; }}
.mw-view .mw-side {{ font-size: .85em; font-weight: 600; margin: 0 .6rem 0 0; }}
.mw-view .mw-span {{ border-bottom: 2px solid; padding: .1em .15em; border-radius: .2em; color: inherit; }}
.mw-view .mw-span small {{ font-weight: 700; margin-left: .3em; font-size: .75em; }}
.mw-view .mw-span.mw-not {{ outline: 2px solid var(--mw-bad); outline-offset: 1px; }}
{_COLOURS}
.mw-view .mw-lines {{ font-family: ui-monospace, monospace; font-size: .9em; white-space: pre; overflow-x: auto;
  margin: .4rem 0; }}
"""
