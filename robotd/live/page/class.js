// The teacher's page: all seats at a glance, each with its room from above.
import { $, element, lost, post } from "/parts.js";
import { circle, colourOf, fit, variable } from "/drawing.js";
import { Labels } from "/labels.js";

const GONE_MS = 3000;
const cards = new Map(); // by seat; what may have the focus is never made anew
let held = false, last = 0, ended = "";

async function send(command) {
  const answer = await post("/do", command);
  $("refusal").textContent = !answer ? "robotd class does not answer" : answer.ok ? "" : (await answer.json()).error;
}

function release(number) {
  const ends = `End the team of seat ${number}? Its run is lost, and the next browser that comes gets the seat.`;
  if (confirm(ends)) send({ do: "free", seat: number });
}

function cardOf(number) {
  if (!cards.has(number)) {
    const root = element("article", "", "seat"), head = element("h2"), link = element("a", `seat ${number}`);
    const free = element("button", "End"), room = document.createElement("canvas"), doing = element("p"), click = element("p");
    link.href = `/seat/${number}/`;
    free.type = "button";
    free.setAttribute("aria-label", `End the team of seat ${number}`);
    free.title = "End this team; the next browser gets the seat";
    free.addEventListener("click", () => release(number));
    head.append(link, free);
    room.setAttribute("role", "img");
    root.append(head, room, doing, click);
    cards.set(number, { root, link, free, room, doing, click, labels: new Labels() });
    $("seats").append(root);
  }
  return cards.get(number);
}

function words(seat) {
  const done = seat.counted ?? [];
  if (seat.end) return [seat.t === null || seat.t === undefined ? seat.end : `${seat.end} after ${seat.t.toFixed(0)} s`, ...done].join(", ");
  if (seat.t === null) return "starts";
  const pages = seat.pages ? [] : ["no page open"];
  return [`${seat.paused ? "paused at" : "running,"} ${seat.t.toFixed(0)} s`, ...done, ...pages].join(", ");
}

function draw(canvas, seat, labels) {
  const { pen, width, height } = fit(canvas), ink = variable("--ink");
  if (!seat.room) return;
  const [w, d] = seat.room, k = Math.min((width - 8) / w, (height - 8) / d);
  const x = (at) => (width - k * w) / 2 + k * at, y = (at) => (height + k * d) / 2 - k * at;
  pen.strokeStyle = variable("--faint");
  pen.lineWidth = 1;
  pen.strokeRect(x(0), y(d), k * w, k * d);
  if (seat.goal) {
    pen.fillStyle = variable("--goal");
    circle(pen, x(seat.goal[0]), y(seat.goal[1]), k * seat.goal[2]);
    pen.fill();
  }
  pen.fillStyle = ink;
  for (const [px, py] of seat.objects) pen.fillRect(x(px) - 1, y(py) - 1, 2, 2);
  const team = { team: seat.robots.map(([name]) => ({ name })) };
  labels.begin(pen, ink, variable("--floor"));
  for (const [name, at, on] of seat.robots) {
    if (!at) continue;
    pen.globalAlpha = on ? 1 : 0.4;
    pen.fillStyle = colourOf(team, name);
    circle(pen, x(at[0]), y(at[1]), 4);
    pen.fill();
    labels.keep(x(at[0]), y(at[1]), 4);
    labels.add(name, [[name]], x(at[0]), y(at[1]), 4);
  }
  pen.globalAlpha = 1;
  labels.draw(width, height);
}

// What was clicked last ("14.25 remove blue"), in words.
function clickOf(event) {
  const [at, ...words] = event.split(" ");
  return words.length ? `last click: ${words.join(" ")} at ${Math.round(at)} s` : "";
}

function show(data) {
  held = data.held;
  $("hold").textContent = held ? "Go on" : "Pause all";
  $("hold").setAttribute("aria-pressed", String(held));
  $("address").textContent = `${location.origin}/${data.code}`;
  $("state").textContent = `${data.seats.length} of ${data.count} seats taken${held ? ", all paused" : ""}`;
  $("state").classList.remove("bad");
  const taken = new Map(data.seats.map((one) => [one.seat, one]));
  for (let number = 1; number <= data.count; number++) {
    const { root, link, free, room, doing, click, labels } = cardOf(number), seat = taken.get(number);
    root.classList.toggle("empty", !seat);
    root.classList.toggle("ended", Boolean(seat?.end));
    [free.hidden, room.hidden, click.hidden] = [!seat, !seat, !seat];
    if (seat) link.href = `/seat/${number}/`;
    else link.removeAttribute("href");
    doing.textContent = seat ? words(seat) : "free";
    if (!seat) continue;
    click.textContent = clickOf(seat.clicked);
    room.setAttribute("aria-label", `The room of seat ${number}: ${words(seat)}`);
    draw(room, seat, labels);
  }
}

$("hold").addEventListener("click", () => send({ do: held ? "play" : "pause" }));
const stream = new EventSource("/seats");
stream.onmessage = (message) => {
  last = performance.now();
  document.body.classList.remove("gone");
  const data = JSON.parse(message.data);
  if (data.type === "seats") show(data);
};
stream.onerror = async () => {
  if (stream.readyState === EventSource.CLOSED) ended = await lost("/seats");
};
setInterval(() => {
  if (!last || performance.now() - last <= GONE_MS) return;
  document.body.classList.add("gone");
  $("state").textContent = ended || `nothing received for ${Math.round((performance.now() - last) / 1000)} s`;
  $("state").classList.add("bad");
}, 1000);
