// The world from above, on a canvas. Units are metres and seconds.
import { PUCKS, circle, colourOf, dashed, fit, segment, variable } from "/drawing.js";
import { Labels } from "/labels.js";
import { bumps, rays, views } from "/senses.js";

const TRAIL = 400; // places of a trail
const FLASH_MS = 600; // how long a frame of the radio is shown; while the run is paused, what was shown stays

export class World {
  constructor(canvas) {
    this.canvas = canvas;
    this.forget();
  }

  forget() {
    [this.trails, this.flashes, this.selected, this.labels] = [{}, [], "", new Labels()];
    [this.clock, this.looked, this.paused] = [0, performance.now(), false];
  }

  // Keep where the robots were, and which frames passed or were lost.
  note(scene, frame) {
    for (const robot of frame.robots) {
      const trail = (this.trails[robot.name] ??= []), last = trail.at(-1);
      if (!robot.at) {
        if (last) trail.push(null); // its trail goes on where it is put back
        continue;
      }
      if (!last || Math.hypot(robot.at[0] - last[0], robot.at[1] - last[1]) > 0.05) trail.push(robot.at.slice(0, 2));
      if (trail.length > TRAIL) trail.shift();
    }
    if (frame.paused && this.paused) this.clock += FLASH_MS; // of a step, what it brought
    this.paused = frame.paused;
    const until = this.clock + FLASH_MS, names = Object.fromEntries(scene.team.map((one) => [one.number, one.name]));
    const mute = new Set(frame.robots.filter((one) => one.muted).map((one) => one.name));
    for (const [robot] of frame.sent) if (!mute.has(robot)) this.flashes.push({ from: robot, to: "", until });
    for (const [robot, sender] of frame.received) {
      if (names[sender]) this.flashes.push({ from: names[sender], to: robot, until });
    }
    for (const [receiver, sender] of frame.lost) {
      if (names[sender] && names[receiver]) this.flashes.push({ from: names[sender], to: names[receiver], until, lost: true });
    }
    this.flashes = this.flashes.filter((one) => one.until > this.clock).slice(-300);
  }

  // Metres to pixels: y grows upwards.
  scale(scene, width, height) {
    const k = Math.min((width - 20) / scene.room.width, (height - 20) / scene.room.depth);
    const left = (width - k * scene.room.width) / 2;
    const low = (height + k * scene.room.depth) / 2;
    return { k, x: (x) => left + k * x, y: (y) => low - k * y };
  }

  // The robot at a point of the canvas, or ''.
  at(scene, frame, px, py) {
    const { clientWidth, clientHeight } = this.canvas;
    const to = this.scale(scene, clientWidth, clientHeight);
    let best = "", least = 24;
    for (const robot of frame.robots) {
      const [x, y] = robot.at ?? this.away(scene, robot.name);
      const far = Math.hypot(to.x(x) - px, to.y(y) - py);
      const radius = Math.max(16, to.k * scene.team.find((one) => one.name === robot.name).radius);
      if (far < Math.max(radius, least)) [best, least] = [robot.name, far];
    }
    return best;
  }

  // Where a robot that was lifted out of the room is drawn.
  away(scene, name) {
    const place = scene.team.findIndex((one) => one.name === name);
    return [0.3 + (0.06 + 0.08 * place) * scene.room.width, 0.4];
  }

  draw(scene, frame) {
    const { pen, width, height } = fit(this.canvas), now = performance.now();
    if (!frame.paused) this.clock += now - this.looked;
    this.looked = now;
    const to = this.scale(scene, width, height);
    const look = { ink: variable("--ink"), faint: variable("--faint"), line: variable("--line"), alarm: variable("--alarm") };
    this.labels.begin(pen, look.ink, variable("--floor"));
    pen.lineWidth = 2;
    pen.strokeStyle = look.ink;
    pen.strokeRect(to.x(0), to.y(scene.room.depth), to.k * scene.room.width, to.k * scene.room.depth);
    for (const robot of frame.robots) this.name(to, scene, robot); // of labels, these come first
    this.furniture(pen, to, scene, frame, look);
    for (const [name, trail] of Object.entries(this.trails)) {
      pen.globalAlpha = 0.35;
      pen.strokeStyle = colourOf(scene, name);
      pen.beginPath();
      trail.forEach((at, k) => at && pen[trail[k - 1] ? "lineTo" : "moveTo"](to.x(at[0]), to.y(at[1])));
      pen.stroke();
      pen.globalAlpha = 1;
    }
    this.objects(pen, to, frame, look.ink);
    for (const robot of frame.robots) this.senses(pen, to, scene, robot);
    const places = Object.fromEntries(frame.robots.map((one) => [one.name, one.at]));
    this.radio(pen, to, scene, places, look);
    this.range(pen, to, scene, places[this.selected]);
    for (const robot of frame.robots) this.robot(pen, to, scene, robot, look);
    this.labels.draw(width, height);
  }

