"use strict";
// Choosing a row of a table beside a picture of points: by name, or by a click on the point.
// The page is whole without it. Points are drawn in the reverse order of the rows, those without a
// row first.
for (const part of document.querySelectorAll("[data-choose]")) {
  const table = part.querySelector("table");
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows];
  const points = [...part.querySelectorAll("svg g")]
    .map((group) => [...group.children].filter((child) => child.tagName === "path"))
    .reduce((most, paths) => (paths.length > most.length ? paths : most), [])
    .reverse();
  const select = document.createElement("select");
  const told = document.createElement("output");
  for (const row of rows) {
    select.append(new Option(row.cells[0].textContent + ": " + row.cells[1].textContent));
  }
  const show = () => {
    const cells = [...rows[select.selectedIndex].cells];
    told.textContent = heads
      .map((head, place) => head + " " + cells[place].textContent)
      .slice(2)
      .join(" · ");
    points.forEach((point, place) => point.classList.toggle("picked", place === select.selectedIndex));
  };
  points.slice(0, rows.length).forEach((point, place) => {
    point.classList.add("choosable");
    point.addEventListener("click", () => {
      select.selectedIndex = place;
      show();
    });
  });
  select.addEventListener("change", show);
  const label = document.createElement("label");
  label.append(part.dataset.choose, " ", select);
  part.querySelector("figure").append(label, told);
  show();
}
// What is folded on the screen is printed.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
