// Pictures of many numbers as a grid of colours: who sent to whom, and the time of each call on each rank.
const RAMPS = { light: ["#dce8f8", "#5b93dc", "#123f82"], dark: ["#22334d", "#3f79c4", "#c4defc"] };
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
function ramp(share) {
  const stops = RAMPS[theme()].map(channels);
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  return stops[low].map((value, i) => Math.round(value + (stops[low + 1][i] - value) * (at - low)));
}

// cells: [row, column, value]; where cells are smaller than a pixel, one pixel shows the largest of its cells.
function grid(canvas, { rows, columns, cells, name, square, gutter, logarithmic, labels, axis, write, tipAt }) {
  const current = {};
  const draw = () => {
    const now = cells();
    const values = now.map((cell) => cell[2]).filter((value) => value > 0);
    const high = values.reduce((a, b) => Math.max(a, b), 0);
    const low = logarithmic ? values.reduce((a, b) => Math.min(a, b), high) : 0;
    const share = logarithmic
      ? (value) => (high > low ? Math.log(value / low) / Math.log(high / low) : 1)
      : (value) => value / (high || 1);
    const room = canvas.parentElement.clientWidth - 2 * parseFloat(getComputedStyle(canvas.parentElement).paddingLeft);
    const left = Math.min(gutter, 0.42 * room);
    const wide = square ? Math.min(room - left, 640) : room - left;
    const pool = Math.max(1, Math.ceil(columns / wide));
    const across = Math.ceil(columns / pool);
    const down = square ? Math.ceil(rows / pool) : rows;
    const width = Math.min(square ? 40 : 110, wide / across);
    const height = square ? width : 20;
    const top = 18;
    const { context } = sized(canvas, top + Math.ceil(down * height) + 2);
    const largest = new Float64Array(across * down);
    for (const [row, column, value] of now) {
      const at = Math.floor(square ? row / pool : row) * across + Math.floor(column / pool);
      if (value > largest[at]) largest[at] = value;
    }
    context.fillStyle = css("--lane");
    context.fillRect(left, top, across * width, down * height);
    const gap = width > 6 ? 1 : 0;
    for (let row = 0; row < down; row += 1) {
      for (let column = 0; column < across; column += 1) {
        const value = largest[row * across + column];
        if (!(value > 0)) continue;
        context.fillStyle = `rgb(${ramp(share(value)).join(" ")})`;
        const bleed = gap ? -gap : 0.35; // without gaps, edges must not show through
        const from = gap ? left + column * width : Math.floor(left + column * width);
        context.fillRect(from, top + row * height, gap ? width - gap : Math.ceil(width), height - (square ? -bleed : 1));
      }
    }
    context.fillStyle = css("--soft");
    context.fillText(axis, left, 7);
    context.textAlign = "right";
    const each = labelStep(square ? height / pool : height); // in rows of numbers
    for (let row = 0; row < rows; row += each) {
      context.fillText(shortened(context, labels(row), left - 8), left - 6, top + (row / (square ? pool : 1) + 0.5) * height);
    }
    context.textAlign = "left";
    for (const [which, value] of [["low", low], ["high", high]]) {
      document.querySelector(`[data-${which}="${name}"]`).textContent = write(value);
    }
    Object.assign(current, { left, top, width, height, across, down, pool, now });
  };
  pictures.push(draw);
  withTip(canvas, (x, y) => {
    const column = Math.floor((x - current.left) / current.width);
    const row = Math.floor((y - current.top) / current.height);
    if (column < 0 || row < 0 || column >= current.across || row >= current.down) return null;
    const inRow = square ? (r) => Math.floor(r / current.pool) === row : (r) => r === row;
    const found = current.now.filter(([r, c, value]) => value > 0 && inRow(r) && Math.floor(c / current.pool) === column);
    return tipAt(found, row * (square ? current.pool : 1), column * current.pool);
  });
  return draw;
}

const named = (place, block, ranks) => (block === 1 ? `${place}` : `${place * block} to ${Math.min(ranks, (place + 1) * block) - 1}`);

if (audit.matrix) {
  const { ranks, block, cells } = audit.matrix;
  const size = Math.ceil(ranks / block);
  let measure = "bytes";
  const draw = grid(document.getElementById("matrix"), {
    rows: size, columns: size, name: "matrix", square: true, gutter: 40, logarithmic: true, axis: "to rank",
    cells: () => cells.map(([from, to, messages, bytes]) => [from, to, measure === "bytes" ? bytes : messages, messages, bytes]),
    labels: (row) => `${row * block}`,
    write: (value) => (measure === "bytes" ? forms.amount(value) : counted(value, "message")),
    tipAt: (found, row, column) => {
      if (!found.length) return [`${named(row, block, ranks)} → ${named(column, block, ranks)}`, "nothing"];
      const lines = found.slice(0, 4).flatMap(([from, to, , messages, bytes]) => [
        `rank ${named(from, block, ranks)} → ${named(to, block, ranks)}`,
        `${counted(messages, "message")}, ${forms.amount(bytes)}`,
      ]);
      return found.length > 4 ? [...lines, `and ${found.length - 4} more pairs`] : lines;
    },
  });
  for (const pill of document.querySelectorAll("[data-measure]")) {
    pill.addEventListener("click", () => {
      measure = pill.dataset.measure;
      for (const other of document.querySelectorAll("[data-measure]")) other.setAttribute("aria-pressed", String(other === pill));
      draw();
    });
  }
}
if (audit.calls) {
  const { ranks, block, labels, values } = audit.calls;
  const cells = values.flatMap((row, i) => row.map((value, j) => [i, j, value]));
  grid(document.getElementById("calls-by-rank"), {
    rows: labels.length, columns: values[0].length, name: "calls", square: false, gutter: 270, logarithmic: false, axis: "rank",
    cells: () => cells,
    labels: (row) => labels[row].join("  "),
    write: (value) => (value ? seconds(value) : "0"),
    tipAt: (found, row, column) => [
      labels[row].join(" "),
      ...(found.length ? found.slice(0, 4).map(([, rank, value]) => `rank ${named(rank, block, ranks)}: ${seconds(value)}`) : [`rank ${named(column, block, ranks)}: no time`]),
    ],
  });
}
