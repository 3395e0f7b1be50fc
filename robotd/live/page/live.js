// The page: what the stream brings is shown, what a person does is sent.
import { $, element, offer, post } from "/parts.js";
import { Another } from "/another.js";
import { Chart, decisive } from "/chart.js";
import { Trace, World, colourOf } from "/world.js";
import { details, explain, offerOrders } from "/real.js";

const world = new World($("world")), trace = new Trace($("trace"));
const chart = new Chart($("chart"), $("legend"), $("series"));
const HERE = location.pathname; // "/", or a seat of a class
const GONE_MS = 2800, REAL_GONE_MS = 2000; // without a word for so long the page greys out
const LOOK_MS = 200;
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
const READ_MS = 250; // words and tables change no oftener: no person reads faster, and phones are slow
let stale = false;
let command = "", seat = 0, acts = false, broken = "";
let scene = null, frame = null, over = null, events = [], clicked = [], last = 0;

const another = new Another(HERE, send, refuse, () => (frame ? frame.speed : 10));

async function send(command) {
  const answer = await post(`${HERE}do`, command);
  if (!answer) return refuse("robotd does not answer");
  if (!answer.ok) refuse((await answer.json()).error);
  return answer.ok;
}

// What was refused, and why, stays for as long as it takes to read it.
function refuse(text) {
  $("refusal").textContent = text;
  clearTimeout(refuse.timer);
  refuse.timer = setTimeout(() => ($("refusal").textContent = ""), 12000);
}

function say(text, bad = false) {
  $("state").textContent = text;
  $("state").classList.toggle("bad", bad);
}

function connect() {
  const stream = new EventSource(`${HERE}stream`);
  stream.onmessage = (message) => {
    const data = JSON.parse(message.data);
    take(data);
    if (scene?.real && data.type !== "frame") return; // a server may live on while its robot does not
    [last, broken] = [performance.now(), ""];
    document.body.classList.remove("gone");
  };
  stream.onerror = () => {
    broken = stream.readyState === EventSource.CLOSED ? "this page's right has ended: open the link again, or a new one; " :
      "the connection is lost; ";
    say(broken, true);
  };
}

function take(data) {
  if (data.type === "scene") begin(data);
  else if (data.type === "history") [events, clicked] = [[...data.events], [...data.clicked]];
  else if (data.type === "past") data.frames.forEach(draw);
  else if (data.type === "frame") advance(data);
  else if (data.type === "clicked") {
    clicked.push(data.event);
    command = data.command;
  }
  else if (data.type === "over") [over, stale] = [data, true];
  else if (data.type === "refused") refuse(data.why);
  if (scene?.run && data.type !== "frame" && data.type !== "alive") another.share(clicked, command);
}

function begin(data) {
  [scene, frame, over, events, clicked, command] = [data, null, null, [], [], data.command];
  world.forget();
  trace.forget();
  chart.forget();
  cards.clear();
  $("robots").replaceChildren();
  for (const { name } of scene.team) cardOf(name); // in the order of their numbers, which are keys
  document.body.classList.toggle("real", Boolean(scene.real));
  if (scene.real) acts ? offerOrders(refuse, () => frame?.run?.[1]) : explain(scene.real);
  $("world").hidden = !scene.room;
  $("mission").textContent = scene.real ? `${scene.real}, ${scene.mission}, ${scene.coordinator}` : `${seat ? `seat ${seat}: ` : ""}${scene.mission}, seed ${scene.seed}, ${scene.coordinator}`;
  if (scene.run) another.begin(scene);
  choose("");
}

function advance(data) {
  frame = data;
  const newest = events.at(-1)?.n ?? 0; // events of a real robot are numbered
  events.push(...data.events.filter((one) => !(one.n <= newest)));
  if (events.length > 500) events = events.slice(-500);
  world.note(scene, frame);
  draw(frame);
  stale = true;
}

// What is drawn over time, of a frame or of one before this page came.
function draw(frame) {
  trace.note(frame, scene.real);
  chart.note(scene, frame);
}