  furniture(pen, to, scene, frame, { ink, faint, line }) {
    const { goal, finish, walls, chargers, clusters, marks, target, width } = scene.room, { labels } = this;
    pen.lineWidth = 1;
    for (const [name, kind, x, y, w, d, share] of frame.areas) {
      const [left, top, low] = [to.x(x - w / 2), to.y(y + d / 2), to.y(y - d / 2)];
      pen.fillStyle = { garbage: "#8C6D1F", dust: "#8C8C8C", dirt: "#6B4226" }[kind] ?? faint;
      pen.globalAlpha = 0.1 + 0.5 * share;
      pen.fillRect(left, top, to.k * w, to.k * d);
      pen.globalAlpha = 1;
      const right = left + to.k * w, spots = (wide, high) => [[left, top - high], [left + 3, top + 2], [left, low + 2],
        [left + 3, low - high - 2], [right + 8, top], [left - wide - 8, top], [right - wide, top - high - 6]];
      labels.add(`area ${name}`, [[`${name} ${Math.round(100 * share)} %`]], left, top, 0, spots);
    }
    if (goal) {
      pen.fillStyle = variable("--goal");
      circle(pen, to.x(goal[0]), to.y(goal[1]), to.k * goal[2]);
      pen.fill();
      labels.add("goal", [["goal"]], to.x(goal[0]), to.y(goal[1]), 0, (w, h) => [0, 1, -1].map((k) => [to.x(goal[0]) - w / 2, to.y(goal[1]) + (20 * k) - h / 2]));
    }
    pen.strokeStyle = faint;
    for (const [name, y] of [["finish", finish], ["goal of the box", target && target[1]]]) {
      if (y === null) continue;
      dashed(pen, to.x(0), to.y(y), to.x(width), to.y(y));
      labels.add(name, [[name]], to.x(0), to.y(y), 0, (w, h) => [[to.x(0) + 4, to.y(y) - h - 2], [to.x(width) - w - 4, to.y(y) - h - 2]]);
    }
    for (const [x, y, radius] of chargers) {
      circle(pen, to.x(x), to.y(y), to.k * radius);
      pen.stroke();
      labels.add(`charger ${x} ${y}`, [["charger"]], to.x(x), to.y(y), 0, (w, h) => [[to.x(x) - w / 2, to.y(y) - h / 2], [to.x(x) - w / 2, to.y(y - radius) + 2]]);
    }
    for (const [name, x, y, radius, colour] of clusters) {
      pen.strokeStyle = PUCKS[colour] ?? line;
      pen.setLineDash([4, 4]);
      circle(pen, to.x(x), to.y(y), to.k * radius);
      pen.stroke();
      pen.setLineDash([]);
      const spots = (w, h) => [[to.x(x) - w / 2, to.y(y + radius) - h - 2], [to.x(x) - w / 2, to.y(y - radius) + 2]];
      labels.add(`cluster ${name}`, [[name]], to.x(x), to.y(y), 0, spots);
    }
    for (const [name, x, y, colour] of marks) {
      pen.fillStyle = PUCKS[colour] ?? faint;
      pen.fillRect(to.x(x) - 5, to.y(y) - 5, 10, 10);
      labels.add(`mark ${name}`, [[name]], to.x(x), to.y(y), 6);
    }
    pen.strokeStyle = ink;
    pen.lineWidth = 4;
    for (const [x1, y1, x2, y2] of walls) segment(pen, to.x(x1), to.y(y1), to.x(x2), to.y(y2));
    pen.lineWidth = 2;
  }

  objects(pen, to, frame, ink) {
    if (frame.box) {
      pen.fillStyle = "#9C7A3C";
      pen.beginPath();
      frame.box.forEach(([x, y], k) => (k ? pen.lineTo(to.x(x), to.y(y)) : pen.moveTo(to.x(x), to.y(y))));
      pen.closePath();
      pen.fill();
    }
    for (const [x, y, colour, holder] of frame.objects) {
      pen.fillStyle = PUCKS[colour] ?? "#7A5CA0";
      circle(pen, to.x(x), to.y(y), Math.max(3, to.k * 0.05));
      pen.fill();
      if (holder) {
        pen.strokeStyle = ink;
        pen.stroke();
      }
    }
  }

