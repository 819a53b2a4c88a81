// The timeline: one row per rank, a bar per call, an arrow per message.
const CALL = 1, SENDS = 2, RECEIVES = 4;
const NAMELESS = { [-1000]: "", [-1001]: "any rank", [-1002]: "no rank" };
const TYPES = { u4: Uint32Array, i4: Int32Array, f8: Float64Array, u1: Uint8Array };
const MOST_ARROWS = 2000;

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

async function timeline(canvas, data) {
  const got = await unpacked(data);
  const count = data.events;
  const begin = new Float64Array(count), end = new Float64Array(count), row = new Int32Array(count);
  const lanes = new Array(data.ranks.length).fill(1);
  const firstOf = [];
  let ticks = 0;
  for (let i = 0, place = 0, left = data.ranks[0][1]; i < count; i += 1, left -= 1) {
    while (left === 0) { place += 1; left = data.ranks[place][1]; }
    firstOf[place] ??= i;
    ticks = (ticks + got.begin[i]) % 4294967296;
    row[i] = place;
    begin[i] = data.first + ticks * data.tick;
    end[i] = begin[i] + got.length[i] * data.tick;
    lanes[place] = Math.max(lanes[place], got.lane[i] + 1);
  }
  firstOf.push(count);
  const byKind = audit.kinds.map(() => []);
  const requests = [];
  for (let i = 0; i < count; i += 1) (got.role[i] & CALL ? byKind[data.calls[got.call[i]][3]] : requests).push(i);
  const messagesOf = new Map(); // of an event
  const note = (event, message) => { if (messagesOf.has(event)) messagesOf.get(event).push(message); else messagesOf.set(event, [message]); };
  got.send.forEach((event, message) => { note(event, message); note(got.receive[message], message); });

  const low = begin.reduce((a, b) => Math.min(a, b), Infinity), high = end.reduce((a, b) => Math.max(a, b), -Infinity);
  const whole = { from: low, to: Math.max(high, low + 1e-9), top: 0, bottom: data.ranks.length };
  let view = { ...whole };
  let hovered = -1;
  let box = null; // that is being drawn, in pixels
  const AXIS = 24, GUTTER = 44;
  const plotHeight = Math.min(Math.max(data.ranks.length * 24, 144), 600);
  let width = 0;
  const x = (time) => GUTTER + ((time - view.from) / (view.to - view.from)) * (width - GUTTER);
  const y = (place) => AXIS + ((place - view.top) / (view.bottom - view.top)) * plotHeight;
  const timeAt = (left) => view.from + ((left - GUTTER) / (width - GUTTER)) * (view.to - view.from);
  const rowAt = (top) => view.top + ((top - AXIS) / plotHeight) * (view.bottom - view.top);

  function axis(context) {
    const span = view.to - view.from;
    const rough = span / Math.max(2, (width - GUTTER) / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((digit) => digit * power >= rough);
    const [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]].find(([least]) => step >= 0.2 * least) ?? [1e-9, "ns"];
    const digitsAfter = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
    context.textAlign = "center";
    for (let k = Math.ceil(view.from / step); k * step <= view.to; k += 1) {
      const left = x(k * step);
      context.fillStyle = css("--line");
      context.fillRect(left, AXIS - 5, 1, plotHeight + 5);
      context.fillStyle = css("--soft");
      const label = `${((k * step) / factor).toLocaleString("en", { minimumFractionDigits: digitsAfter, maximumFractionDigits: digitsAfter })} ${unit}`;
      if (left < width - 24) context.fillText(label, Math.max(left, GUTTER + 14), 9);
    }
    context.textAlign = "left";
  }
  function rowsOf(context, tall) {
    const each = labelStep(tall);
    const gap = tall > 4 ? 1 : 0;
    const [lane, ink] = [css("--lane"), css("--soft")];
    for (let place = Math.floor(view.top); place < view.bottom; place += 1) {
      context.fillStyle = lane;
      context.fillRect(GUTTER, y(place), width - GUTTER, tall - gap);
      if (place % each) continue;
      context.fillStyle = ink;
      context.textAlign = "right";
      context.fillText(data.ranks[place][0], GUTTER - 7, y(place) + tall / 2);
      context.textAlign = "left";
    }
  }
  function bar(event, tall) {
    const gap = tall > 4 ? 1 : 0;
    const share = (tall - gap) / lanes[row[event]];
    return [x(begin[event]), y(row[event]) + got.lane[event] * share, x(end[event]), share];
  }
  const inView = (event) => end[event] >= view.from && begin[event] <= view.to && row[event] + 1 > view.top && row[event] < view.bottom;
  function calls(context, tall) {
    audit.kinds.forEach(([, colour], kind) => {
      context.fillStyle = colour;
      for (const event of byKind[kind]) {
        if (!inView(event)) continue;
        const [left, top, right, height] = bar(event, tall);
        context.fillRect(left, top, Math.max(right - left, 0.3), height); // a part of a pixel is painted in part
      }
    });
    if (tall < 12) return;
    context.fillStyle = "#000";
    for (const event of byKind.flat()) {
      if (!inView(event)) continue;
      const [left, top, right, height] = bar(event, tall);
      const room = Math.min(right, width) - Math.max(left, GUTTER);
      if (room < 36 || height < 11) continue;
      const text = shortened(context, data.procedures[data.calls[got.call[event]][0]].replace("MPI_", ""), room - 8);
      if (text.length > 3) context.fillText(text, Math.max(left, GUTTER) + 4, top + height / 2 + 0.5);
    }
    context.fillStyle = css("--soft"); // requests to receive, under the calls
    for (const event of requests) {
      if (!inView(event)) continue;
      const [left, top, right, height] = bar(event, tall);
      context.fillRect(left, top + height - 2, Math.max(1, right - left), 2);
    }
  }
  function arrow(context, message, tall) {
    const [send, receive] = [got.send[message], got.receive[message]];
    const [left, , , ] = bar(send, tall), [, , right] = bar(receive, tall);
    const [from, to] = [y(row[send]) + tall / 2, y(row[receive]) + tall / 2];
    context.beginPath();
    context.moveTo(left, from);
    context.lineTo(right, to);
    const angle = Math.atan2(to - from, right - left);
    for (const side of [-0.4, 0.4]) {
      context.moveTo(right, to);
      context.lineTo(right - 7 * Math.cos(angle + side), to - 7 * Math.sin(angle + side));
    }
    context.stroke();
  }
  function arrows(context, tall) {
    const seen = [];
    let number = 0;
    for (let message = 0; message < data.messages; message += 1) {
      const [send, receive] = [got.send[message], got.receive[message]];
      if (!inView(send) && !inView(receive)) continue;
      number += 1;
      if (number <= MOST_ARROWS && tall > 3) seen.push(message);
    }
    const crowded = number > Math.min(MOST_ARROWS, width / 2);
    context.lineWidth = 1;
    context.strokeStyle = css("--ink");
    if (!crowded) seen.forEach((message) => arrow(context, message, tall));
    context.lineWidth = 2;
    (messagesOf.get(hovered) ?? []).slice(0, 50).forEach((message) => arrow(context, message, tall));
    document.getElementById("arrows").textContent = crowded ? `${number.toLocaleString("en")} messages in sight: zoom in to see them as arrows, or point at a call.` : "";
  }
  function draw() {
    const made = sized(canvas, AXIS + plotHeight + 2);
    const { context } = made;
    width = made.width;
    const tall = plotHeight / (view.bottom - view.top);
    context.save();
    context.beginPath();
    context.rect(0, AXIS - 6, width, plotHeight + 8);
    context.clip();
    rowsOf(context, tall);
    context.restore();
    axis(context);
    context.save();
    context.beginPath();
    context.rect(GUTTER, AXIS, width - GUTTER, plotHeight);
    context.clip();
    calls(context, tall);
    arrows(context, tall);
    if (box) {
      context.strokeStyle = css("--accent");
      context.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    }
    context.restore();
    canvas.dataset.drawn = theme();
  }
  let waiting = 0;
  const later = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); }); };

  function show(next) {
    const span = Math.min(Math.max(next.to - next.from, 20 * data.tick), whole.to - whole.from);
    const rows = Math.min(Math.max(next.bottom - next.top, 1), whole.bottom);
    const from = Math.min(Math.max(next.from, whole.from), whole.to - span);
    const top = Math.min(Math.max(next.top, 0), whole.bottom - rows);
    view = { from, to: from + span, top, bottom: top + rows };
    later();
  }
  const zoom = (factor, at = (view.from + view.to) / 2) => show({ ...view, from: at - (at - view.from) * factor, to: at + (view.to - at) * factor });
  const move = (share, rows = 0) => show({ from: view.from + share * (view.to - view.from), to: view.to + share * (view.to - view.from), top: view.top + rows, bottom: view.bottom + rows });

  function eventAt(left, top) {
    if (left < GUTTER || top < AXIS) return -1;
    const place = Math.floor(rowAt(top));
    if (place < 0 || place >= data.ranks.length) return -1;
    const tall = plotHeight / (view.bottom - view.top);
    let best = -1, distance = 4; // pixels
    for (let event = firstOf[place]; event < firstOf[place + 1]; event += 1) {
      if (!(got.role[event] & CALL) || end[event] < view.from || begin[event] > view.to) continue;
      const [from, upper, to, height] = bar(event, tall);
      if (top < upper || top > upper + height) continue;
      const away = left < from ? from - left : left > to ? left - to : 0;
      if (away < distance) { best = event; distance = away; }
      if (away === 0 && to - from > 1) break;
    }
    return best;
  }
  function described(event) {
    const [procedure, site, communicator] = data.calls[got.call[event]];
    const peer = NAMELESS[got.peer[event]] ?? `rank ${got.peer[event]}`;
    const way = got.role[event] & SENDS ? "to" : "from";
    const tag = got.tag[event] === -1000 ? "" : got.tag[event] === -1001 ? ", any tag" : `, tag ${got.tag[event]}`;
    const known = data.communicators[communicator];
    return [
      `${data.procedures[procedure]} on rank ${data.ranks[row[event]][0]}`,
      data.sites[site] + (data.functions[site] && !data.sites[site].startsWith(data.functions[site]) ? ` (${data.functions[site]})` : ""),
      ...(peer ? [`${way} ${peer}${tag}`] : []),
      ...(known ? [`on ${known}`] : []),
      ...(got.bytes[event] ? [forms.amount(got.bytes[event])] : []),
      `${seconds(end[event] - begin[event])}, at ${begin[event].toFixed(6)} s`,
    ];
  }

  let pressed = null;
  const fingers = new Map();
  const at = (event) => { const frame = canvas.getBoundingClientRect(); return [event.clientX - frame.left, event.clientY - frame.top]; };
  canvas.addEventListener("pointerdown", (event) => {
    const [left, top] = at(event);
    fingers.set(event.pointerId, left);
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
    pressed = { left, top, view: { ...view }, select: event.shiftKey, spread: spread() };
  });
  const spread = () => { const [a, b] = fingers.values(); return b === undefined ? 0 : Math.max(20, Math.abs(a - b)); };
  canvas.addEventListener("pointermove", (event) => {
    const [left, top] = at(event);
    if (!pressed) {
      const found = eventAt(left, top);
      if (found !== hovered) { hovered = found; later(); }
      showTip(found < 0 ? null : described(found), event);
      return;
    }
    showTip();
    fingers.set(event.pointerId, left);
    const before = pressed.view, span = before.to - before.from;
    if (pressed.select) {
      box = { left: Math.min(left, pressed.left), right: Math.max(left, pressed.left), top: Math.min(top, pressed.top), bottom: Math.max(top, pressed.top) };
      later();
    } else if (pressed.spread && spread()) {
      const middle = [...fingers.values()].reduce((a, b) => a + b) / 2;
      const fixed = before.from + ((middle - GUTTER) / (width - GUTTER)) * span, factor = pressed.spread / spread();
      show({ ...before, from: fixed - (fixed - before.from) * factor, to: fixed + (before.to - fixed) * factor });
    } else {
      const along = ((pressed.left - left) / (width - GUTTER)) * span;
      const rows = ((pressed.top - top) / plotHeight) * (before.bottom - before.top);
      show({ from: before.from + along, to: before.to + along, top: before.top + rows, bottom: before.bottom + rows });
    }
  });
  function released(event) {
    fingers.delete(event.pointerId);
    if (box && box.right - box.left > 4) {
      const rows = box.bottom - box.top > 8 ? { top: Math.floor(rowAt(box.top)), bottom: Math.ceil(rowAt(box.bottom)) } : {};
      show({ ...view, from: timeAt(box.left), to: timeAt(box.right), ...rows });
    }
    box = null;
    pressed = null;
    later();
  }
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, released);
  canvas.addEventListener("pointerleave", () => { hovered = -1; showTip(); later(); });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), timeAt(at(event)[0]));
  }, { passive: false });
  const keys = {
    "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": () => show(whole),
    ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), ArrowUp: () => move(0, -1), ArrowDown: () => move(0, 1),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const zooms = { in: () => zoom(0.5), out: () => zoom(2), all: () => show(whole) };
  for (const made of document.querySelectorAll("[data-zoom]")) made.addEventListener("click", zooms[made.dataset.zoom]);
  pictures.push(draw);
  draw();
}
