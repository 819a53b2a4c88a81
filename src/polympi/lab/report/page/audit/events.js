// The events of the timeline, as arrays.
const CALL = 1, SENDS = 2;
const NAMELESS = { [-1000]: "", [-1001]: "any rank", [-1002]: "no rank" };
const NO_TAG = -1000, ANY_TAG = -1001;
const TYPES = { u4: Uint32Array, i4: Int32Array, f8: Float64Array, u1: Uint8Array };

// The columns, whose bytes lie in planes in a stream that zlib made.
async function unpacked({ columns, types, events, messages }) {
  const stream = new Blob([Uint8Array.from(atob(columns), (letter) => letter.charCodeAt(0))]).stream();
  const raw = new Uint8Array(await new Response(stream.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
  const found = {};
  let at = 0;
  for (const [name, type] of types) {
    const length = name === "send" || name === "receive" ? messages : events;
    const size = TYPES[type].BYTES_PER_ELEMENT;
    const whole = new Uint8Array(length * size);
    for (let plane = 0; plane < size; plane += 1) {
      for (let i = 0; i < length; i += 1) whole[i * size + plane] = raw[at + plane * length + i];
    }
    at += length * size;
    found[name] = new TYPES[type](whole.buffer);
  }
  return found;
}

// Events are numbered by rank and beginning; `row` is the place of an event's rank among those that have events.
class Events {
  constructor(data, columns) {
    Object.assign(this, columns, { data, count: data.events, ranks: data.ranks.map(([rank]) => rank) });
    this.lanes = new Array(this.ranks.length).fill(1); // threads of a rank
    this.firstOf = [0]; // of each row, and after the last one
    for (const [, number] of data.ranks) this.firstOf.push(this.firstOf.at(-1) + number);
    this.row = new Int32Array(this.count);
    this.from = new Float64Array(this.count);
    this.to = new Float64Array(this.count);
    this.place();
    this.low = this.from.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = Math.max(this.to.reduce((a, b) => Math.max(a, b), -Infinity), this.low + 1e-9);
    this.byKind = audit.kinds.map(() => []); // calls
    this.requests = [];
    for (let i = 0; i < this.count; i += 1) (this.isCall(i) ? this.byKind[this.kind(i)] : this.requests).push(i);
    this.messagesOf = new Map(); // of an event that sends or receives
    for (const ends of [this.send, this.receive]) {
      ends.forEach((event, message) => {
        if (!this.messagesOf.has(event)) this.messagesOf.set(event, []);
        this.messagesOf.get(event).push(message);
      });
    }
  }
  place() {
    let ticks = 0;
    for (let place = 0; place < this.ranks.length; place += 1) {
      for (let i = this.firstOf[place]; i < this.firstOf[place + 1]; i += 1) {
        ticks = (ticks + this.begin[i]) % 4294967296; // differences, modulo 2^32
        this.row[i] = place;
        this.from[i] = this.data.first + ticks * this.data.tick;
        this.to[i] = this.from[i] + this.length[i] * this.data.tick;
        this.lanes[place] = Math.max(this.lanes[place], this.lane[i] + 1);
      }
    }
  }
  isCall(event) { return (this.role[event] & CALL) !== 0; }
  kind(event) { return this.data.calls[this.call[event]][3]; }
  procedure(event) { return this.data.procedures[this.data.calls[this.call[event]][0]]; }

  // What the tip says.
  described(event) {
    const [, site, communicator] = this.data.calls[this.call[event]];
    const [place, code] = [this.data.sites[site], this.data.functions[site]];
    const peer = NAMELESS[this.peer[event]] ?? `rank ${this.peer[event]}`;
    const tag = { [NO_TAG]: "", [ANY_TAG]: ", any tag" }[this.tag[event]] ?? `, tag ${this.tag[event]}`;
    const known = this.data.communicators[communicator];
    return [
      `${this.procedure(event)} on rank ${this.ranks[this.row[event]]}`,
      code && !place.startsWith(code) ? `${place} (${code})` : place,
      ...(peer ? [`${this.role[event] & SENDS ? "to" : "from"} ${peer}${tag}`] : []),
      ...(known ? [`on ${known}`] : []),
      ...(this.bytes[event] ? [forms.amount(this.bytes[event])] : []),
      `${seconds(this.to[event] - this.from[event])}, at ${this.from[event].toFixed(6)} s`,
    ];
  }
}