function words() {
  if (scene.real) return `${frame.state ?? frame.robots[0].state}${frame.run ? `, run ${frame.run[0]} ${frame.run[1] ? "running" : "not running"}` : ""}`;
  if (over) return `${over.accomplished ? `accomplished after ${over.t.toFixed(0)} s` : over.reason}: ${over.ending}`;
  const [done, total] = frame.progress;
  const brought = total ? `, ${done} of ${total} brought about` : "";
  return `${frame.paused ? "paused at" : "running,"} ${frame.t.toFixed(1)} s${brought}`;
}

function show() {
  say(words());
  $("play").textContent = frame.paused ? "Play" : "Pause";
  offer("speed", String(frame.speed ?? ""), true, `${frame.speed} x`);
  robots();
  chart.show(scene);
  choose(world.selected);
  tasks();
  list("events", events.slice(-120).reverse().map((one) => {
    const who = one.robot ? `${one.robot}: ` : "";
    return [`${one.at.toFixed(0)} s`, `${who}${one.what}${one.cause ? `: ${one.cause}` : ""}`];
  }));
  $("facts").replaceChildren(...Object.entries(frame.facts).map(([name, fact]) =>
    element("li", `${name}${fact.value.length ? ` = ${fact.value.map((x) => +x.toFixed(2)).join(", ")}` : ""}, known to ${fact.known.join(", ")}`)));
  if (scene.real) return showReal();
  const { sent, delivered, lost, collided } = frame.radio;
  $("radio").textContent = `Radio: ${sent} frames sent; on links ${delivered} received, ${lost} lost, ${collided} of them by collision.`;
}

function showReal() {
  const { alive, sent, received, missed, refused } = frame.radio;
  $("radio").textContent = `Radio: ${alive ? "" : "cannot be used; "}${sent} frames sent, ${received} received, ${missed} missed, ${refused} refused.`;
  details(frame.details, frame.warnings);
}

function list(id, rows) {
  $(id).replaceChildren(...rows.map(([at, text]) => {
    const item = element("li", "");
    item.append(element("time", at), " ", text);
    return item;
  }));
}

const cards = new Map(); // by robot; what may have the focus is never made anew

function cardOf(name) {
  if (!cards.has(name)) {
    const root = element("div", "", "robot"), choosing = element("button", name), doing = element("span", ""), body = element("div", "");
    choosing.type = "button";
    choosing.setAttribute("aria-label", `Choose ${name}`);
    choosing.addEventListener("click", () => choose(world.selected === name ? "" : name));
    root.append(choosing, doing, body);
    root.style.setProperty("--own", colourOf(scene, name));
    cards.set(name, { root, choosing, doing, body });
    $("robots").append(root);
  }
  return cards.get(name);
}

function robots() {
  for (const robot of frame.robots) {
    const { root, choosing, doing, body } = cardOf(robot.name);
    root.classList.toggle("off", !robot.on || !(robot.at || scene.real));
    choosing.setAttribute("aria-pressed", String(world.selected === robot.name));
    doing.textContent = robot.doing ?? (!robot.at && !scene.real ? "taken out of the room" : !robot.on ? "its computer is off" :
      robot.set ? `${robot.set}${robot.task && robot.task !== robot.set ? ` (${robot.task})` : ""}` : "idle");
    const lines = [], active = (robot.levels ?? []).find((one) => one.set === robot.set);
    const state = !robot.on || robot.state === "running" ? "" : `${robot.state}: ${robot.reason}`;
    const begun = robot.cause && `since ${robot.since.toFixed(0)} s: ${robot.cause}`;
    const why = robot.condition || state || begun || (active && active.why);
    if (robot.muted) lines.push(element("p", "its radio is muted", "fault"));
    if (why) lines.push(element("p", why, "why"));
    if (robot.next) lines.push(element("p", `next: ${robot.next}`, "why"));
    for (const [name, detail, clears] of [...(robot.faults ?? []), ...(robot.missing ?? [])]) {
      lines.push(element("p", `${name}: ${detail}${clears ? `; it ends once ${clears}` : ""}`, "fault"));
    }
    for (const level of robot.levels ?? []) lines.push(meter(level, level.set === robot.set));
    if (robot.battery !== null && robot.battery !== undefined) lines.push(element("p", `battery ${Math.round(100 * robot.battery)} %`, "why"));
    body.replaceChildren(...lines);
  }
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

function tasks() {
  // Tasks that robots have introduced have states of their own, the latest first; else those of the mission are shown.
  const jobs = scene.real ? [] : frame.robots.flatMap((robot) => robot.jobs ?? []).reverse();
  const rows = jobs.length ? jobs.map(([name, state, who, why]) => [name, why ? `${state}: ${why}` : state, who]) : scene.tasks.map((task) => {
    const who = frame.tasks[task.name] ?? [];
    const done = task.completion && frame.facts[task.completion];
    return [task.name, done && !task.recurring ? "done" : who.length ? "in work" : "open", who.join(", ")];
  });
  $("tasks").replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((text) => element("td", text)));
    return row;
  }));
}

