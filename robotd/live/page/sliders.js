// Sliders for numbers, each with a field for its exact value; on a logarithmic scale what must be above 0.
import { element } from "/parts.js";

const STEPS = 1000;
const APART = 1.01; // a number that must stay below another is so many times smaller at least

export const rounded = (value) => Number(value.toPrecision(3));

// The nearest value that the number may have.
export function fitted({ low, high, whole }, value) {
  return Math.min(high, Math.max(low, whole ? Math.round(value) : rounded(value)));
}

export function valueAt(number, place) {
  const { low, high, log } = number, share = place / STEPS;
  return fitted(number, log ? low * (high / low) ** share : low + share * (high - low));
}

export function placeOf({ low, high, log }, value) {
  if (high <= low) return 0;
  return Math.round(STEPS * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
}

// `values` with `key` changed; numbers that must stay below or above it make way, and it goes no farther than they do.
export function settle(numbers, values, key, wanted) {
  const mine = numbers[key], above = mine.below, now = { ...values, [key]: fitted(mine, wanted) };
  const below = Object.keys(numbers).filter((name) => numbers[name].below.includes(key));
  for (const name of above) if (now[name] <= now[key]) now[name] = fitted(numbers[name], now[key] * APART);
  for (const name of below) if (now[name] >= now[key]) now[name] = fitted(numbers[name], now[key] / APART);
  const least = Math.max(...below.map((name) => now[name] * APART)), most = Math.min(...above.map((name) => now[name] / APART));
  if (now[key] < least || now[key] > most) now[key] = rounded(Math.min(most, Math.max(least, now[key])));
  return now;
}

export class Sliders {
  // `changed` is called with a number's key and its value, of each that a person has changed, and `done` once a slider
  // is let go or a number entered.
  constructor(place, changed, done) {
    Object.assign(this, { place, changed, done, rows: {}, numbers: {}, values: {} });
  }

  // Rows for `numbers`, by group; `values` are those in force.
  show(numbers, values) {
    [this.rows, this.values] = [{}, { ...values }];
    this.numbers = Object.fromEntries(Object.entries(numbers).map(([key, one]) => [key, {
      ...one, low: Math.min(one.low, values[key]), high: Math.max(one.high, values[key]), log: one.log && values[key] > 0,
    }]));
    const groups = new Map();
    for (const [key, number] of Object.entries(this.numbers)) {
      if (!groups.has(number.group)) groups.set(number.group, this.groupOf(number.group, !groups.size));
      groups.get(number.group).append(this.rowOf(key, number));
    }
    this.place.replaceChildren(...groups.values());
  }

  groupOf(name, open) {
    const group = element("details");
    group.open = open;
    group.append(element("summary", name));
    return group;
  }

  rowOf(key, number) {
    const row = element("div", "", "tune"), name = `${number.group}: ${number.label}`;
    const slider = element("input"), exact = element("input"), help = element("small", number.now ? number.help : `${number.help}; from the next start on`);
    help.id = `help-${Object.keys(this.rows).length}`;
    Object.assign(slider, { type: "range", min: "0", max: String(STEPS), step: "1" });
    Object.assign(exact, { type: "number", step: number.whole ? "1" : "any" });
    if (number.whole && number.high - number.low < STEPS) slider.step = String(STEPS / (number.high - number.low));
    slider.setAttribute("aria-label", name);
    exact.setAttribute("aria-label", `${name}, exact value`);
    for (const one of [slider, exact]) one.setAttribute("aria-describedby", help.id);
    exact.dataset.key = key;
    slider.addEventListener("input", () => this.change(key, valueAt(this.numbers[key], Number(slider.value))));
    slider.addEventListener("change", () => this.done(key));
    exact.addEventListener("change", () => {
      this.change(key, exact.value === "" ? this.values[key] : Number(exact.value));
      this.done(key);
    });
    row.append(element("span", number.label), slider, exact, element("span", number.unit), help);
    this.rows[key] = { row, slider, exact };
    this.write(key);
    return row;
  }

  change(key, wanted) {
    const before = this.values;
    this.values = settle(this.numbers, before, key, wanted);
    for (const name of Object.keys(this.values)) {
      if (name !== key && this.values[name] === before[name]) continue;
      this.write(name);
      this.changed(name, this.values[name]);
    }
  }

  write(key) {
    const { slider, exact } = this.rows[key], number = this.numbers[key], value = this.values[key];
    slider.value = String(placeOf(number, value));
    slider.setAttribute("aria-valuetext", `${value} ${number.unit}`.trim());
    exact.value = String(value);
  }
}
