// The robots' cards: what each does and why; and of the chosen one, buttons for what can be done to it.
import { element } from "/parts.js";
import { decisive } from "/chart.js";
import { colourOf } from "/drawing.js";

const ACTIONS = [
  // verb, text, and when it makes sense
  ["remove", "Remove it", (robot) => robot.at], ["return", "Put it back", (robot) => !robot.at],
  ["seize", "Hold it in place", (robot) => robot.at && !robot.seized], ["release", "Let it go", (robot) => robot.seized],
  ["radio off", "Mute its radio", (robot) => !robot.muted], ["radio on", "Switch its radio on", (robot) => robot.muted],
  ["dead camera", "Blind its camera", (robot, spec) => spec.camera && !robot.failed.includes("camera")],
  ["dead front-range", "Blind its front sensors", (robot, spec) => !spec.fixed && !robot.failed.length],
  ["motors-dead", "Break its motors", (robot, spec) => !spec.fixed && !robot.failed.includes("motors")],
  ["restore", "Mend it", (robot) => robot.failed.length], ["kill", "Kill its process", (robot) => robot.on],
  ["reboot", "Reboot its computer", () => true],
  ["start", "Permit it to move", (robot) => robot.on && robot.state === "waiting for start"],
  ["ack", "Acknowledge its faults", (robot) => (robot.faults ?? []).length],
];

// The events of the scenario that an action on a robot is.
function eventsOf(verb, robot) {
  const [word, arg] = verb.split(" ");
  if (word === "restore") return robot.failed.map((part) => `restore ${robot.name} ${part}`);
  return [[word, robot.name, arg].filter(Boolean).join(" ")];
}

// Of what was clicked ("14.25 remove blue"), what has not happened to a robot by `t` (s), without the time.
export function waiting(clicked, t, name) {
  const split = clicked.map((one) => one.split(" "));
  return split.filter(([at, , who]) => who === name && Number(at) > t).map(([, ...words]) => words.join(" "));
}

// What was done to a robot by a person or an event of the scenario, as its card says it; of parts that do not work,
// those that the robot does not miss itself.
export function ailments({ seized, muted, failed = [], missing = [], blind = [], slow = 1 }) {
  const parts = failed.filter((part) => !missing.some(([, why]) => why.split(/[ ;]+/).includes(part)));
  return [seized && "held in place", slow !== 1 && `slowed to ${Math.round(100 * slow)} % of its speed`, muted && "its radio is muted",
    parts.length && `out of order: ${parts.join(", ")}`, blind.length && `its camera misses what is ${blind.join(" or ")}`].filter(Boolean);
}

// Where a real robot is: the room may not be known, or not be drawn.
export function placeOf({ at: [x, y, heading], accuracy }) {
  const degrees = ((Math.round((180 * heading) / Math.PI) % 360) + 360) % 360;
  return `at x ${x.toFixed(2)} m, y ${y.toFixed(2)} m${Number.isFinite(accuracy) ? ` (\u00b1 ${accuracy.toFixed(2)} m)` : ""}, heading ${degrees}\u00b0`;
}

export class Cards {
  // `bar`: the buttons, under the room or in a card. For clicks `choose(name)` and `act(event)` are called; the
  // latter promises whether it was taken. `settle` is to be called once it was recorded or refused.
  constructor(list, room, bar, { choose, act }) {
    Object.assign(this, { list, room, bar, choose, act });
    [this.cards, this.asked, this.frame] = [new Map(), new Set(), null]; // by robot; events asked for and not yet recorded
  }

  begin(scene) {
    [this.scene, this.frame, this.selected, this.shown, this.clicked, this.over] = [scene, null, "", "", [], false];
    this.room.after(this.bar); // it may be in a card
    this.bar.hidden = true;
    this.cards.clear();
    this.asked.clear();
    this.list.replaceChildren();
    for (const { name } of scene.team) this.card(name); // in the order of their numbers, which are keys
  }

  // What may have the focus is never made anew.
  card(name) {
    if (!this.cards.has(name)) {
      const root = element("div", "", "robot"), choosing = element("button", name), doing = element("span", ""), body = element("div", "");
      choosing.type = "button";
      choosing.setAttribute("aria-label", `Choose ${name}`);
      choosing.addEventListener("click", () => this.choose(this.selected === name ? "" : name));
      root.append(choosing, doing, body);
      root.style.setProperty("--own", colourOf(this.scene, name));
      this.cards.set(name, { root, choosing, doing, body });
      this.list.append(root);
    }
    return this.cards.get(name);
  }

  // `over`: nothing can be done to a robot any more.
  show(frame, clicked, over) {
    [this.frame, this.clicked, this.over] = [frame, clicked, over];
    for (const robot of frame.robots) {
      const { root, choosing, doing, body } = this.card(robot.name);
      root.classList.toggle("off", !robot.on || !(robot.at || this.scene.real));
      choosing.setAttribute("aria-pressed", String(this.selected === robot.name));
      doing.textContent = robot.doing ?? (!robot.at && !this.scene.real ? "taken out of the room" : !robot.on ? "its computer is off" :
        robot.set ? `${robot.set}${robot.task && robot.task !== robot.set ? ` (${robot.task})` : ""}` : "idle");
      body.replaceChildren(...this.lines(robot));
    }
    this.offer();
  }

