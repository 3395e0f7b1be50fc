// Another run: the form that starts it, the link and the commands that repeat this one, and runs that links bring.
import { $, element, offer } from "/parts.js";
import { Sliders } from "/sliders.js";

const OF_COORDINATOR = /^coordinators?\.|\.(motivation|terms)\./; // keys that one coordinator alone reads
const COPIED_MS = 2000, SOON_MS = 400;

export class Another {
  // `here` is the page's path, `send` sends a command, `refuse` says what cannot be, `speed` is that of the run now,
  // `changed` is called when a run begins to start, or does not; meanwhile `starting` is its name.
  constructor(here, send, refuse, speed, changed) {
    Object.assign(this, { here, send, refuse, speed, changed, scene: null, starting: "", shared: "" });
    this.about = { mission: "", events: [], changes: {} };
    this.looked = {}; // by mission: which coordinators fit it, and their numbers
    this.edits = {}; // by mission: values that a person has set, by the number's id, whatever coordinator has it
    this.acted = new Set(); // keys of numbers that were changed in this run
    this.sliders = new Sliders($("tunable"), (key, value) => this.edit(key, value), () => this.soon());
    $("again").addEventListener("click", () => this.again());
    $("other").addEventListener("click", () => this.again({ seed: 1 + Math.floor(Math.random() * 9999) }));
    $("loss").addEventListener("input", () => this.showLoss());
    $("another").addEventListener("toggle", () => this.offerChoices());
    $("missions").addEventListener("change", () => this.offerChoices(true));
    $("coordinators").addEventListener("change", () => this.tune());
    $("reset").addEventListener("click", () => this.reset());
    for (const [form, does] of [["choose", () => this.choose()], ["paste", () => this.paste($("pasted").value)]]) {
      $(form).addEventListener("submit", (event) => {
        event.preventDefault();
        does();
      });
    }
    for (const button of document.querySelectorAll("[data-copies]")) {
      button.addEventListener("click", () => copy(button, textOf($(button.dataset.copies))));
    }
    window.addEventListener("hashchange", () => this.replay());
  }

  // What the command line names, and all missions.
  take(about) {
    this.about = about;
    for (const name of about.missions) offer("missions", name, false);
  }

  begin(scene) {
    const same = this.scene && JSON.stringify(scene.run) === JSON.stringify(this.scene.run);
    [this.scene, this.acted] = [scene, new Set()];
    if (same) return; // the stream began anew: what is half chosen stays
    $("seed").value = scene.seed;
    offer("missions", scene.run.mission);
    this.adopt();
    this.setLoss(scene.loss);
    this.offerCoordinators(scene.coordinator);
    this.offerChoices();
  }

  setLoss(loss) {
    $("loss").value = loss;
    this.loss = Number($("loss").value); // a slider has no other values than its steps
    this.showLoss();
  }

  showLoss() {
    $("lost").textContent = `${Math.round(100 * $("loss").value)} %`;
  }

  // Which coordinators fit the chosen mission, and their numbers, from robotd; `other`: the mission was chosen now.
  async offerChoices(other = false) {
    const mission = $("missions").value, { run } = this.scene ?? {};
    if (!$("another").open || !run) return;
    if (!this.looked[mission]) {
      const answer = await fetch(`${this.here}choices?mission=${encodeURIComponent(mission)}`).catch(() => null);
      if (!answer?.ok) return this.refuse(answer ? (await answer.json()).error : "robotd does not answer");
      this.looked[mission] = await answer.json();
      if (mission === run.mission) this.adopt();
    }
    if (mission !== $("missions").value) return; // another was chosen meanwhile
    const { loss, coordinator } = mission === run.mission ? this.scene : this.looked[mission];
    if (other) this.setLoss(loss);
    this.offerCoordinators(coordinator);
  }

  offerCoordinators(chosen) {
    const names = Object.keys(this.looked[$("missions").value]?.coordinators ?? {});
    $("coordinators").replaceChildren();
    for (const name of new Set([...names, chosen])) offer("coordinators", name, false);
    $("coordinators").value = chosen;
    this.tune();
  }

  numbers(mission, coordinator) {
    return this.looked[mission]?.coordinators[coordinator];
  }

  // The values with which this run began count as set, and no others of its coordinator.
  adopt() {
    const { run, coordinator } = this.scene, edits = (this.edits[run.mission] ??= {});
    for (const [key, { id }] of Object.entries(this.numbers(run.mission, coordinator) ?? {})) {
      if (key in run.changes) edits[id] = run.changes[key];
      else delete edits[id];
    }
  }

  edit(key, value) {
    const mission = $("missions").value, { id } = this.numbers(mission, $("coordinators").value)[key];
    (this.edits[mission] ??= {})[id] = value;
  }

  tune() {
    const mission = $("missions").value, numbers = this.numbers(mission, $("coordinators").value) ?? {};
    const edits = this.edits[mission] ?? {};
    const values = Object.entries(numbers).map(([key, { id, value }]) => [key, edits[id] ?? value]);
    this.sliders.show(numbers, Object.fromEntries(values));
  }

