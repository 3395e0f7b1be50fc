// What a robot senses, drawn round it: range sensors, its camera, and bumpers that are pressed.
import { circle } from "/drawing.js";

const BUMP_RAD = 0.35; // half of what a pressed bumper is drawn over

// From a robot's middle to the end of its hull at a bearing (rad), m: there its range sensors are.
export function edgeOf(spec, bearing) {
  if (!spec.hull) return spec.radius; // of a real robot
  const [front, side] = spec.hull, ahead = Math.abs(Math.cos(bearing)), across = Math.abs(Math.sin(bearing));
  return Math.min(ahead > 1e-9 ? front / ahead : Infinity, across > 1e-9 ? side / across : Infinity);
}

// Beams from the hull to what they met, with a mark there; and with `all`, faintly, those that met nothing.
export function rays(pen, to, spec, robot, all) {
  const [x, y, heading] = robot.at;
  for (const [bearing, distance, high] of robot.senses.ranges) {
    if (distance === null && !all) continue;
    const from = edgeOf(spec, bearing), far = from + (distance ?? high), [dx, dy] = [Math.cos(heading + bearing), Math.sin(heading + bearing)];
    pen.globalAlpha = distance === null ? 0.3 : 0.8;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(to.x(x + from * dx), to.y(y + from * dy));
    pen.lineTo(to.x(x + far * dx), to.y(y + far * dy));
    pen.stroke();
    if (distance !== null) {
      circle(pen, to.x(x + far * dx), to.y(y + far * dy), 2.5);
      pen.fill();
    }
  }
  pen.globalAlpha = 1;
}

// The field of view of a camera, unless it is blind, and rings round what an eye makes out.
export function views(pen, to, spec, robot, blind) {
  const [x, y, heading] = robot.at;
  if (spec.camera && !blind) {
    const [half, reach] = spec.camera;
    pen.globalAlpha = 0.1;
    pen.beginPath();
    if (half < Math.PI) pen.moveTo(to.x(x), to.y(y));
    pen.arc(to.x(x), to.y(y), to.k * reach, -heading - half, -heading + half);
    pen.closePath();
    pen.fill();
  }
  pen.globalAlpha = 0.9;
  pen.lineWidth = 1.5;
  for (const [bearing, range] of robot.senses.sights) {
    if (!range) continue; // how far off it is is not known
    circle(pen, to.x(x + range * Math.cos(heading + bearing)), to.y(y + range * Math.sin(heading + bearing)), 7);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

export function bumps(pen, px, py, radius, robot, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 4;
  for (const bearing of robot.senses.bumps) {
    const middle = -robot.at[2] - bearing; // y grows downwards
    pen.beginPath();
    pen.arc(px, py, radius + 3, middle - BUMP_RAD, middle + BUMP_RAD);
    pen.stroke();
  }
}