let shown = ""; // buttons are made anew only where others are needed: one that is made anew loses the focus

function choose(name) {
  if (name && name !== world.selected) chart.follow(name);
  world.selected = name;
  const bar = $("actions"), robot = frame?.robots.find((one) => one.name === name);
  const spec = scene?.team.find((one) => one.name === name);
  const actions = robot && !scene.real ? ACTIONS.filter(([, , applies]) => applies(robot, spec)) : [];
  const now = JSON.stringify([name, actions.map(([verb]) => verb)]);
  if (now === shown) return;
  shown = now;
  bar.hidden = !actions.length;
  bar.replaceChildren(...(robot ? [element("strong", `${name}:`), ...actions.map(([verb, text]) => {
    const button = element("button", text);
    button.type = "button";
    button.addEventListener("click", () => act(verb, name));
    return button;
  })] : []));
}

function act(verb, name) {
  const [word, arg] = verb.split(" ");
  if (word === "restore") {
    const robot = frame.robots.find((one) => one.name === name);
    for (const part of robot.failed) send({ do: "event", event: `restore ${name} ${part}` });
  } else send({ do: "event", event: [word, name, arg].filter(Boolean).join(" ") });
}

async function fill() {
  const about = await (await fetch(`${HERE}about`)).json();
  [seat, acts] = [about.seat, about.acts];
  if (about.missions) another.offer(about);
}

const toggle = () => send({ do: frame?.paused ? "play" : "pause" });
const step = () => send({ do: "step", seconds: 1 });
for (const [id, change] of [["nearer", () => chart.zoom(0.5)], ["farther", () => chart.zoom(2)], ["whole", () => chart.all()]]) {
  $(id).addEventListener("click", change);
}
$("play").addEventListener("click", toggle);
$("step").addEventListener("click", step);
$("speed").addEventListener("change", (event) =>
  send({ do: "speed", factor: event.target.value === "" ? null : Number(event.target.value) }));
$("world").addEventListener("click", (event) => frame && choose(world.at(scene, frame, event.offsetX, event.offsetY)));
document.addEventListener("keydown", (event) => {
  const where = event.target.tagName;
  if (["INPUT", "SELECT"].includes(where) || !scene) return;
  if (scene.real && [" ", "ArrowRight"].includes(event.key)) return; // nothing to pause
  if (event.key === " " && !["BUTTON", "SUMMARY"].includes(where)) { event.preventDefault(); toggle(); }
  if (event.key === "ArrowRight") { event.preventDefault(); step(); }
  const robot = scene.team[Number(event.key) - 1];
  if (robot) choose(robot.name);
  if (event.key === "Escape") choose("");
});

setInterval(() => {
  if (stale && scene && frame) show();
  stale = false;
}, READ_MS);
setInterval(() => {
  const away = performance.now() - last, silent = last && (broken || away > (scene?.real ? REAL_GONE_MS : GONE_MS));
  document.body.classList.toggle("gone", Boolean(silent));
  if (silent) say(`${broken}nothing received since ${new Date(Date.now() - away).toLocaleTimeString()} (${Math.round(away / 1000)} s)`, true);
}, LOOK_MS);
(function paint() {
  if (scene && frame) {
    if (scene.room) world.draw(scene, frame);
    trace.draw(scene, frame);
  }
  setTimeout(() => requestAnimationFrame(paint), 66);
})();
fill().catch(() => null).then(() => {
  another.replay();
  connect();
});