  lines(robot) {
    const lines = [], active = (robot.levels ?? []).find((one) => one.set === robot.set), why = (text) => lines.push(element("p", text, "why"));
    const state = !robot.on || robot.state === "running" ? "" : `${robot.state}: ${robot.reason}`;
    const begun = robot.cause && `since ${robot.since.toFixed(0)} s: ${robot.cause}`;
    const reason = robot.condition || state || begun || (active && active.why);
    for (const text of ailments(robot)) lines.push(element("p", text, "fault"));
    if (this.frame.paused) for (const event of waiting(this.clicked, this.frame.t, robot.name)) why(`at the next step: ${event}`);
    if (reason) why(reason);
    if (robot.next) why(`next: ${robot.next}`);
    for (const [name, detail, clears] of [...(robot.faults ?? []), ...(robot.missing ?? [])]) {
      lines.push(element("p", `${name}: ${detail}${clears ? `; it ends once ${clears}` : ""}`, "fault"));
    }
    for (const level of robot.levels ?? []) lines.push(meter(level, level.set === robot.set));
    if (this.scene.real && robot.at) why(placeOf(robot));
    if (Number.isFinite(robot.battery)) why(`battery ${Math.round(100 * robot.battery)} %`);
    return lines;
  }

  // Another robot is chosen, or none (""): its buttons are at its card where it was chosen there, else under the room.
  select(name, inList) {
    this.selected = name;
    for (const [one, { choosing }] of this.cards) choosing.setAttribute("aria-pressed", String(one === name));
    if (inList && name) this.card(name).body.before(this.bar);
    else this.room.after(this.bar);
    this.offer();
    if (!this.bar.hidden) this.bar.scrollIntoView({ block: "nearest" });
  }

  // Buttons are made anew only where others are needed; the one that had the focus keeps it, or what replaced it has it.
  offer() {
    const { bar, scene, frame, selected } = this;
    const robot = frame?.robots.find((one) => one.name === selected), spec = scene?.team.find((one) => one.name === selected);
    const due = robot ? [...waiting(this.clicked, frame.t, selected), ...this.asked] : [];
    const actions = !robot || scene.real || this.over ? [] : ACTIONS.filter(([, , applies]) => applies(robot, spec)).map(([verb, text]) => {
      const waits = eventsOf(verb, robot).every((one) => due.includes(one));
      return [verb, waits && frame.paused ? `${text}: at the next step` : text, waits];
    });
    const now = JSON.stringify([selected, actions]);
    if (now === this.shown) return;
    this.shown = now;
    const focus = [...bar.children].indexOf(document.activeElement), verb = document.activeElement?.dataset.verb;
    bar.hidden = !actions.length;
    bar.replaceChildren(element("strong", `${selected}:`), ...actions.map(([verb, text, waits]) => {
      const button = element("button", text);
      button.type = "button";
      button.dataset.verb = verb;
      button.setAttribute("aria-disabled", String(waits)); // unlike disabled ones it may keep the focus
      button.addEventListener("click", () => waits || this.ask(eventsOf(verb, this.frame.robots.find((one) => one.name === selected))));
      return button;
    }));
    const buttons = [...bar.children];
    if (focus > 0) (buttons.find((one) => one.dataset.verb === verb) ?? buttons[Math.min(focus, buttons.length - 1)]).focus();
  }

  // What is asked for once is not asked for again before it has happened.
  async ask(events) {
    const news = events.filter((one) => !this.asked.has(one));
    for (const event of news) this.asked.add(event);
    this.offer();
    for (const event of news) if (!(await this.act(event))) this.settle([event]);
  }

  // Events that were recorded, with their time, or refused; without any, whatever was asked for was refused.
  settle(events = [...this.asked]) {
    for (const event of events) this.asked.delete(event.replace(/^[\d.]+ /, ""));
    this.offer();
  }
}

// What the bars of all cards show.
export function barsOf({ robots }) {
  const level = robots.flatMap((one) => one.levels ?? [])[0], kind = level && decisive(level)[0];
  return level ? `Bars: score of each behavior set (${kind}), up to ${kind === "motivation" ? "the threshold " : ""}${level.limit}.` : "";
}

function meter(level, active) {
  const [kind, score] = decisive(level);
  const row = element("div", "", `level${active ? " active" : ""}`), bar = document.createElement("meter");
  [bar.min, bar.max, bar.value] = [0, level.limit, score ?? 0];
  bar.setAttribute("aria-label", `${kind} of ${level.set}: ${score} of ${level.limit}`);
  row.append(element("span", level.set), bar);
  if (level.why) row.append(element("small", level.why));
  return row;
}
