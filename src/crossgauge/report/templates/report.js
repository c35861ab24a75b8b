// Sorting of the result tables. Everything can be read without it, so the buttons are made here.
"use strict";
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const original = [...body.rows].reduce((kept, row) => { // an official scorer's row follows that of its cell
    if (row.classList.contains("official") && kept.length) kept.at(-1).push(row);
    else kept.push([row]);
    return kept;
  }, []);
  for (const head of table.querySelectorAll("thead th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const next = { none: "descending", descending: "ascending", ascending: "none" }[head.getAttribute("aria-sort") || "none"];
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      if (next !== "none") head.setAttribute("aria-sort", next);
      body.append(...(next === "none" ? original : sorted(original, head.cellIndex, next)).flat());
    });
  }
}
function sorted(groups, column, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  const numberOf = ([row]) => Number.parseFloat(row.cells[column].dataset.value ?? "");
  return [...groups].sort((a, b) => {
    const x = numberOf(a), y = numberOf(b);
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y); // undefined stays last
    return sign * (x - y);
  });
}
