// Another run: the form that starts it, the link and the command that repeat this one, and a run that a link brings.
import { $, element, offer } from "/parts.js";

export class Another {
  // `here` is the page's path, `send` sends a command, `refuse` says what cannot be, `speed` is that of the run now.
  constructor(here, send, refuse, speed) {
    [this.here, this.send, this.refuse, this.speed] = [here, send, refuse, speed];
    [this.scene, this.first] = [null, []];
    $("again").addEventListener("click", () => this.restart());
    $("other").addEventListener("click", () => this.restart({ seed: 1 + Math.floor(Math.random() * 9999) }));
    $("loss").addEventListener("input", () => this.showLoss());
    $("choose").addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    window.addEventListener("hashchange", () => this.replay());
  }

  // What can be chosen, and the events that the command line names.
  offer(about) {
    this.first = about.events;
    for (const name of about.missions) offer("missions", name, false);
    for (const name of about.coordinators) offer("coordinators", name, false);
  }

  begin(scene) {
    this.scene = scene;
    $("seed").value = scene.seed;
    $("loss").value = scene.loss;
    this.showLoss();
    offer("missions", scene.run.mission);
    offer("coordinators", scene.coordinator);
    this.tune();
  }

  showLoss() {
    $("lost").textContent = `${Math.round(100 * $("loss").value)} %`;
  }

  // This run with `changes`, without what was clicked.
  run(changes = {}) {
    return { ...this.scene.run, events: this.first, speed: this.speed(), ...changes };
  }

  restart(changes) {
    this.send({ do: "restart", run: this.run(changes) });
  }

  start() {
    const { scene } = this, loss = { "radio.loss": Number($("loss").value) }, seed = Number($("seed").value);
    const mission = $("missions").value, coordinator = $("coordinators").value;
    if (mission === scene.run.mission && coordinator === scene.coordinator) {
      this.restart({ seed, changes: { ...scene.run.changes, ...loss, ...this.tuned() } });
      return;
    }
    this.restart({ mission, seed, coordinator: coordinator === scene.coordinator ? "" : coordinator, changes: loss, events: [] });
  }

  // The link and the command that give this run with what was clicked.
  share(clicked, command) {
    const run = this.run({ events: [...this.scene.run.events, ...clicked] });
    $("link").href = `#${encodeURIComponent(JSON.stringify(run))}`;
    $("command").textContent = command;
  }

  // Start the run that the address names.
  replay() {
    if (location.hash.length < 2) return;
    try {
      this.send({ do: "restart", run: JSON.parse(decodeURIComponent(location.hash.slice(1))) });
    } catch {
      this.refuse("this link is no run");
    }
    history.replaceState(null, "", this.here);
  }

  // A slider for each number of the coordinator's settings; a changed one counts from the next start on.
  tune() {
    $("tunable").replaceChildren(...Object.entries(this.scene.tunable).map(([key, { value, whole }]) => {
      const row = element("label", `${key.replace(/^coordinator\.parameters\.|^sets\.|\.motivation/g, "")} `);
      const slider = document.createElement("input"), shown = element("output", String(value));
      Object.assign(slider, { type: "range", min: "0", max: String(2 * Math.max(1, value)), step: whole ? "1" : "any", value: String(value) });
      slider.dataset.key = key;
      slider.addEventListener("input", () => (shown.textContent = Number(slider.value).toPrecision(3)));
      row.append(slider, shown);
      return row;
    }));
  }

  tuned() {
    const changed = [...$("tunable").querySelectorAll("input")].filter((one) => Number(one.value) !== this.scene.tunable[one.dataset.key].value);
    return Object.fromEntries(changed.map((one) => [one.dataset.key, Number(Number(one.value).toPrecision(3))]));
  }
}
