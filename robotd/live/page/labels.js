// Labels on a canvas, drawn last, at places where they cover neither each other nor what must be seen.

const EDGE = 2; // px that are free at the edge of the canvas

// How much of a box [left, top, width, height] is covered by another, in square pixels.
function common([x, y, w, h], [x2, y2, w2, h2]) {
  return Math.max(0, Math.min(x + w, x2 + w2) - Math.max(x, x2)) * Math.max(0, Math.min(y + h, y2 + h2) - Math.max(y, y2));
}

// A place (left, top) of each label { key, w, h, spots }: of its spots, which it prefers in their order and which are
// moved into the canvas, the first one that covers none of `taken` nor any label before; else the one that covers
// least. A label stays at the spot where it was (`before`: its number by key, kept up) while nothing is covered there.
export function placed(labels, taken, width, height, before = {}) {
  const boxes = [...taken];
  return labels.map(({ key, w, h, spots }) => {
    const inside = spots.map(([x, y]) => [Math.max(EDGE, Math.min(x, width - w - EDGE)), Math.max(EDGE, Math.min(y, height - h - EDGE))]);
    const costs = inside.map(([x, y]) => boxes.reduce((sum, other) => sum + common([x, y, w, h], other), 0));
    const best = costs[before[key]] === 0 ? before[key] : costs.indexOf(Math.min(...costs));
    before[key] = best;
    boxes.push([...inside[best], w, h]);
    return inside[best];
  });
}

export class Labels {
  constructor() {
    this.before = {};
  }

  begin(pen, ink, floor) {
    Object.assign(this, { pen, ink, floor, labels: [], taken: [] });
  }

  // What no label may cover: a round of `radius` px.
  keep(x, y, radius) {
    this.taken.push([x - radius, y - radius, 2 * radius, 2 * radius]);
  }

  // Lines (text, and whether it is the main one) beside a round of `radius` px, or where `spots` says: (w, h) => places.
  add(key, lines, x, y, radius, spots = null) {
    const shown = lines.filter(([text]) => text), { pen } = this;
    const w = Math.max(...shown.map(([text, main]) => ((pen.font = font(main)), pen.measureText(text).width))), h = 13 * shown.length;
    const gap = radius + 3, beside = [[x + gap, y - 13], [x - gap - w, y - 13], [x - w / 2, y - gap - h], [x - w / 2, y + gap], [x + gap, y + 3], [x - gap - w, y + 3]];
    this.labels.push({ key, lines: shown, w, h, spots: spots ? spots(w, h) : beside });
  }

  draw(width, height) {
    const { pen } = this, places = placed(this.labels, this.taken, width, height, this.before);
    this.labels.forEach(({ lines }, k) => lines.forEach(([text, main], line) => {
      const [left, top] = places[k];
      pen.font = font(main);
      pen.lineWidth = 3;
      pen.strokeStyle = this.floor; // a rim: text is read on anything
      pen.strokeText(text, left, top + 11 + 13 * line);
      pen.fillStyle = this.ink;
      pen.fillText(text, left, top + 11 + 13 * line);
    }));
  }
}

function font(main) {
  return main ? "600 12px system-ui, sans-serif" : "11px system-ui, sans-serif";
}