  // What its range sensors meet, of the chosen robot also how far they and its camera see, and what that makes out.
  senses(pen, to, scene, robot) {
    if (!robot.at || !robot.senses) return;
    const spec = scene.team.find((one) => one.name === robot.name), chosen = robot.name === this.selected;
    const blind = (robot.failed ?? []).includes("camera");
    pen.strokeStyle = pen.fillStyle = colourOf(scene, robot.name);
    pen.save();
    pen.beginPath();
    pen.rect(to.x(0), to.y(scene.room.depth), to.k * scene.room.width, to.k * scene.room.depth);
    pen.clip(); // nothing is seen through the walls of the room
    if (chosen) views(pen, to, spec, robot, blind);
    pen.restore();
    rays(pen, to, spec, robot, chosen);
  }

  // A frame that is sent is a ring, one that arrives a line, one that is lost a dashed line with a cross.
  radio(pen, to, scene, places, { ink, alarm }) {
    for (const one of this.flashes) {
      const left = (one.until - this.clock) / FLASH_MS, from = places[one.from], other = places[one.to];
      if (left <= 0 || !from) continue;
      const [x, y] = [to.x(from[0]), to.y(from[1])];
      pen.globalAlpha = (one.lost ? 0.9 : 0.5) * left;
      pen.strokeStyle = one.to ? colourOf(scene, one.from) : ink;
      pen.lineWidth = 1.5;
      if (!one.to) {
        circle(pen, x, y, 10 + 30 * (1 - left));
        pen.stroke();
      } else if (other && !one.lost) segment(pen, x, y, to.x(other[0]), to.y(other[1]));
      else if (other) {
        const [mx, my] = [x + 0.6 * (to.x(other[0]) - x), y + 0.6 * (to.y(other[1]) - y)]; // nearer to who did not get it
        dashed(pen, x, y, mx, my);
        pen.strokeStyle = alarm;
        pen.lineWidth = 2;
        cross(pen, mx, my, 5);
      }
      pen.globalAlpha = 1;
    }
  }

  // How far the radio of the chosen robot reaches.
  range(pen, to, scene, at) {
    if (!at || !scene.range_m) return;
    const [x, y, radius] = [to.x(at[0]), to.y(at[1]), to.k * scene.range_m];
    pen.strokeStyle = colourOf(scene, this.selected);
    pen.lineWidth = 2;
    pen.setLineDash([6, 6]);
    circle(pen, x, y, radius);
    pen.stroke();
    pen.setLineDash([]);
    const { clientWidth: width, clientHeight: height } = this.canvas; // a label is where the circle can be seen, if anywhere
    const seen = [y - radius > 0, y + radius < height, x - radius > 0, x + radius < width];
    if (seen.some(Boolean)) this.labels.add("range", [[`radio range ${scene.range_m} m`]], x, y, 0, (w, h) => [
      [x - w / 2, y - radius - h - 2], [x - w / 2, y + radius + 2], [x - radius + 3, y - h / 2], [x + radius - w - 3, y - h / 2],
    ].filter((_, k) => seen[k]));
  }

  name(to, scene, robot) {
    if (scene.real && !robot.at) return; // where it is is not known
    const spec = scene.team.find((one) => one.name === robot.name), [x, y] = robot.at ?? this.away(scene, robot.name);
    const radius = Math.max(7, to.k * spec.radius);
    this.labels.keep(to.x(x), to.y(y), radius);
    this.labels.add(`robot ${robot.name}`, [[robot.name, true], [robot.at ? robot.set ?? "" : "taken out"]], to.x(x), to.y(y), radius);
  }

  robot(pen, to, scene, robot, { ink, alarm }) {
    if (scene.real && !robot.at) return;
    const spec = scene.team.find((one) => one.name === robot.name);
    const [x, y, heading] = robot.at ?? [...this.away(scene, robot.name), Math.PI / 2];
    const px = to.x(x), py = to.y(y), radius = Math.max(7, to.k * spec.radius);
    pen.globalAlpha = robot.at ? 1 : 0.4;
    pen.fillStyle = colourOf(scene, robot.name);
    pen.beginPath();
    if (spec.fixed) pen.rect(px - radius, py - radius, 2 * radius, 2 * radius);
    else pen.arc(px, py, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.strokeStyle = ink;
    pen.lineWidth = robot.name === this.selected ? 4 : 1.5;
    pen.stroke();
    if (!spec.fixed) segment(pen, px, py, px + radius * Math.cos(heading), py - radius * Math.sin(heading));
    const stopped = robot.on && !robot.state.startsWith("running");
    if (!robot.at || !robot.on || robot.seized || robot.failed.length || stopped) {
      pen.lineWidth = 3;
      cross(pen, px, py, radius);
    }
    pen.globalAlpha = 1;
    if (robot.at && robot.senses) bumps(pen, px, py, radius, robot, alarm);
  }
}

function cross(pen, x, y, radius) {
  segment(pen, x - radius, y - radius, x + radius, y + radius);
  segment(pen, x - radius, y + radius, x + radius, y - radius);
}
