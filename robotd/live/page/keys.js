// What a key that was pressed on the page of a run means.

const TAKES = "input, select, textarea", SCROLLS = "pre, #events, #details"; // they need keys for themselves

// "toggle", "step", "leave", the digit of a robot, or "" for a key that means nothing here. `real`: there is nothing
// to pause.
export function meaningOf(event, real) {
  const { key, target } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || target.closest(TAKES)) return ""; // the browser's, or typed
  if (/^[1-9]$/.test(key)) return key;
  if (key === "Escape") return "leave";
  if (real || event.shiftKey || event.repeat && key === " " || target.closest(SCROLLS)) return "";
  if (key === " ") return target.closest("button, summary, a") ? "" : "toggle";
  return key === "ArrowRight" ? "step" : "";
}
