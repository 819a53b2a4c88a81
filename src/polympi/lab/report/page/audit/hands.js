// What pointer, wheel and keys do to the timeline: a drag moves it, or with Shift draws a box to zoom into.
class Hands {
  constructor(picture) {
    this.picture = picture;
    this.view = picture.view;
    this.canvas = picture.canvas;
    this.fingers = new Map();
    this.pressed = null;
    this.listen();
  }
  listen() {
    const on = (name, act, options) => this.canvas.addEventListener(name, act, options);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => (this.pressed ? this.drag(event) : this.hover(event)));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", (event) => this.release(event));
    on("pointerleave", () => { this.picture.hovered = -1; showTip(); this.picture.later(); });
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("keydown", (event) => this.key(event));
    const zooms = { in: () => this.view.zoom(0.5), out: () => this.view.zoom(2), all: () => this.view.show(this.view.whole) };
    for (const made of document.querySelectorAll("[data-zoom]")) made.addEventListener("click", zooms[made.dataset.zoom]);
  }
  at(event) {
    const frame = this.canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }
  // How far two fingers are apart; 0 unless there are two.
  spread() {
    const [a, b] = this.fingers.values();
    return b === undefined ? 0 : Math.max(20, Math.abs(a - b));
  }
  press(event) {
    const [left, top] = this.at(event);
    this.fingers.set(event.pointerId, left);
    if (event.pointerType === "mouse" && event.isTrusted) this.canvas.setPointerCapture(event.pointerId);
    this.pressed = { left, top, part: this.view.part, select: event.shiftKey, spread: this.spread() };
  }
  hover(event) {
    const found = this.view.callAt(...this.at(event));
    if (found !== this.picture.hovered) {
      this.picture.hovered = found;
      this.picture.later();
    }
    showTip(found < 0 ? null : this.picture.events.described(found), event);
  }
  drag(event) {
    const [left, top] = this.at(event);
    const { view, pressed } = this;
    const { part } = pressed;
    const timePerPixel = (part.to - part.from) / view.room;
    showTip();
    this.fingers.set(event.pointerId, left);
    if (pressed.select) {
      const [across, down] = [[left, pressed.left], [top, pressed.top]];
      this.picture.box = { left: Math.min(...across), right: Math.max(...across), top: Math.min(...down), bottom: Math.max(...down) };
      this.picture.later();
    } else if (pressed.spread && this.spread()) {
      const middle = [...this.fingers.values()].reduce((a, b) => a + b) / 2;
      view.zoom(pressed.spread / this.spread(), part.from + (middle - GUTTER) * timePerPixel, part);
    } else {
      const rows = ((pressed.top - top) / view.height) * (part.bottom - part.top);
      view.move((pressed.left - left) * timePerPixel, rows, part);
    }
  }
  release(event) {
    const { view } = this;
    const { box } = this.picture;
    this.fingers.delete(event.pointerId);
    this.picture.box = this.pressed = null;
    if (box && box.right - box.left > 4) {
      const rows = box.bottom - box.top > 8 ? { top: Math.floor(view.rowAt(box.top)), bottom: Math.ceil(view.rowAt(box.bottom)) } : {};
      view.show({ ...view.part, from: view.timeAt(box.left), to: view.timeAt(box.right), ...rows });
    }
    this.picture.later();
  }
  wheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return; // the page scrolls
    event.preventDefault();
    this.view.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), this.view.timeAt(this.at(event)[0]));
  }
  key(event) {
    const { view } = this;
    const acts = {
      "+": () => view.zoom(0.6), "=": () => view.zoom(0.6), "-": () => view.zoom(1 / 0.6), "0": () => view.show(view.whole),
      ArrowLeft: () => view.move(-0.2 * view.span, 0), ArrowRight: () => view.move(0.2 * view.span, 0),
      ArrowUp: () => view.move(0, -1), ArrowDown: () => view.move(0, 1),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    acts[event.key]();
  }
}
