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
