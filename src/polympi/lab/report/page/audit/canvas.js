// What all pictures share: their data, sharp lines on every screen, colours of the theme, a tip at the pointer.
const hiddenArms = new Set(); // the table of rows leaves these out; here nobody chooses
const audit = read("audit-data");
const pictures = []; // functions that draw
function redraw() { for (const draw of pictures) draw(); }
const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const seconds = (value) => forms.time(value * 1e9);
const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// The context of a canvas that is as wide as its place, in CSS pixels; on paper its shape stays.
function sized(canvas, height) {
  const ratio = devicePixelRatio || 1;
  const width = canvas.parentElement.clientWidth - 2 * parseFloat(getComputedStyle(canvas.parentElement).paddingLeft);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `11px ${css("--sans")}`;
  context.textBaseline = "middle";
  return { context, width };
}
let resizing = 0;
addEventListener("resize", () => { cancelAnimationFrame(resizing); resizing = requestAnimationFrame(redraw); });

// Every how many rows there is room for a label: 1, 2, 5, 10, 20, ...
function labelStep(height) {
  const least = Math.max(1, 14 / height);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((digit) => digit * power >= least - 1e-9);
}

function shortened(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end -= 1;
  return `${text.slice(0, end)}…`;
}

const tip = document.getElementById("tip");
// The first line in bold, none to hide it.
function showTip(lines, event) {
  tip.hidden = !lines?.length;
  if (tip.hidden) return;
  tip.replaceChildren(...lines.map((text, index) => Object.assign(document.createElement(index ? "div" : "b"), { textContent: text })));
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - width - 6);
  const top = event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18;
  tip.style.transform = `translate(${Math.max(6, left)}px, ${Math.max(6, top)}px)`;
}
function withTip(element, linesAt) {
  element.addEventListener("pointermove", (event) => {
    const box = element.getBoundingClientRect();
    showTip(linesAt(event.clientX - box.left, event.clientY - box.top, box), event);
  });
  element.addEventListener("pointerleave", () => showTip());
}
