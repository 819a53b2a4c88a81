// Charts are drawn when they come near the window, or later, and again when the theme or the chosen bindings change.
const AXIS_ROOM = 70; // pixels left of the plot, where no legend stands
const expressions = read("expressions-data");
const charts = read("charts-data", (key, value) => (key === "labelExpr" ? expressions[value] ?? value : value));
const themes = read("themes-data");
const drawn = new Map();
const hiddenArms = new Set(); // set by the chooser

const columnsFor = (place) => Math.max(1, Math.floor((place.clientWidth - AXIS_ROOM) / (place.dataset.entry ?? 104)));

// A copy of a specification without the bindings that are not shown: their records, and their places in scales.
function shownPart(part) {
  if (!hiddenArms.size || part === null || typeof part !== "object") return part;
  if (Array.isArray(part)) {
    return part.filter((item) => !hiddenArms.has(item?.binding)).map(shownPart);
  }
  const copy = {};
  for (const [key, value] of Object.entries(part)) copy[key] = shownPart(value);
  const { domain, range } = copy;
  if (Array.isArray(domain) && Array.isArray(range) && domain.length === range.length) {
    const kept = domain.map((name) => !hiddenArms.has(name));
    copy.domain = domain.filter((_, index) => kept[index]);
    copy.range = range.filter((_, index) => kept[index]);
  }
  return copy;
}
// A chart with a line for each binding is as high as those that are shown need.
function shownChart(chart) {
  const { bindings = [], each = 0 } = chart.usermeta ?? {};
  const hidden = bindings.filter((name) => hiddenArms.has(name)).length;
  return { ...shownPart(chart), height: chart.height - each * hidden };
}

async function draw(place) {
  const look = theme();
  const columns = columnsFor(place);
  const config = { ...themes[look], legend: { ...themes[look].legend, columns } };
  drawn.get(place)?.finalize?.();
  drawn.set(place, {});
  const result = await vegaEmbed(place, shownChart(charts[place.dataset.chart]), {
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
function redraw() {
  for (const place of [...drawn.keys()]) {
    if (place.clientWidth) draw(place);
    else drawn.delete(place); // out of sight: drawn anew when it comes near
  }
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
const places = [...document.querySelectorAll(".chart")];
places.forEach((place) => near.observe(place));
// The others when the browser has time, one by one: a printed page has no window that they could come near.
const whenIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 100));
async function drawNext() {
  const place = places.find((one) => one.clientWidth && !drawn.has(one));
  if (!place) return;
  await draw(place);
  whenIdle(drawNext);
}
addEventListener("load", () => whenIdle(drawNext));
