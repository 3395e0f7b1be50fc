// Tasks and who has them, as rows of tables.
import { rowOf } from "/parts.js";

const ENDED = ["done", "ended", "refused"]; // states of tasks that robots introduced and that are over

// Rows (task, state, who) of tasks that are open or in work, and of those that are over. Tasks that robots have
// introduced have states of their own, the latest first; else those of the mission are shown.
export function rowsOf(scene, frame) {
  const away = new Set(frame.robots.filter((one) => !scene.real && (!one.at || !one.on)).map((one) => one.name));
  const named = (who) => (away.has(who) ? `${who} (away)` : who);
  const jobs = scene.real ? [] : frame.robots.flatMap((robot) => robot.jobs ?? []).reverse();
  if (jobs.length) {
    const rows = jobs.map(([name, state, who, why]) => [name, why ? `${state}: ${why}` : state, named(who), ENDED.includes(state)]);
    return { open: rows.filter((row) => !row[3]), over: rows.filter((row) => row[3]) };
  }
  const rows = scene.tasks.map((task) => {
    const who = frame.tasks[task] ?? [], { over, times, at, by } = frame.done[task] ?? {};
    if (over) return [task, times ? `done at ${at.toFixed(0)} s` : "done", by];
    const state = who.some((one) => !away.has(one)) ? "in work" : "open";
    const before = times ? `; done ${times === 1 ? "once" : `${times} times`}, last at ${at.toFixed(0)} s` : "";
    return [task, state + before, who.map(named).join(", ")];
  });
  return { open: rows, over: [] };
}

export function fill(body, rows) {
  body.replaceChildren(...rows.map((cells) => rowOf(cells.slice(0, 3))));
}
