"use strict";
// Choosing a row of a table beside a picture: in a list, by a click on its mark, or with the arrow
// keys in the picture. The page is whole without it. Marks are drawn in the reverse order of the
// rows, those without a row first.
for (const part of document.querySelectorAll("[data-choose]")) {
  const table = part.querySelector("table");
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows];
  const releases = [...part.querySelectorAll("details.release pre")];
  const marks = [...part.querySelectorAll("svg g")]
    .map((group) => [...group.children].filter((child) => child.tagName === "path"))
    .reduce((most, paths) => (paths.length > most.length ? paths : most), [])
    .reverse();
  const select = document.createElement("select");
  const output = document.createElement("output");
  for (const row of rows) {
    select.append(new Option(row.cells[1].textContent + ": " + row.cells[0].textContent));
  }
  const show = () => {
    const cells = [...rows[select.selectedIndex].cells].map((cell) => cell.textContent);
    const words = document.createElement("ul");
    for (const word of cells[0].split("; ")) {
      words.append(Object.assign(document.createElement("li"), { textContent: word }));
    }
    const figures = heads.map((head, place) => head + " " + cells[place]).slice(2).join(" · ");
    output.replaceChildren(figures, words);
    if (releases[select.selectedIndex]) {
      const text = releases[select.selectedIndex].cloneNode(true);
      output.append(part.dataset.release, text);
    }
    marks.forEach((mark, place) => mark.classList.toggle("picked", place === select.selectedIndex));
  };
  const choose = (place) => {
    select.selectedIndex = Math.min(Math.max(place, 0), rows.length - 1);
    show();
  };
  marks.slice(0, rows.length).forEach((mark, place) => {
    mark.classList.add("choosable");
    mark.addEventListener("click", () => choose(place));
  });
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  part.querySelector(".picture").addEventListener("keydown", (event) => {
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose(select.selectedIndex + steps[event.key]);
  });
  select.addEventListener("change", show);
  const label = document.createElement("label");
  label.append(part.dataset.choose, " ", select);
  part.querySelector("figure").append(label, output);
  show();
}
// What is folded on the screen is printed.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
