// The world from above, on a canvas. Units are metres and seconds.
import { PUCKS, circle, colourOf, dashed, fit, segment, variable } from "/drawing.js";

const TRAIL = 400; // places of a trail
const FLASH_MS = 600; // how long a frame of the radio is shown

export class World {
  constructor(canvas) {
    this.canvas = canvas;
    this.forget();
  }

  forget() {
    this.trails = {};
    this.flashes = [];
    this.selected = "";
  }

  // Keep where the robots were, and which frames passed.
  note(scene, frame) {
    for (const robot of frame.robots) {
      if (!robot.at) continue;
      const trail = (this.trails[robot.name] ??= []);
      const last = trail[trail.length - 1];
      if (!last || Math.hypot(robot.at[0] - last[0], robot.at[1] - last[1]) > 0.05) trail.push(robot.at.slice(0, 2));
      if (trail.length > TRAIL) trail.shift();
    }
    const now = performance.now();
    const names = Object.fromEntries(scene.team.map((one) => [one.number, one.name]));
    for (const [robot] of frame.sent) this.flashes.push({ from: robot, to: "", until: now + FLASH_MS });
    for (const [robot, sender] of frame.received) {
      if (names[sender]) this.flashes.push({ from: names[sender], to: robot, until: now + FLASH_MS });
    }
    this.flashes = this.flashes.filter((one) => one.until > now).slice(-300);
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
    const { pen, width, height } = fit(this.canvas);
    const to = this.scale(scene, width, height);
    const ink = variable("--ink"), faint = variable("--faint"), line = variable("--line");
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 2;
    pen.strokeStyle = ink;
    pen.strokeRect(to.x(0), to.y(scene.room.depth), to.k * scene.room.width, to.k * scene.room.depth);
    this.furniture(pen, to, scene, frame, { ink, faint, line });
    for (const [name, trail] of Object.entries(this.trails)) {
      pen.globalAlpha = 0.35;
      pen.strokeStyle = colourOf(scene, name);
      pen.beginPath();
      trail.forEach(([x, y], k) => (k ? pen.lineTo(to.x(x), to.y(y)) : pen.moveTo(to.x(x), to.y(y))));
      pen.stroke();
      pen.globalAlpha = 1;
    }
    this.objects(pen, to, frame, ink);
    const places = Object.fromEntries(frame.robots.map((one) => [one.name, one.at]));
    this.radio(pen, to, scene, places, ink);
    for (const robot of frame.robots) this.robot(pen, to, scene, robot, { ink, faint });
  }

  furniture(pen, to, scene, frame, { ink, faint, line }) {
    const { goal, finish, walls, chargers, clusters, marks, target, width } = scene.room;
    pen.lineWidth = 1;
    for (const [name, kind, x, y, w, d, share] of frame.areas) {
      pen.fillStyle = { garbage: "#8C6D1F", dust: "#8C8C8C", dirt: "#6B4226" }[kind] ?? faint;
      pen.globalAlpha = 0.1 + 0.5 * share;
      pen.fillRect(to.x(x - w / 2), to.y(y + d / 2), to.k * w, to.k * d);
      pen.globalAlpha = 1;
      pen.fillStyle = ink;
      pen.fillText(`${name} ${Math.round(100 * share)} %`, to.x(x - w / 2), to.y(y + d / 2) - 3);
    }
    if (goal) {
      pen.fillStyle = variable("--goal");
      circle(pen, to.x(goal[0]), to.y(goal[1]), to.k * goal[2]);
      pen.fill();
      pen.fillStyle = ink;
      pen.fillText("goal", to.x(goal[0]) - 12, to.y(goal[1]));
    }
    pen.strokeStyle = faint;
    if (finish !== null) dashed(pen, to.x(0), to.y(finish), to.x(width), to.y(finish));
    if (target && target[1] !== null) dashed(pen, to.x(0), to.y(target[1]), to.x(width), to.y(target[1]));
    for (const [x, y, radius] of chargers) {
      circle(pen, to.x(x), to.y(y), to.k * radius);
      pen.stroke();
      pen.fillStyle = ink;
      pen.fillText("charger", to.x(x) - 20, to.y(y) + 4);
    }
    for (const [name, x, y, radius, colour] of clusters) {
      pen.strokeStyle = PUCKS[colour] ?? line;
      pen.setLineDash([4, 4]);
      circle(pen, to.x(x), to.y(y), to.k * radius);
      pen.stroke();
      pen.setLineDash([]);
      pen.fillStyle = ink;
      pen.fillText(name, to.x(x) - 8, to.y(y + radius) - 4);
    }
    for (const [name, x, y, colour] of marks) {
      pen.fillStyle = PUCKS[colour] ?? faint;
      pen.fillRect(to.x(x) - 5, to.y(y) - 5, 10, 10);
      pen.fillStyle = ink;
      pen.fillText(name, to.x(x) + 9, to.y(y) + 4);
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

  radio(pen, to, scene, places, ink) {
    const now = performance.now();
    for (const one of this.flashes) {
      const left = (one.until - now) / FLASH_MS, from = places[one.from], other = places[one.to];
      if (left <= 0 || !from) continue;
      pen.globalAlpha = 0.5 * left;
      pen.strokeStyle = one.to ? colourOf(scene, one.from) : ink;
      pen.lineWidth = 1.5;
      if (one.to && other) segment(pen, to.x(from[0]), to.y(from[1]), to.x(other[0]), to.y(other[1]));
      else if (!one.to) {
        circle(pen, to.x(from[0]), to.y(from[1]), 10 + 30 * (1 - left));
        pen.stroke();
      }
      pen.globalAlpha = 1;
    }
    const chosen = places[this.selected];
    if (chosen && scene.range_m) {
      pen.strokeStyle = colourOf(scene, this.selected);
      pen.setLineDash([6, 6]);
      circle(pen, to.x(chosen[0]), to.y(chosen[1]), to.k * scene.range_m);
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  robot(pen, to, scene, robot, { ink, faint }) {
    if (scene.real && !robot.at) return; // where it is is not known
    const spec = scene.team.find((one) => one.name === robot.name);
    const [x, y, heading] = robot.at ?? [...this.away(scene, robot.name), Math.PI / 2];
    const px = to.x(x), py = to.y(y), radius = Math.max(7, to.k * spec.radius);
    pen.globalAlpha = robot.at ? 1 : 0.4;
    pen.fillStyle = colourOf(scene, robot.name);
    if (spec.fixed) pen.fillRect(px - radius, py - radius, 2 * radius, 2 * radius);
    else {
      circle(pen, px, py, radius);
      pen.fill();
    }
    pen.strokeStyle = ink;
    pen.lineWidth = robot.name === this.selected ? 4 : 1.5;
    pen.stroke();
    if (!spec.fixed) segment(pen, px, py, px + radius * Math.cos(heading), py - radius * Math.sin(heading));
    const stopped = robot.on && !robot.state.startsWith("running");
    const trouble = !robot.at || !robot.on || robot.seized || robot.failed.length || stopped;
    if (trouble) {
      pen.lineWidth = 3;
      segment(pen, px - radius, py - radius, px + radius, py + radius);
      segment(pen, px - radius, py + radius, px + radius, py - radius);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = ink;
    pen.font = "600 12px system-ui, sans-serif";
    pen.fillText(robot.name, px + radius + 3, py - 2);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = faint;
    pen.fillText(robot.at ? robot.set ?? "" : "taken out", px + radius + 3, py + 11);
  }
}
