// The table of all rows: built when it is opened, or at once where it does not fold, searched, filtered and sorted here.
const box = document.getElementById("all-rows");
const digits = (value) => value.toPrecision(3).replace(/e\+?(-?\d+)$/, "e$1");
const plain = (value) => (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : digits(value));
const scaled = (value, steps) => {
  const [factor, unit] = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps.at(-1);
  return `${plain(value / factor)} ${unit}`;
};
const binary = (value) => {
  for (const [factor, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"]]) {
    if (value >= factor && value % factor === 0) return `${value / factor} ${unit}`;
  }
  return `${value} B`;
};
const forms = {
  text: (value) => value,
  count: (value) => value.toLocaleString("en"),
  size: binary,
  time: (value) => scaled(value, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]).replace("-", "−"),
  ratio: (value) => (value > 0.9 && value < 1.1 ? value.toFixed(3) : plain(value)),
  probability: (value) => (value < 0.0001 ? "< 0.0001" : value.toPrecision(2)),
  rate: plain,
  share: (value) => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`,
  amount: (value) => (value < 999.5 ? `${Math.round(value)} B` : scaled(value, [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]])),
};
let showAllRows = () => {};
function allRows() {
  const { columns, rows } = rowsData;
  const table = box.querySelector("table");
  const head = box.querySelector("thead tr");
  const body = box.querySelector("tbody");
  const filters = box.querySelector(".filters");
  const counter = document.getElementById("row-count");
  const search = document.getElementById("search");
  const binding = columns.findIndex((column) => column.key === "binding");
  const written = (row) => row.map((value, index) => (value === null ? "" : forms[columns[index].form](value)));
  const texts = new Map(rows.map((row) => [row, written(row).join(" ").toLowerCase()]));
  const wanted = {};
  let order = { column: null, sign: 1 };

  columns.forEach((column, index) => {
    const cell = document.createElement("th");
    cell.textContent = column.title;
    cell.title = column.help;
    cell.tabIndex = 0;
    if (column.form === "text") cell.className = "text";
    const sort = () => {
      order = { column: index, sign: order.column === index ? -order.sign : 1 };
      for (const other of head.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", order.sign > 0 ? "ascending" : "descending");
      show();
    };
    cell.addEventListener("click", sort);
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    head.append(cell);
    if (!column.filter) return;
    const values = [...new Set(rows.map((row) => row[index]))];
    if (values.length < 2) return;
    const menu = document.createElement("select");
    menu.setAttribute("aria-label", column.title);
    menu.append(new Option(`${column.title}: all`, ""));
    values.forEach((value) => menu.append(new Option(value, value)));
    menu.addEventListener("change", () => { wanted[index] = menu.value; show(); });
    filters.insertBefore(menu, counter);
  });
  search.addEventListener("input", () => show());

  function compare(left, right) {
    const [a, b] = [left[order.column], right[order.column]];
    if (a === null || b === null) return (a === null) - (b === null);
    return order.sign * (typeof a === "number" ? a - b : a.localeCompare(b));
  }
  function kept() {
    // "8 B" is one word of a search, as it is in the table.
    const words = search.value.toLowerCase().replace(/(\d) (?=[kmg]?i?b\b|[nµm]?s\b)/g, "$1\u00a0").split(/ +/).filter(Boolean);
    const has = (text) => words.every((word) => ` ${text}`.includes(/^\d/.test(word) ? ` ${word.replace("\u00a0", " ")}` : word));
    const found = rows.filter((row) => !hiddenArms.has(row[binding]) && has(texts.get(row))
      && Object.entries(wanted).every(([i, value]) => !value || row[i] === value));
    return order.column === null ? found : found.sort(compare);
  }
  function show() {
    const found = kept();
    body.replaceChildren(...found.map((row) => {
      const line = document.createElement("tr");
      written(row).forEach((text, index) => {
        const cell = line.insertCell();
        const { form, key } = columns[index];
        if (form === "text") [cell.className, cell.title] = ["text", text];
        if (key === "verdict") cell.classList.add(`v-${text.replaceAll(" ", "-")}`);
        cell.textContent = text;
      });
      return line;
    }));
    counter.textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
  }
  table.linesShown = () => rawLines(kept());
  showAllRows = show;
  show();
}
const build = () => { if (!box.dataset.built) { box.dataset.built = "yes"; allRows(); } };
box?.addEventListener("toggle", build);
if (box && box.tagName !== "DETAILS") build(); // it doesn't fold