  // Keys move a slider in steps: the last one counts.
  soon() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.act(), SOON_MS);
  }

  // Change the numbers in the run that goes on, where that is wanted, as one event with all that differ from its start.
  act() {
    const { run, coordinator } = this.scene;
    if (!$("at-once").checked || $("missions").value !== run.mission || $("coordinators").value !== coordinator) return;
    const edits = this.edits[run.mission], words = [];
    for (const [key, { id, value, now }] of Object.entries(this.numbers(run.mission, coordinator) ?? {})) {
      const own = edits[id] ?? value;
      if (!now || (own === (run.changes[key] ?? value) && !this.acted.has(key))) continue;
      this.acted.add(key);
      words.push(`${key}=${own}`);
    }
    if (words.length) this.send({ do: "event", event: `tune all ${words.join(",")}` });
  }

  reset() {
    const mission = $("missions").value;
    this.edits[mission] = {};
    $("loss").value = this.looked[mission]?.loss ?? this.scene.loss;
    this.showLoss();
    this.tune();
    this.act();
  }

  // What a run of the mission with that coordinator changes of its file: what is set, and what another run has kept.
  changes(mission, coordinator) {
    const { run } = this.scene, same = mission === run.mission, stays = same && coordinator === this.scene.coordinator;
    const before = same ? run.changes : mission === this.about.mission ? this.about.changes : {};
    const numbers = this.numbers(mission, coordinator) ?? {}, edits = this.edits[mission] ?? {};
    const kept = Object.entries(before).filter(([key]) => !(key in numbers) && (stays || !OF_COORDINATOR.test(key)));
    const set = Object.entries(numbers).map(([key, { id, value }]) => [key, edits[id], value]);
    const changed = set.filter(([key, own, value]) => own !== undefined && (own !== value || key in before));
    const loss = Number($("loss").value), lost = mission === $("missions").value && loss !== this.loss ? { "radio.loss": loss } : {};
    return { ...Object.fromEntries(kept), ...lost, ...Object.fromEntries(changed.map(([key, own]) => [key, own])) };
  }

  // Without what was clicked.
  events(mission) {
    return mission === this.about.mission ? this.about.events : [];
  }

  // This mission with this coordinator again, with the numbers that are set by now.
  again(changed = {}) {
    if (!this.scene) return;
    const { run, coordinator } = this.scene, { mission } = run;
    this.start({ ...run, events: this.events(mission), speed: this.speed(), changes: this.changes(mission, coordinator), ...changed });
  }

  choose() {
    if (!this.scene) return;
    const { run } = this.scene, mission = $("missions").value, name = $("coordinators").value;
    const stays = mission === run.mission && name === this.scene.coordinator;
    const coordinator = stays ? run.coordinator : name === this.looked[mission]?.own ? "" : name;
    const changes = this.changes(mission, name), seed = Number($("seed").value);
    this.start({ ...run, mission, coordinator, seed, changes, events: this.events(mission), speed: this.speed() });
  }

  start(run) {
    return this.restart({ run }, run?.mission);
  }

  async restart(what, name) {
    const mine = (this.started = (this.started ?? 0) + 1);
    this.starting = name || "the run";
    this.changed();
    await this.send({ do: "restart", ...what });
    if (mine !== this.started) return; // another was started meanwhile
    this.starting = "";
    this.changed();
  }

  // Start what was pasted: a link of this page, or a command.
  paste(text) {
    const link = /^\S+:\/\/|^#/.test(text.trim());
    if (!link) this.restart({ command: text });
    else this.open(text.slice(text.indexOf("#") + 1));
  }

  open(hash) {
    let run = null;
    try {
      run = JSON.parse(decodeURIComponent(hash));
    } catch { /* refused below */ }
    if (run?.mission) this.start(run);
    else this.refuse("this link names no run; copy the whole of it from “Repeat this run”");
  }

  // Start the run that the address names.
  replay() {
    if (location.hash.length < 2) return;
    this.open(location.hash.slice(1));
    history.replaceState(null, "", this.here);
  }

  // The link and the commands that give this run with what was clicked, at the speed that it has now.
  share(clicked, command) {
    const { run } = this.scene, speed = this.speed(), of = JSON.stringify([run, clicked.length, command, speed]);
    if (of === this.shared) return;
    this.shared = of;
    const repeated = { ...run, events: [...run.events, ...clicked], speed };
    $("link").href = `#${encodeURIComponent(JSON.stringify(repeated))}`;
    $("command").textContent = command;
    $("live-command").textContent = `${command.replace(/^robotd sim/, "robotd live")} --speed ${speed ?? "max"}`;
  }
}

function textOf(place) {
  return place.href ?? place.textContent;
}

async function copy(button, text) {
  const before = button.dataset.text ?? (button.dataset.text = button.textContent);
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false) || copiedOld(text);
  button.textContent = copied ? "Copied" : "Not copied";
  button.focus();
  setTimeout(() => (button.textContent = before), COPIED_MS);
}

// For pages that browsers do not call secure, such as those of another computer by http.
function copiedOld(text) {
  const field = element("textarea", text);
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
