// What the page shows: one stack, one benchmark's charts, and the bindings whose chips are pressed.
// Stack and bindings stand in the address, so that a link shows what its sender saw.
const SHOWN = "bindings", STACK = "stack", EVERY = "all";
const chips = [...document.querySelectorAll("[data-chip]")];
const reset = document.getElementById("reset");
const count = document.getElementById("shown-count");
// Of many bindings a few are shown at first; this is what is hidden then.
const usuallyHidden = new Set(chips.filter(({ dataset }) => !("first" in dataset)).map(({ dataset }) => dataset.chip));
const asUsual = () => hiddenArms.size === usuallyHidden.size && [...hiddenArms].every((name) => usuallyHidden.has(name));
const chosenTab = {};

function select(kind, value) {
  chosenTab[kind] = value;
  for (const tab of document.querySelectorAll(`[data-tab="${kind}"]`)) {
    const on = tab.dataset.value === value;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
  }
  for (const part of document.querySelectorAll(".on-stack")) part.hidden = part.dataset.stack !== chosenTab.stack;
  for (const panel of document.querySelectorAll(".panel")) {
    panel.hidden = panel.dataset.stack !== chosenTab.stack || panel.dataset.benchmark !== chosenTab.benchmark;
  }
  dispatchEvent(new Event("resize"));
}
function keepInAddress() {
  const parameters = new URLSearchParams(location.search);
  const pressed = chips.filter((chip) => !hiddenArms.has(chip.dataset.chip)).map((chip) => chip.dataset.chip);
  if (asUsual()) parameters.delete(SHOWN);
  else parameters.set(SHOWN, hiddenArms.size ? pressed.join(",") : EVERY);
  if (chosenTab.stack === stacks[0]) parameters.delete(STACK);
  else parameters.set(STACK, chosenTab.stack);
  const query = parameters.toString().replaceAll("%2C", ",");
  history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
}
function showArms() {
  for (const chip of chips) chip.setAttribute("aria-pressed", String(!hiddenArms.has(chip.dataset.chip)));
  for (const part of document.querySelectorAll("main [data-binding]")) part.hidden = hiddenArms.has(part.dataset.binding);
  for (const menu of document.querySelectorAll("[data-one]")) {
    for (const option of menu.options) option.hidden = option.disabled = hiddenArms.has(option.value);
    if (hiddenArms.has(menu.value)) menu.value = [...menu.options].find((option) => !option.disabled)?.value ?? "";
    menu.dispatchEvent(new Event("change"));
  }
  reset.hidden = !hiddenArms.size && !usuallyHidden.size;
  reset.textContent = hiddenArms.size ? "Show all" : "Show fewer";
  if (count) count.textContent = chips.length - hiddenArms.size;
  showAllRows();
  redraw();
}
function fromAddress() {
  const wanted = new URLSearchParams(location.search);
  const names = wanted.get(SHOWN)?.split(",");
  for (const { dataset: { chip } } of chips) {
    if (names ? !names.includes(chip) && !names.includes(EVERY) : usuallyHidden.has(chip)) hiddenArms.add(chip);
  }
  return stacks.includes(wanted.get(STACK)) ? wanted.get(STACK) : stacks[0];
}

const stacks = [...new Set([...document.querySelectorAll(".on-stack")].map((part) => part.dataset.stack))];
for (const chip of chips) {
  chip.addEventListener("click", () => {
    const name = chip.dataset.chip;
    if (!hiddenArms.delete(name)) hiddenArms.add(name);
    showArms();
    keepInAddress();
  });
}
for (const label of document.querySelectorAll(".chip-group .language")) {
  label.addEventListener("click", () => {
    const names = [...label.parentElement.querySelectorAll("[data-chip]")].map(({ dataset }) => dataset.chip);
    const someHidden = names.some((name) => hiddenArms.has(name));
    for (const name of names) {
      if (someHidden) hiddenArms.delete(name);
      else hiddenArms.add(name);
    }
    showArms();
    keepInAddress();
  });
}
reset.addEventListener("click", () => {
  if (hiddenArms.size) hiddenArms.clear();
  else usuallyHidden.forEach((name) => hiddenArms.add(name));
  showArms();
  keepInAddress();
  chips[0]?.focus();
});
document.querySelectorAll("[data-tab]").forEach((tab) => {
  tab.addEventListener("click", () => { select(tab.dataset.tab, tab.dataset.value); keepInAddress(); });
  tab.addEventListener("keydown", ({ key }) => {
    const row = [...tab.parentElement.children];
    const next = row[row.indexOf(tab) + { ArrowRight: 1, ArrowLeft: -1 }[key]];
    if (next) { next.focus(); next.click(); }
  });
});
document.getElementById("chooser").hidden = false;
chosenTab.benchmark = document.querySelector(".panel")?.dataset.benchmark;
const firstStack = fromAddress();
applyTheme();
if (chosenTab.benchmark) select("benchmark", chosenTab.benchmark);
select("stack", firstStack);
showArms();
