// What all pages share: to find and to make elements, and to send a command.
export const $ = (id) => document.getElementById(id);

export function element(tag, text = "", kind = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

// The answer to a command; null where there is none.
export function post(path, command) {
  return fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
  }).catch(() => null);
}
