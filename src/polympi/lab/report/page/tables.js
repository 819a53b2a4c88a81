// Above every table: copy it, or save it as CSV. Where cells stand for rows of the run, those rows are given in full.
const rowsData = read("rows-data");

const shown = (element) => !element.hidden && element.checkVisibility();
function linesOf(table) {
  if (table.linesShown) return table.linesShown();
  const places = [...table.querySelectorAll("[data-row]")].filter((cell) => !cell.hidden && !cell.closest("tr").hidden);
  if (places.length) return rawLines(places.map((cell) => rowsData.rows[Number(cell.dataset.row)]));
  return [...table.rows].filter(shown).map((row) => [...row.cells].filter(shown).map((cell) => cell.innerText.trim()));
}
const rawLines = (rows) => [rowsData.columns.map((column) => column.key), ...rows.map((row) => row.map((v) => v ?? ""))];
const csvField = (value) => (/[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const asCsv = (lines) => lines.map((line) => line.map(csvField).join(",") + "\r\n").join("");
const asTabbed = (lines) => lines.map((line) => line.map((v) => String(v).replace(/[\t\n\r]+/g, " ")).join("\t")).join("\n");

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // not every browser lets a file use the clipboard
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
function save(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  link.download = `${name.replace(/[^A-Za-z0-9._-]+/g, "-")}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
function button(label, title, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.title = title;
  made.addEventListener("click", () => act(made));
  return made;
}

// On a phone a wide table shows one binding at a time.
function oneAtATime(table, tools) {
  const heads = [...table.querySelectorAll("thead [data-binding]")];
  if (!heads.length) return;
  const label = document.createElement("label");
  const menu = document.createElement("select");
  menu.dataset.one = "";
  const languages = new Map(); // a part of the menu each, if there are several
  for (const { dataset: { binding, language } } of heads) {
    if (!languages.has(language)) languages.set(language, Object.assign(document.createElement("optgroup"), { label: language || "other" }));
    languages.get(language).append(new Option(binding, binding));
  }
  menu.append(...(languages.size > 1 ? languages.values() : [...languages.values()].flatMap((part) => [...part.children])));
  const pick = () => {
    for (const cell of table.querySelectorAll("[data-binding]")) {
      cell.classList.toggle("here", cell.dataset.binding === menu.value);
    }
  };
  menu.addEventListener("change", pick);
  label.append("Binding ", menu);
  tools.append(label);
  table.classList.add("one-at-a-time");
  pick();
}

for (const table of document.querySelectorAll("table[data-name]")) {
  const tools = document.createElement("div");
  tools.className = "tools";
  oneAtATime(table, tools);
  tools.append(
    button("Copy", "Copy this table, for a spreadsheet", async (made) => {
      made.textContent = (await copy(asTabbed(linesOf(table)))) ? "Copied" : "Not allowed here";
      setTimeout(() => { made.textContent = "Copy"; }, 1600);
    }),
    button("CSV", "Save this table as CSV", () => save(table.dataset.name, asCsv(linesOf(table)))),
  );
  table.closest(".scroll, .card").before(tools);
}
// What scrolls can be reached by the keyboard.
for (const box of document.querySelectorAll(".scroll")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
