"use strict";
/* Tables are sorted by a click on the head of a column. */
for (const table of document.querySelectorAll("main .mw-sortable")) {
  for (const head of table.querySelectorAll("thead tr:last-child th")) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
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
  }
}

/* Documents: tabs, filters, links and keys. */
const bar = document.querySelector(".documents .bar");
if (bar) {
  const panels = [...document.querySelectorAll(".panel")];
  const all = [...document.querySelectorAll("#wrong > details")];
  const search = bar.querySelector("input");
  const filters = [...bar.querySelectorAll("[data-filter]")].map((label) => [label.dataset.filter, label]);
  const names = (one, filter) => (one.dataset[filter] ? one.dataset[filter].split("\t") : []);
  const includes = (name, value) => name === value || value.startsWith(name + ".") || value.startsWith(name + "[");

  const update = () => {
    const word = search.value.toLowerCase();
    for (const one of all)
      one.hidden = !one.textContent.toLowerCase().includes(word) || filters.some(([filter, label]) => {
        const value = label.querySelector("select").value;
        return value && !names(one, filter).some((name) => includes(name, value));
      });
    const shown = all.filter((one) => !one.hidden).length;
    bar.querySelector("output").value = shown === all.length ? "" : `${shown} of ${all.length}`;
  };
  const choose = (filter, value) => {
    for (const [name, label] of filters) label.querySelector("select").value = name === filter ? value : "";
    search.value = "";
    update();
  };
  const show = (panel) => {
    for (const one of panels) one.hidden = one !== panel;
    for (const tab of bar.querySelectorAll("[role=tab]"))
      tab.setAttribute("aria-selected", tab.getAttribute("aria-controls") === panel.id);
    for (const one of bar.querySelectorAll("label, .keys, output")) one.hidden = panel.id !== "wrong" || one.dataset.empty;
  };

  for (const [filter, label] of filters) {
    const counts = new Map();
    for (const one of all) for (const name of names(one, filter)) counts.set(name, (counts.get(name) || 0) + 1);
    const found = [...counts].sort((a, b) => b[1] - a[1]);
    label.querySelector("select").append(new Option("all", ""), ...found.map(([name, n]) => new Option(`${name} (${n})`, name)));
    if (!found.length) label.dataset.empty = true;
    label.addEventListener("change", update);
  }
  search.addEventListener("input", update);
  for (const panel of panels) {
    const tab = document.createElement("button");
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    tab.textContent = `${panel.dataset.tab} (${panel.querySelectorAll(":scope > details, :scope > article").length})`;
    tab.addEventListener("click", () => show(panel));
    bar.querySelector(".tabs").append(tab);
    panel.setAttribute("role", "tabpanel");
    panel.querySelector("h2").hidden = true;
  }
  show(panels[0]);
  bar.hidden = false;

  /* A field, a label or a kind of error in a table shows its documents. */
  for (const cell of document.querySelectorAll("[data-part], [data-kind]")) {
    const value = cell.dataset.part || cell.dataset.kind;
    const wanted = cell.dataset.part ? ["fields", "labels"] : ["kinds"];
    const filter = wanted.find((name) => all.some((one) => names(one, name).some((other) => includes(other, value))));
    if (!filter) continue;
    const button = document.createElement("button");
    button.className = "jump";
    button.title = "show its documents";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const select = bar.querySelector(`[data-filter=${filter}] select`);
      if (![...select.options].some((option) => option.value === value)) select.append(new Option(value, value));
      choose(filter, value);
      show(panels[0]);
      bar.scrollIntoView();
    });
  }

  const follow = () => {
    const one = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!one || !one.matches(".panel > *")) return;
    choose("", "");
    show(one.parentElement);
    one.open = true;
    one.scrollIntoView();
    one.querySelector("summary, a").focus({preventScroll: true});
  };
  addEventListener("hashchange", follow);
  follow();

  addEventListener("keydown", (event) => {
    const inField = event.target.matches("input, select, textarea");
    if (event.key === "Escape") {
      choose("", "");
      event.target.blur();
    } else if (inField || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      show(panels[0]);
      search.focus();
    } else if (event.key === "j" || event.key === "k") {
      const shown = all.filter((one) => !one.hidden);
      const step = event.key === "j" ? 1 : -1;
      const at = shown.findIndex((one) => one.contains(document.activeElement));
      const next = shown[at < 0 ? 0 : at + step];
      if (!next) return;
      if (at >= 0) shown[at].open = false;
      show(panels[0]);
      next.open = true;
      next.querySelector("summary").focus({preventScroll: true});
      next.scrollIntoView({block: "nearest"});
      history.replaceState(null, "", `#${next.id}`);
    }
  });
}
