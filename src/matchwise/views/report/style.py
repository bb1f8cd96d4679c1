"""What the report looks like, in light, dark, print and on a phone, and the script that sorts and filters."""

from __future__ import annotations

STYLE = """
:root { --ink: #1b1f24; --paper: #ffffff; --quiet: #57606a; --rule: #d0d7de; --accent: #0b5fbf; --warn: #7a4b00;
  --tint: 11, 95, 191; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #a3acb6;
  --rule: #3d444d; --accent: #78b6ff; --warn: #ffc966; --tint: 88, 166, 255; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem;
  margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; overflow-wrap: anywhere; }
.mw { font-size: 15px; }
.mw caption { display: none; }
.mw th, .mw td { border-color: var(--rule); }
.mw tbody tr:hover { background: rgba(var(--tint), .07); }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: 0; }
.facts div { min-width: 0; } .facts dt { color: var(--quiet); font-size: .85em; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.headline { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0; }
.headline p { margin: 0; padding: .8rem 1.2rem; border: 1px solid var(--rule); border-radius: .5rem; min-width: 0; }
.headline span, .headline small { display: block; color: var(--quiet); overflow-wrap: anywhere; }
.headline strong { font-size: 2.4rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.problems { border-left: 4px solid var(--warn); padding: .1rem 0 .1rem 1rem; overflow-wrap: anywhere; }
.problems h2 { border: 0; margin: 0; padding: 0; color: var(--warn); }
code { font-family: ui-monospace, monospace; font-size: .87em; overflow-wrap: anywhere; }
.heat { background: rgba(var(--tint), calc(var(--share) * .45)); }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; text-align: inherit; white-space: nowrap; }
th button::after { content: " ↕"; color: var(--quiet); }
details { border-bottom: 1px solid var(--rule); padding: .3rem 0; }
summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere; } summary span { color: var(--quiet); }
.filter input { font: inherit; padding: .2rem .4rem; max-width: 100%; }
footer { margin-top: 2rem; border-top: 1px solid var(--rule); color: var(--quiet); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 11pt; } .filter, th button::after { display: none; }
  .mw .mw-wide, .mw-view .mw-wide, .mw-view .mw-lines { overflow: visible; }
  .mw th, .mw td { font-size: 8.5pt; padding: .1rem .35rem; }
  h2, h3, summary, .mw-head { break-after: avoid; } tr, svg, .headline p, .mw-passage { break-inside: avoid; }
  .heat, .mw-span, .mw-chart, .mw-bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

SCRIPT = """
for (const table of document.querySelectorAll("main .mw-sortable")) {
  table.querySelectorAll("thead tr:last-child th").forEach((head) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[head.cellIndex].textContent;
      const order = (a, b) => {
        const x = parseFloat(key(a)), y = parseFloat(key(b));
        const found = isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
        return down ? -found : found;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
    });
  });
}
for (const filter of document.querySelectorAll(".filter")) {
  filter.hidden = false;
  const input = filter.querySelector("input");
  input.addEventListener("input", () => {
    const word = input.value.toLowerCase();
    for (const one of document.querySelectorAll("main > details"))
      one.hidden = !one.textContent.toLowerCase().includes(word);
  });
}
"""
