// The timeline: one row per rank, a bar per call, an arrow per message.
const MOST_ARROWS = 2000;

class Picture {
  constructor(canvas, events) {
    this.canvas = canvas;
    this.events = events;
    this.view = new View(events, () => this.later());
    this.hovered = -1; // an event
    this.box = null; // that the pointer draws, in pixels
    this.waiting = 0;
  }
  later() {
    this.waiting ||= requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }
  draw() {
    const { view } = this;
    const { context, width } = sized(this.canvas, AXIS + view.height + 2);
    view.measure(width);
    this.context = context;
    this.within(0, AXIS - 6, () => this.rows());
    this.axis();
    this.within(GUTTER, AXIS, () => {
      this.calls();
      if (view.tall >= 12) this.details();
      this.arrows();
      if (this.box) {
        context.strokeStyle = css("--accent");
        context.strokeRect(this.box.left, this.box.top, this.box.right - this.box.left, this.box.bottom - this.box.top);
      }
    });
    this.canvas.dataset.drawn = theme();
  }
  within(left, top, draw) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(left, top, this.view.width - left, AXIS + this.view.height - top + 1);
    this.context.clip();
    draw();
    this.context.restore();
  }
  rows() {
    const { context, view } = this;
    const [lane, ink, each] = [css("--lane"), css("--soft"), labelStep(view.tall)];
    context.textAlign = "right";
    for (let row = Math.floor(view.part.top); row < view.part.bottom; row += 1) {
      context.fillStyle = lane;
      context.fillRect(GUTTER, view.y(row), view.room, view.tall - (view.tall > 4 ? 1 : 0));
      context.fillStyle = ink;
      if (row % each === 0) context.fillText(this.events.ranks[row], GUTTER - 7, view.y(row) + view.tall / 2);
    }
  }
  axis() {
    const { context, view } = this;
    const rough = view.span / Math.max(2, view.room / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((digit) => digit * power >= rough);
    const [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([least]) => step >= 0.2 * least) ?? [1e-9, "ns"];
    const decimals = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
    const written = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    const [line, ink] = [css("--line"), css("--soft")];
    context.textAlign = "center";
    for (let k = Math.ceil(view.part.from / step); k * step <= view.part.to; k += 1) {
      const left = view.x(k * step);
      context.fillStyle = line;
      context.fillRect(left, AXIS - 5, 1, view.height + 5);
      context.fillStyle = ink;
      const label = `${((k * step) / factor).toLocaleString("en", written)} ${unit}`;
      if (left < view.width - 24) context.fillText(label, Math.max(left, GUTTER + 14), 9);
    }
    context.textAlign = "left";
  }
  calls() {
    const { context, view } = this;
    audit.kinds.forEach(([, colour], kind) => {
      context.fillStyle = colour;
      for (const event of this.events.byKind[kind]) {
        if (!view.holds(event)) continue;
        const [left, top, right, height] = view.bar(event);
        context.fillRect(left, top, Math.max(right - left, 0.3), height); // a part of a pixel is painted in part
      }
    });
  }
  // Names on bars that have room for them, and requests to receive as lines under the calls.
  details() {
    const { context, view, events } = this;
    context.textAlign = "left";
    context.fillStyle = "#000"; // legible on all colours of kinds
    for (const event of events.byKind.flat()) {
      if (!view.holds(event)) continue;
      const [left, top, right, height] = view.bar(event);
      const first = Math.max(left, GUTTER);
      const room = Math.min(right, view.width) - first;
      if (room < 36 || height < 11) continue;
      const text = shortened(context, events.procedure(event).replace("MPI_", ""), room - 8);
      if (text.length > 3) context.fillText(text, first + 4, top + height / 2 + 0.5);
    }
    context.fillStyle = css("--soft");
    for (const event of events.requests) {
      if (!view.holds(event)) continue;
      const [left, top, right, height] = view.bar(event);
      context.fillRect(left, top + height - 2, Math.max(1, right - left), 2);
    }
  }
  arrows() {
    const { context, view, events } = this;
    const seen = [];
    for (let message = 0; message < events.send.length; message += 1) {
      if (view.holds(events.send[message]) || view.holds(events.receive[message])) seen.push(message);
    }
    const crowded = seen.length > Math.min(MOST_ARROWS, view.width / 2) || view.tall <= 3;
    context.strokeStyle = css("--ink");
    context.lineWidth = 1;
    if (!crowded) seen.forEach((message) => this.arrow(message));
    context.lineWidth = 2;
    (events.messagesOf.get(this.hovered) ?? []).slice(0, 50).forEach((message) => this.arrow(message));
    document.getElementById("arrows").textContent = crowded && seen.length
      ? `${counted(seen.length, "message")} in sight: zoom in to see them as arrows, or point at a call.` : "";
  }
  arrow(message) {
    const { context, view, events } = this;
    const [send, receive] = [events.send[message], events.receive[message]];
    const [left, right] = [view.x(events.from[send]), view.x(events.to[receive])];
    const [from, to] = [send, receive].map((event) => view.y(events.row[event]) + view.tall / 2);
    const angle = Math.atan2(to - from, right - left);
    context.beginPath();
    context.moveTo(left, from);
    context.lineTo(right, to);
    for (const side of [-0.4, 0.4]) {
      context.moveTo(right, to);
      context.lineTo(right - 7 * Math.cos(angle + side), to - 7 * Math.sin(angle + side));
    }
    context.stroke();
  }
}
