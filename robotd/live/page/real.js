// What only the page of a real robot, or of a team's base station, has: details, orders, driving by hand.
import { $, element, post, rowOf } from "/parts.js";

const DRIVE_MS = 150; // between two requests to drive: the robot stops half a second after the last
const SPEED = 0.4, TURN = 0.8; // a share of the greatest, rad/s
const ORDERS = [
  // order, text, class
  ["stop", "Stop", "stop"], ["start", "Start"], ["ack", "Acknowledge faults"], ["mission-start", "Start a run of the mission"],
  ["mission-stop", "Stop the run"], ["stop-team", "Stop the whole team", "stop"],
];
const PADS = [
  // text, keys, speed, turn
  ["left", "ArrowLeft", 0, TURN], ["forwards", "ArrowUp", SPEED, 0], ["back", "ArrowDown", -SPEED, 0], ["right", "ArrowRight", 0, -TURN],
];

async function send(path, body, refuse) {
  const answer = await post(path, body);
  if (!answer) refuse("the robot does not answer");
  else if (!answer.ok) {
    const { error, hint } = await answer.json();
    refuse(hint ? `${error}: ${hint}` : error);
  }
  return Boolean(answer && answer.ok);
}

let held = null; // what is held down: speed and turn
let driving = false; // one loop sends, also where a button is held again before the last request is answered

async function drive(refuse) {
  driving = true;
  while (held) {
    const [speed, turn] = held;
    if (!(await send("/drive", { speed, turn }, refuse))) held = null;
    await new Promise((done) => setTimeout(done, DRIVE_MS));
  }
  driving = false;
}

function hold(speed, turn, refuse) {
  held = [speed, turn];
  if (!driving) drive(refuse);
}

const release = () => (held = null);

// The buttons of a robot on whose page this browser may act.
export function offerOrders(refuse, isRunning) {
  const bar = element("div", "", "controls orders");
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Orders to this robot");
  for (const [order, text, kind] of ORDERS) {
    const button = element("button", text, kind);
    button.type = "button";
    button.addEventListener("click", () => {
      const ends = order.startsWith("mission") && isRunning(); // as robotd mission asks
      if (ends && !confirm("A run is running: its facts and claims are dropped on all robots. Do it?")) return;
      send("/orders", { do: order }, refuse);
    });
    bar.append(button);
  }
  const pads = element("div", "", "controls pads");
  pads.setAttribute("role", "group");
  pads.setAttribute("aria-label", "Drive by hand while a button is held");
  for (const [text, key, speed, turn] of PADS) {
    const button = element("button", text);
    button.type = "button";
    button.title = `hold it, or Shift and ${key}`;
    button.addEventListener("pointerdown", (event) => { button.setPointerCapture(event.pointerId); hold(speed, turn, refuse); });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) button.addEventListener(end, release);
    button.addEventListener("keydown", (event) => { if ([" ", "Enter"].includes(event.key)) { event.preventDefault(); hold(speed, turn, refuse); } });
    button.addEventListener("keyup", release);
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    pads.append(button);
  }
  document.addEventListener("keydown", (event) => {
    const pad = event.shiftKey && PADS.find(([, key]) => key === event.key);
    if (pad) { event.preventDefault(); hold(pad[2], pad[3], refuse); }
  });
  for (const end of ["keyup", "blur"]) window.addEventListener(end, release);
  document.addEventListener("visibilitychange", release);
  $("real").replaceChildren(bar, element("p", "Drive by hand: hold a button, or Shift and an arrow. Its layers stay on; it stops when you let go.", "keys"), pads);
}

export function explain(name) {
  $("real").replaceChildren(element("p", name === "base-station" ? "A base station shows what it receives; it acts on no robot." :
    "This page only shows. To act, open the link that robotd page prints on the robot.", "keys"));
}

// Tables: ports, ticks, link, and what else the status has.
export function details(tables, warnings) {
  const made = tables.map(([title, heads, rows]) => {
    const table = element("table");
    table.append(element("caption", title));
    const head = element("thead"), body = element("tbody");
    if (heads.some(Boolean)) head.append(rowOf(heads, "th"));
    body.append(...rows.map((cells) => rowOf(cells)));
    table.append(head, body);
    return table;
  });
  $("details").tabIndex = 0; // it scrolls where the window is narrow
  $("details").replaceChildren(...warnings.map((text) => element("p", `warning: ${text}`, "fault")), ...made);
}
