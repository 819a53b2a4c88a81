// What all parts share: the data in the page, and the theme: what the reader chose, else what the system prefers.
const read = (id, revive) => JSON.parse(document.getElementById(id).textContent, revive);
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
const toggle = document.getElementById("theme");
let chosenTheme = null;
try { chosenTheme = localStorage.getItem("polympi-theme"); } catch { /* storage may be off for files */ }
const theme = () => chosenTheme ?? (system.matches ? "dark" : "light");
function applyTheme() {
  root.dataset.theme = theme();
  toggle.textContent = theme() === "dark" ? "Light" : "Dark";
  toggle.setAttribute("aria-label", `Switch to the ${theme() === "dark" ? "light" : "dark"} theme`);
  redraw();
}
toggle.addEventListener("click", () => {
  chosenTheme = theme() === "dark" ? "light" : "dark";
  try { localStorage.setItem("polympi-theme", chosenTheme); } catch { /* then it holds for this page only */ }
  applyTheme();
});
system.addEventListener("change", applyTheme);
