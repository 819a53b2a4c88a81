// The part of the timeline that is in sight, and where it lies in the canvas, in pixels.
const AXIS = 24, GUTTER = 44; // above, for times, and left, for ranks

class View {
  constructor(events, changed) {
    this.events = events;
    this.changed = changed; // is called when another part is to be shown
    this.rows = events.ranks.length;
    this.height = Math.min(Math.max(this.rows * 24, 144), 600);
    this.part = this.whole = { from: events.low, to: events.high, top: 0, bottom: this.rows };
    this.measure(GUTTER + 1);
  }
  // What every event's place follows from: kept, as there are many.
  measure(width) {
    this.width = width; // of the canvas
    this.room = width - GUTTER;
    this.span = this.part.to - this.part.from;
    this.scale = this.room / this.span; // pixels per second
    this.tall = this.height / (this.part.bottom - this.part.top); // of a row
  }
  x(time) { return GUTTER + (time - this.part.from) * this.scale; }
  y(row) { return AXIS + (row - this.part.top) * this.tall; }
  timeAt(x) { return this.part.from + (x - GUTTER) / this.scale; }
  rowAt(y) { return this.part.top + (y - AXIS) / this.tall; }

  // Left, top, right and height of an event's bar; each thread of a rank has a part of its row.
  bar(event) {
    const { from, to, row, lane, lanes } = this.events;
    const height = (this.tall - (this.tall > 4 ? 1 : 0)) / lanes[row[event]];
    return [this.x(from[event]), this.y(row[event]) + lane[event] * height, this.x(to[event]), height];
  }
  holds(event) {
    const { from, to, row } = this.events;
    const { part } = this;
    return to[event] >= part.from && from[event] <= part.to && row[event] + 1 > part.top && row[event] < part.bottom;
  }
  // The call at a place, or the nearest one within a few pixels; -1 for none.
  callAt(x, y) {
    const row = Math.floor(this.rowAt(y));
    if (x < GUTTER || y < AXIS || row < 0 || row >= this.rows) return -1;
    let best = -1, nearest = 4; // pixels
    for (let event = this.events.firstOf[row]; event < this.events.firstOf[row + 1]; event += 1) {
      if (!this.events.isCall(event) || !this.holds(event)) continue;
      const [left, top, right, height] = this.bar(event);
      if (y < top || y > top + height) continue;
      const away = Math.max(left - x, x - right, 0);
      if (away < nearest) [best, nearest] = [event, away];
      if (away === 0 && right - left > 1) break;
    }
    return best;
  }
  show({ from, to, top, bottom }) {
    const { whole } = this;
    const span = Math.min(Math.max(to - from, 20 * this.events.data.tick), whole.to - whole.from);
    const rows = Math.min(Math.max(bottom - top, 1), whole.bottom);
    const first = Math.min(Math.max(from, whole.from), whole.to - span);
    const upper = Math.min(Math.max(top, 0), whole.bottom - rows);
    this.part = { from: first, to: first + span, top: upper, bottom: upper + rows };
    this.measure(this.width);
    this.changed();
  }
  zoom(factor, at = (this.part.from + this.part.to) / 2, { from, to, top, bottom } = this.part) {
    this.show({ from: at - (at - from) * factor, to: at + (to - at) * factor, top, bottom });
  }
  move(time, rows, { from, to, top, bottom } = this.part) {
    this.show({ from: from + time, to: to + time, top: top + rows, bottom: bottom + rows });
  }
}
