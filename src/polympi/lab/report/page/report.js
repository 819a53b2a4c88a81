"use strict";
(() => {
  const read = (id, revive) => JSON.parse(document.getElementById(id).textContent, revive);
  const expressions = read("expressions-data");
  const charts = read("charts-data", (key, value) => (key === "labelExpr" ? expressions[value] ?? value : value));
  const themes = read("themes-data");
  const root = document.documentElement;
  const drawn = new Map();

  // Theme: what the reader chose, else what the system prefers.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const toggle = document.getElementById("theme");
  let chosen = null;
  try { chosen = localStorage.getItem("polympi-theme"); } catch { /* storage may be off for files */ }
  const theme = () => chosen ?? (system.matches ? "dark" : "light");
  function applyTheme() {
    root.dataset.theme = theme();
    toggle.textContent = theme() === "dark" ? "Light" : "Dark";
    toggle.setAttribute("aria-label", `Switch to the ${theme() === "dark" ? "light" : "dark"} theme`);
    for (const place of [...drawn.keys()]) draw(place);
  }
  toggle.addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    try { localStorage.setItem("polympi-theme", chosen); } catch { /* then it holds for this page only */ }
    applyTheme();
  });
  system.addEventListener("change", applyTheme);

  // Charts are drawn when they come near the window, and again when the theme changes.
  const AXIS_ROOM = 70; // pixels left of the plot, where no legend stands
  const columnsFor = (place) => Math.max(1, Math.floor((place.clientWidth - AXIS_ROOM) / (place.dataset.entry ?? 104)));
  async function draw(place) {
    const look = theme();
    const columns = columnsFor(place);
    const config = { ...themes[look], legend: { ...themes[look].legend, columns } };
    drawn.get(place)?.finalize?.();
    drawn.set(place, {});
    const result = await vegaEmbed(place, charts[place.dataset.chart], {
      mode: "vega-lite",
      renderer: "svg",
      config,
      tooltip: { theme: look },
      downloadFileName: place.dataset.chart,
      actions: { export: true, source: false, compiled: false, editor: false },
    });
    drawn.set(place, result);
    place.dataset.drawn = look;
    place.dataset.columns = columns;
  }
  addEventListener("resize", () => {
    for (const place of [...drawn.keys()]) {
      if (place.clientWidth && place.dataset.columns && Number(place.dataset.columns) !== columnsFor(place)) draw(place);
    }
  });
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting && !drawn.has(target)) draw(target);
    }
  }, { rootMargin: "500px 0px" });
  document.querySelectorAll(".chart").forEach((place) => near.observe(place));

  // Tabs: one row of stacks, one of benchmarks; a panel for each pair.
  const chosenTab = {};
  function select(kind, value) {
    chosenTab[kind] = value;
    for (const tab of document.querySelectorAll(`[data-tab="${kind}"]`)) {
      tab.setAttribute("aria-selected", String(tab.dataset.value === value));
    }
    for (const panel of document.querySelectorAll(".panel")) {
      panel.hidden = panel.dataset.stack !== chosenTab.stack || panel.dataset.benchmark !== chosenTab.benchmark;
    }
    dispatchEvent(new Event("resize"));
  }
  const panels = document.querySelectorAll(".panel");
  if (panels.length) {
    chosenTab.benchmark = panels[0].dataset.benchmark;
    select("stack", panels[0].dataset.stack);
    select("benchmark", chosenTab.benchmark);
  }
  document.querySelectorAll("[data-tab]").forEach((tab) => {
    tab.addEventListener("click", () => select(tab.dataset.tab, tab.dataset.value));
  });

  // The table of all rows: built when it is opened, filtered and sorted here.
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
  };
  function allRows() {
    const { columns, rows } = read("rows-data");
    const head = box.querySelector("thead tr");
    const body = box.querySelector("tbody");
    const filters = box.querySelector(".filters");
    const counter = document.getElementById("row-count");
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

    function compare(left, right) {
      const [a, b] = [left[order.column], right[order.column]];
      if (a === null || b === null) return (a === null) - (b === null);
      return order.sign * (typeof a === "number" ? a - b : a.localeCompare(b));
    }
    function show() {
      const kept = rows.filter((row) => Object.entries(wanted).every(([i, value]) => !value || row[i] === value));
      if (order.column !== null) kept.sort(compare);
      body.replaceChildren(...kept.map((row) => {
        const line = document.createElement("tr");
        row.forEach((value, index) => {
          const cell = line.insertCell();
          const { form, key } = columns[index];
          if (form === "text") cell.className = "text";
          if (key === "verdict") cell.classList.add(`v-${String(value).replaceAll(" ", "-")}`);
          cell.textContent = value === null ? "" : forms[form](value);
        });
        return line;
      }));
      counter.textContent = `${kept.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
    }
    show();
  }
  box?.addEventListener("toggle", () => { if (!box.dataset.built) { box.dataset.built = "yes"; allRows(); } });

  applyTheme();
})();
