// The activity trace, on a canvas: what each robot did when.
import { END, PALETTE, PLACE, RECENT, fit, variable } from "/drawing.js";

const NARROW = 500; // px, of a phone: fewer times have room

// Spells of activity by robot, drawn over the time of the run.
export class Trace {
  constructor(canvas) {
    this.canvas = canvas;
    this.forget();
  }

  forget() {
    [this.spells, this.bars] = [{}, []];
  }

  // What the bar at a point of the canvas says, or ''.
  at(px, py) {
    return this.bars.find(({ left, right, top, low }) => left <= px && px <= right && top <= py && py <= low)?.words ?? "";
  }

  note(frame, real = false) {
    for (const robot of frame.robots) {
      const spells = (this.spells[robot.name] ??= []);
      const doing = ((real ? robot.on : robot.at) && robot.set) || "", last = spells[spells.length - 1];
      if (last && last.doing === doing) last.end = frame.t;
      else spells.push({ doing, start: last ? last.end : begun(doing && robot.since, frame.t), end: frame.t });
    }
  }

  draw(scene, frame) {
    const { pen, width, height } = fit(this.canvas);
    const names = scene.team.map((one) => one.name), row = (height - 20) / names.length;
    const sets = Object.keys(scene.sets), firstOf = (task) => sets.findIndex((one) => scene.sets[one] === task);
    const first = scene.real ? Math.max(0, frame.t - RECENT) : 0, most = Math.max(60, frame.t - first); // of a robot that runs for days
    const x = (t) => PLACE + ((width - PLACE - END) * Math.max(0, t - first)) / most;
    pen.font = "11px system-ui, sans-serif";
    this.bars = [];
    names.forEach((name, k) => {
      pen.fillStyle = variable("--ink");
      pen.fillText(name, 4, (k + 0.6) * row);
      for (const { doing, start, end } of this.spells[name] ?? []) {
        if (!doing || end < first) continue;
        const known = sets.indexOf(doing), place = Math.max(0, known < 0 ? firstOf(doing) : known) % PALETTE.length; // of teammates tasks alone are known
        pen.fillStyle = PALETTE[place];
        const left = x(start), right = Math.max(left + 1, x(end)), top = k * row + 2, low = top + row - 4;
        pen.fillRect(left, top, right - left, low - top);
        this.bars.push({ left, right, top, low, words: `${name}: ${doing}, ${Math.round(start)} to ${Math.round(end)} s` });
        if (right - left > pen.measureText(doing).width + 6) {
          pen.fillStyle = place ? "#111111" : "#ffffff"; // the first alone is dark
          pen.fillText(doing, left + 3, (k + 0.6) * row);
        }
      }
    });
    pen.fillStyle = variable("--faint");
    const parts = width < NARROW ? 2 : 4;
    for (let k = 0; k <= parts; k++) {
      const at = first + (most * k) / parts;
      pen.fillText(`${Math.round(at)} s`, x(at) - (k === parts ? 30 : 0), height - 5);
    }
  }
}

// Since when is known what a robot does, in the first frame that a page gets: of what was before, it knows nothing.
function begun(since, now) {
  return Number.isFinite(since) ? Math.min(since, now) : now;
}
