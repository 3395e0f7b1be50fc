// Time series of a run, by uPlot: levels of a robot or of a behavior set, batteries, and what the radio lost.
import { $, element } from "/parts.js";
import { END, PALETTE, PLACE, RECENT, colourOf, variable } from "/drawing.js";

const MOST = 3000; // points that are kept; beyond, every second one is dropped
const LEAST_S = 5; // the shortest time that is shown
const LOSS_S = 60; // a share of lost frames is that of so much time before
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]]; // lines differ by these too, not by colour alone
const HEIGHT = 220, LABEL = 20;

// The score that decides: an alliance has a motivation, another coordinator has one of its own.
export function decisive(level) {
  return "motivation" in level.scores ? ["motivation", level.scores.motivation] : Object.entries(level.scores)[0] ?? ["", 0];
}

// Of the k-th line: one that has the colour of another one has other dashes.
export function dashOf(k) {
  return DASHES[(k + Math.floor(k / PALETTE.length)) % DASHES.length];
}

export class Chart {
  constructor(place, legend, choice) {
    [this.place, this.legend, this.choice] = [place, legend, choice];
    this.forget();
    choice.addEventListener("change", () => this.rebuild());
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.rebuild()); // its lines have colours of their own
    place.addEventListener("keydown", (event) => this.key(event));
  }

  forget() {
    [this.times, this.columns, this.kind, this.offered] = [[], new Map(), "", ""];
    this.plot?.destroy();
    [this.plot, this.shown] = [null, ""];
    this.whole();
  }

  // All of the run from now on, or what was dragged over.
  whole() {
    [this.span, this.fixed] = [Infinity, null];
  }

  note(scene, frame) {
    if (frame.t <= this.times.at(-1)) return;
    this.times.push(frame.t);
    for (const robot of frame.robots) {
      for (const level of robot.levels ?? []) {
        const [kind, score] = decisive(level);
        this.kind = kind;
        this.put(`level ${robot.name} ${level.set}`, score);
        this.put(`limit ${robot.name}`, level.limit);
      }
      if (Number.isFinite(robot.battery)) this.put(`battery ${robot.name}`, 100 * robot.battery);
    }
    this.put("lost", frame.radio.lost ?? frame.radio.missed);
    this.put("came", frame.radio.delivered ?? frame.radio.received);
    const { times } = this;
    if (scene.real && frame.t - times[0] > 1.1 * RECENT) this.thin((_, k) => times[k] >= frame.t - RECENT);
    if (this.times.length > MOST) this.thin((_, k) => k % 2 === 0);
  }

  put(key, value) {
    if (!this.columns.has(key)) this.columns.set(key, []);
    const column = this.columns.get(key);
    while (column.length < this.times.length - 1) column.push(null);
    column.push(value);
  }

  thin(keeps) {
    this.times = this.times.filter(keeps);
    for (const [key, column] of this.columns) this.columns.set(key, column.filter(keeps));
  }

  // The lines of what is chosen: label, colour and column of each.
  lines(scene) {
    const [what, name] = this.choice.value.split(" "), sets = Object.keys(scene.sets), names = scene.team.map((one) => one.name);
    const own = (key) => names.map((one) => [one, colourOf(scene, one), this.columns.get(key(one))]);
    let lines = [];
    this.most = 100;
    if (what === "robot") lines = sets.map((set, k) => [set, PALETTE[k % PALETTE.length], this.columns.get(`level ${name} ${set}`)]);
    else if (what === "set") lines = own((one) => `level ${one} ${name}`);
    else if (what === "battery") lines = own((one) => `battery ${one}`);
    else lines = [["lost frames", variable("--ink"), this.losses()]];
    lines = lines.map(([label, colour, column], k) => ({ label, colour, column, dash: dashOf(k) })).filter(({ column }) => column);
    if (!["robot", "set"].includes(what)) return lines;
    const limit = this.columns.get(`limit ${what === "robot" ? name : names.find((one) => this.columns.has(`limit ${one}`))}`) ?? [];
    if (this.kind === "motivation") lines.push({ label: "threshold", colour: variable("--ink"), column: limit, dash: [4, 4] });
    this.most = 1.05 * (limit.at(-1) ?? 1);
    return lines;
  }

  // The share of frames that were lost, %, of each last minute.
  losses() {
    const lost = this.columns.get("lost") ?? [], came = this.columns.get("came") ?? [];
    let first = 0;
    return this.times.map((t, k) => {
      while (this.times[first + 1] <= t - LOSS_S) first++;
      const bad = lost[k] - lost[first], all = bad + came[k] - came[first];
      return all > 0 ? (100 * bad) / all : null;
    });
  }

  // What can be chosen by now; a choice that is there still stays.
  offer(scene) {
    const has = (start) => [...this.columns.keys()].some((key) => key.startsWith(start));
    const robots = scene.team.map((one) => one.name).filter((one) => has(`level ${one} `));
    const sets = robots.length > 1 ? Object.keys(scene.sets) : [];
    const groups = [["Robots", robots.map((one) => [`robot ${one}`, one])], ["Behavior sets", sets.map((one) => [`set ${one}`, one])],
      ["Team", [...(has("battery ") ? [["battery", "batteries"]] : []), ["radio", "lost frames"]]]];
    const now = JSON.stringify(groups), before = this.choice.value;
    if (now === this.offered) return;
    this.offered = now;
    this.choice.replaceChildren(...groups.filter(([, entries]) => entries.length).map(([label, entries]) => {
      const group = element("optgroup");
      group.label = label;
      group.append(...entries.map(([value, text]) => Object.assign(element("option", text), { value })));
      return group;
    }));
    if (groups.some(([, entries]) => entries.some(([value]) => value === before))) this.choice.value = before;
  }

  // Show a robot that was chosen, unless it is behavior sets or the team that is looked at.
  follow(robot) {
    const value = `robot ${robot}`;
    if (!this.choice.value.startsWith("robot ") || ![...this.choice.options].some((one) => one.value === value)) return;
    this.choice.value = value;
    this.rebuild();
  }

  rebuild() {
    this.shown = "";
    if (this.scene) this.show(this.scene);
  }

  show(scene) {
    this.scene = scene;
    this.offer(scene);
    const lines = this.lines(scene), now = JSON.stringify(lines.map(({ label, colour }) => [label, colour]));
    this.data = [this.times, ...lines.map(({ column }) => column)];
    if (now !== this.shown) this.build(lines);
    this.shown = now;
    this.plot.setData(this.data);
    this.values();
  }

  size() {
    return { width: Math.max(120, this.place.clientWidth - 2), height: HEIGHT };
  }

  build(lines) {
    this.plot?.destroy();
    const what = this.choice.value.split(" ")[0], kinds = { battery: "battery, %", radio: "lost frames, %" }, unit = kinds[what] ?? this.kind;
    const axis = { stroke: () => variable("--ink"), grid: { stroke: () => variable("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    this.place.setAttribute("aria-label", `${unit} over time. Arrows move the cursor, + and - zoom, Escape shows the whole run`);
    this.plot = new uPlot({
      ...this.size(),
      padding: [10, END, 0, 0],
      legend: { show: false },
      cursor: { drag: { setScale: false }, points: { size: 7 }, bind: { dblclick: () => () => this.all() } },
      scales: { x: { time: false, range: () => this.range() }, y: { range: () => [0, this.most] } },
      axes: [{ ...axis, size: 30, values: (u, splits) => splits.map((t) => `${t} s`) }, { ...axis, size: PLACE - LABEL, label: unit, labelSize: LABEL, labelFont: axis.font }],
      series: [{}, ...lines.map(({ label, colour, dash }) => ({ label, dash, stroke: colour, width: 2, points: { show: false } }))],
      hooks: { setSelect: [(u) => this.take(u)], setCursor: [() => this.values()] },
    }, this.data, this.place);
    this.legend.replaceChildren(...lines.map((line, k) => this.entry(line, k + 1)));
  }

  // A line of the legend: its value at the cursor, else now; pressed where it is shown.
  entry({ label, colour, dash }, k) {
    const button = element("button"), mark = element("i"), shows = (on) => {
      this.plot.setSeries(k, { show: on });
      button.setAttribute("aria-pressed", String(on));
    };
    button.type = "button";
    mark.style.borderTop = `3px ${["solid", "dashed", "dotted", "dashed"][DASHES.indexOf(dash)] ?? "dotted"} ${colour}`;
    button.append(mark, `${label} `, element("output"));
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => shows(button.getAttribute("aria-pressed") !== "true"));
    return button;
  }

  values() {
    const at = this.plot?.cursor.idx ?? this.times.length - 1;
    [...this.legend.querySelectorAll("output")].forEach((one, k) => {
      const value = this.data[k + 1]?.[at];
      one.textContent = value === null || value === undefined ? "-" : value.toFixed(value < 10 ? 1 : 0);
    });
    $("moment").textContent = this.times.length ? `${this.times[at].toFixed(1)} s` : "";
  }

  range() {
    if (this.fixed) return this.fixed;
    const end = this.times.at(-1) ?? 0, first = this.scene?.real ? Math.max(0, end - RECENT) : 0;
    return Number.isFinite(this.span) ? [end - this.span, end] : [first, Math.max(60, end - first) + first];
  }

  take(u) {
    const { left, width } = u.select;
    if (width < 5) return;
    const [from, to] = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    this.fixed = [from, Math.max(to, from + 1)];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    u.setData(this.data);
  }

  // Half, or twice, the time: around its middle where it was dragged over, else up to now.
  zoom(factor) {
    const [from, to] = this.range(), middle = (from + to) / 2, half = Math.max(LEAST_S, factor * (to - from)) / 2;
    if (this.fixed) this.fixed = [Math.max(0, middle - half), middle + half];
    else this.span = 2 * half > (this.times.at(-1) ?? 0) ? Infinity : 2 * half;
    this.plot?.setData(this.data);
  }

  all() {
    this.whole();
    this.plot?.setData(this.data);
  }

  key(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1 }, zooms = { "+": 0.5, "-": 2 };
    if (!this.plot || !(event.key in moves || event.key in zooms || event.key === "Escape")) return;
    event.preventDefault();
    event.stopPropagation(); // of the page an arrow is a step
    if (event.key in zooms) return this.zoom(zooms[event.key]);
    if (event.key === "Escape") return this.all();
    const { left } = this.plot.cursor, width = this.plot.over.clientWidth, at = left < 0 ? width : left;
    const next = Math.min(width, Math.max(0, at + moves[event.key] * (event.shiftKey ? 40 : 8)));
    this.plot.setCursor({ left: next, top: 10 });
  }
}
