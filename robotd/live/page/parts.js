// What all pages share: to find and to make elements and rows, to offer a choice, and to send a command.
export const $ = (id) => document.getElementById(id);

export function element(tag, text = "", kind = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

// A row of a table.
export function rowOf(cells, tag = "td") {
  const row = element("tr");
  row.append(...cells.map((text) => element(tag, text)));
  return row;
}

// An entry of a choice, and with `chosen` the one that is chosen.
export function offer(id, name, chosen = true, text = name) {
  if (![...$(id).options].some((one) => one.value === name)) $(id).append(Object.assign(element("option", text), { value: name }));
  if (chosen) $(id).value = name;
}

// The answer to a command; null where there is none.
export function post(path, command) {
  return fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
  }).catch(() => null);
}

// Why robotd no longer answers this page, and what to do.
export async function lost(path) {
  const answer = await fetch(path).catch(() => null), refused = answer && !answer.ok ? await answer.json().catch(() => null) : null;
  return refused ? `${refused.error}: ${refused.hint}` : "robotd does not answer: load this page again";
}
