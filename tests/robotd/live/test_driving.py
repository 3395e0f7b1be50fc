"""Driving by hand on a page: one request after the other while a button is held, and none after it is let go."""

import json
import shutil
import subprocess
from importlib import resources

import pytest

STUBS = """
const made = [], timers = [], sent = [];
const heard = {};
const listens = (own) => ({ addEventListener: (kind, does) => (own[kind] = does) });
globalThis.document = listens(heard);
globalThis.window = listens({});
globalThis.setTimeout = (done) => timers.push(done);
const $ = () => ({ replaceChildren() {} });
function element(tag, text) {
  const own = { text, setAttribute() {}, append() {}, setPointerCapture() {}, on: {} };
  Object.assign(own, listens(own.on));
  made.push(own);
  return own;
}
const post = async (path, body) => (sent.push(body), { ok: true });
"""
PLAY = """
offerOrders(() => {}, () => false);
const button = made.find((one) => one.text === "forwards");
const press = () => button.on.pointerdown({ pointerId: 1 }), settled = () => new Promise(setImmediate);
const counts = [];
for (const step of [[press], [button.on.pointerup, press], [], [], [button.on.pointerup], []]) {
  for (const act of step) act();
  await settled();
  counts.push([sent.length, timers.length]);
  for (const done of timers.splice(0)) done();
  await settled();
}
console.log(JSON.stringify(counts));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_button_that_is_let_go_and_held_again_sends_no_requests_twice() -> None:
    text = (resources.files("robotd.live") / "page" / "real.js").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("import ")]
    program = "\n".join([STUBS, *lines, PLAY])
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program], capture_output=True, text=True, check=True, timeout=60
    )
    counts = json.loads(done.stdout)
    assert [timers for _, timers in counts] == [1, 1, 1, 1, 1, 0]
    assert counts[-1][0] <= counts[-2][0] == 5
