// Pairs of a concept study: filter, sort, and one concept's boxes alone. All can be read without it.
for (const list of document.querySelectorAll("[data-pairs]")) {
  const tools = list.querySelector(".tools"), status = tools.querySelector("[role=status]");
  const pairs = [...list.querySelectorAll(":scope > details")];
  const texts = new Map(pairs.map((pair) => [pair, pair.textContent.toLowerCase()]));
  tools.hidden = false;
  tools.querySelector("input").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const pair of pairs) pair.hidden = !words.every((word) => texts.get(pair).includes(word));
    const left = pairs.filter((pair) => !pair.hidden).length;
    status.textContent = `${left} of ${pairs.length} shown`;
  });
  tools.querySelector("select").addEventListener("change", (event) => {
    const [measure, direction] = event.target.value.split(" ");
    const sign = direction === "ascending" ? 1 : -1;
    const numberOf = (pair) => Number.parseFloat(pair.dataset[measure] ?? "");
    list.append(...(measure === "" ? pairs : [...pairs].sort((a, b) => {
      const x = numberOf(a), y = numberOf(b);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y); // no value stays last
      return sign * (x - y);
    })));
  });
  for (const button of tools.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      for (const pair of pairs) pair.open = button.dataset.open === "true" && !pair.hidden;
    });
  }
  for (const pair of pairs) {
    const boxes = pair.querySelectorAll(".scene [data-n]");
    pair.querySelector(".hint").hidden = boxes.length === 0;
    const buttons = [...pair.querySelectorAll(".list [data-n]")].map((item) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.append(...item.childNodes);
      item.append(button);
      button.addEventListener("click", () => {
        const chosen = button.getAttribute("aria-pressed") === "true" ? null : item.dataset.n;
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button && chosen !== null));
        for (const box of boxes) box.classList.toggle("faint", chosen !== null && box.dataset.n !== chosen);
      });
      return button;
    });
  }
}
