// The page: what the stream brings is shown, what a person does is sent.
import { $, element, lost, offer, post } from "/parts.js";
import { Another } from "/another.js";
import { Cards, barsOf } from "/cards.js";
import { Chart } from "/chart.js";
import { meaningOf } from "/keys.js";
import { details, explain, offerOrders } from "/real.js";
import { fill as fillRows, rowsOf } from "/tasks.js";
import { Trace } from "/trace.js";
import { World } from "/world.js";

const world = new World($("world")), trace = new Trace($("trace"));
const chart = new Chart($("chart"), $("legend"), $("series"));
const cards = new Cards($("robots"), $("world"), $("actions"), {
  choose: (name) => choose(name, true), act: (event) => send({ do: "event", event }),
});
const HERE = location.pathname; // "/", or a seat of a class
const GONE_MS = 2800, REAL_GONE_MS = 2000; // without a word for so long the page greys out
const LOOK_MS = 200;
const READ_MS = 250; // words and tables change no oftener: no person reads faster, and phones are slow
let stale = false;
let command = "", seat = 0, acts = false, broken = "";
let scene = null, frame = null, over = null, events = [], clicked = [], last = 0;

const another = new Another(HERE, send, refuse, () => (frame ? frame.speed : scene.run.speed), () => (stale = true));

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
  stream.onopen = () => scene || say("the run starts");
  stream.onerror = async () => {
    broken = stream.readyState === EventSource.CLOSED ? `${await lost(`${HERE}about`)}; ` : "the connection is lost; ";
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
    cards.settle([data.event]);
  }
  else if (data.type === "over") [over, stale] = [data, true];
  else if (data.type === "refused") {
    refuse(data.why);
    cards.settle();
  }
  if (scene?.run && data.type !== "alive") another.share(clicked, command);
}

function begin(data) {
  [scene, frame, over, events, clicked, command] = [data, null, null, [], [], data.command];
  world.forget();
  trace.forget();
  chart.forget();
  cards.begin(scene);
  document.body.classList.toggle("real", Boolean(scene.real));
  if (scene.real) acts ? offerOrders(refuse, () => frame?.run?.[1]) : explain(scene.real);
  for (const id of ["world", "signs"]) $(id).hidden = !scene.room;
  if (scene.room) $("world").style.aspectRatio = `${scene.room.width} / ${scene.room.depth}`;
  $("reach").textContent = `radio range: ${scene.reach}${scene.range_m ? " (dashed, of the chosen robot)" : ""}`;
  $("seen").hidden = !scene.team.some((one) => one.camera);
  $("mission").textContent = scene.real ? `${scene.real}, ${scene.mission}, ${scene.coordinator}` : `${seat ? `seat ${seat}: ` : ""}${scene.mission}, seed ${scene.seed}, ${scene.coordinator}`;
  $("about").textContent = scene.description;
  document.title = `${$("mission").textContent} - robotd`;
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
  if (frame.radio) chart.note(scene, frame); // of what a base station received before, tasks alone are kept
}

function words() {
  if (scene.real) return `${frame.state ?? frame.robots[0].state}${!frame.run ? "" : frame.run[1] ? `, run ${frame.run[0]} is under way` : ", no run is under way"}`;
  if (another.starting) return `starting ${another.starting} ...`;
  if (over) return `${over.accomplished ? `accomplished after ${over.t.toFixed(0)} s` : over.reason}: ${over.ending}`;
  return [`${frame.paused ? "paused at" : "running,"} ${frame.t.toFixed(1)} s`, ...frame.counted].join(", ");
}

function show() {
  say(words());
  $("play").textContent = frame.paused ? "Play" : "Pause";
  offer("speed", String(frame.speed ?? ""), true, `${frame.speed} x`);
  for (const id of ["play", "step"]) $(id).setAttribute("aria-disabled", String(Boolean(over))); // unlike disabled ones they keep the focus
  $("speed").disabled = Boolean(over);
  cards.show(frame, clicked, Boolean(over));
  $("bars").textContent = barsOf(frame);
  chart.show(scene);
  tasks();
  $("events").replaceChildren(...events.slice(-120).reverse().map(itemOf));
  const facts = Object.entries(frame.facts).map(([name, { value, known }]) =>
    `${name}${value.length ? ` = ${value.map((x) => +x.toFixed(2)).join(", ")}` : ""}, known to ${known.join(", ")}`);
  $("facts").replaceChildren(...(facts.length ? facts : ["none yet"]).map((text) => element("li", text)));
  if (scene.real) return showReal();
  const { sent, delivered, lost, collided } = frame.radio;
  const others = lost > collided ? `, ${lost - collided} by noise, or as a radio was off or out of range` : "";
  $("radio").textContent = `Radio: ${sent} frames sent, each to all teammates: ${delivered} times received, ${lost} times not${lost ? ` (${collided} by collision${others})` : ""}.`;
}

function showReal() {
  const { alive, sent, received, missed, refused } = frame.radio;
  $("radio").textContent = `Radio: ${alive ? "" : "cannot be used; "}${sent} frames sent, ${received} received, ${missed} missed, ${refused} refused.`;
  details(frame.details, frame.warnings);
}

function itemOf({ at, robot, what, cause }) {
  const item = element("li");
  item.append(element("time", `${at.toFixed(0)} s`), ` ${robot ? `${robot}: ` : ""}${what}${cause ? `: ${cause}` : ""}`);
  return item;
}

function tasks() {
  const { open, over } = rowsOf(scene, frame);
  fillRows($("tasks"), open);
  fillRows($("ended"), over);
  $("past").hidden = !over.length;
  $("count").textContent = over.length;
}

// A robot, or none (""); of one that was chosen in the list, the buttons are there.
function choose(name, inList = false) {
  if (name && name !== world.selected) chart.follow(name);
  world.selected = name;
  cards.select(name, inList);
}

async function fill() {
  const about = await (await fetch(`${HERE}about`)).json();
  [seat, acts] = [about.seat, about.acts];
  if (about.missions) another.take(about);
}

const toggle = () => over || send({ do: frame?.paused ? "play" : "pause" });
const step = () => over || send({ do: "step", seconds: 1 });
for (const [id, change] of [["nearer", () => chart.zoom(0.5)], ["farther", () => chart.zoom(2)], ["whole", () => chart.all()]]) {
  $(id).addEventListener("click", change);
}
$("play").addEventListener("click", toggle);
$("step").addEventListener("click", step);
$("speed").addEventListener("change", (event) =>
  send({ do: "speed", factor: event.target.value === "" ? null : Number(event.target.value) }));
$("world").addEventListener("click", (event) => frame && choose(world.at(scene, frame, event.offsetX, event.offsetY)));
$("trace").addEventListener("pointermove", ({ offsetX, offsetY }) => ($("trace").title = trace.at(offsetX, offsetY)));
document.addEventListener("keydown", (event) => {
  const what = scene ? meaningOf(event, scene.real) : "", robot = scene?.team[Number(what) - 1];
  if (["toggle", "step"].includes(what)) event.preventDefault();
  if (what === "toggle") toggle();
  if (what === "step") step();
  if (what === "leave") choose("");
  if (robot) choose(robot.name);
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
