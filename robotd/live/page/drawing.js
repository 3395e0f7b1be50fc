// What canvases share: colours, places of what is drawn over time, and strokes. Units are pixels.

// Okabe and Ito's palette, distinguished with every kind of colour vision; robots also bear their names.
export const PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C", "#B8A800"];
export const PUCKS = { red: "#D55E00", blue: "#0072B2", green: "#009E73", yellow: "#E6B800" };
export const RECENT = 900; // s of the trace of a real robot
export const PLACE = 70, END = 16; // px left and right of what is drawn over time
const NAMED = { blue: "#0072B2", gold: "#E69F00", amber: "#E69F00", green: "#009E73", olive: "#8A8A00", red: "#D55E00",
  slate: "#6E7F8D", purple: "#8E5BA6", yellow: "#E6B800", grey: "#6E6E6E" }; // a robot that bears a colour's name has it

// A robot's colour: that of its name, or of the mark that it carries, else one that no other robot of the team has.
export function colourOf(scene, name) {
  const own = (one) => NAMED[one.name] ?? PUCKS[one.colour], me = scene.team.find((one) => one.name === name);
  if (me && own(me)) return own(me);
  const taken = scene.team.map(own), free = PALETTE.filter((one) => !taken.includes(one)), left = free.length ? free : PALETTE;
  const place = scene.team.filter((one) => !own(one)).indexOf(me);
  return left.at(place < 0 ? -1 : place % left.length);
}

export function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function fit(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

export function circle(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
}

export function segment(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

export function dashed(pen, x1, y1, x2, y2) {
  pen.setLineDash([6, 4]);
  segment(pen, x1, y1, x2, y2);
  pen.setLineDash([]);
}
