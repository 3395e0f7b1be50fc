"""The moving picture of the README: `python -m tests.accept.live.animation FILE.gif [LAST.png]`.

The page itself in a browser, from the click that takes a robot away until another one has its task; and as a
picture of its whole, at the end, with the levels of that task.
"""

import io
import sys
from pathlib import Path

from PIL import Image, ImageColor

from tests.accept.live.page import opened
from tests.accept.live.rows import ROBOT, TASK, is_busy, taken_over

LOOK = {"width": 1080, "height": 1240}  # down to what happened, and why
WIDTH = 720  # pixels of the picture
SHADES = (1.0, 0.7, 0.4, 0.2)  # of each colour on white; of grey more
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#7A5CA0", "#005A8C", "#A0001A", "#107C10", "#9AD3B0")
GREYS = 14
STEP_MS = 400  # between two pictures
BEFORE, AFTER = 5, 6  # pictures before the click, and after the task is taken over
MOST = 60
MAX_BYTES = 1_000_000


def palette() -> Image.Image:
    """The page's colours, so that each robot keeps its own in every picture."""
    mixed = [
        round(255 + share * (value - 255))
        for name in COLOURS for share in SHADES for value in ImageColor.getrgb(name)
    ]  # fmt: skip
    greys = [round(255 * k / (GREYS - 1)) for k in range(GREYS) for _ in "rgb"]
    found = Image.new("P", (1, 1))
    found.putpalette([*mixed, *greys])
    return found


def main(words: list[str]) -> int:
    pictures, colours = [], palette()
    with opened("cleanup", "--speed", "10") as page:
        page.page.set_viewport_size(LOOK)

        def take() -> None:
            picture = Image.open(io.BytesIO(page.page.screenshot()))
            height = round(picture.height * WIDTH / picture.width)
            small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            pictures.append(small.quantize(palette=colours, dither=Image.Dither.NONE))
            page.page.wait_for_timeout(STEP_MS)

        page.page.select_option("#speed", "30")
        page.wait("a robot at its task", lambda: is_busy(page), 300.0)
        page.page.select_option("#speed", "10")
        for _ in range(BEFORE):
            take()
        page.click(f"Choose {ROBOT}")
        take()
        page.click("Remove it")
        left = AFTER
        while left and len(pictures) < MOST:
            take()
            left -= taken_over(page).count() > 0
        if words[1:]:
            page.page.select_option("#series", f"set {TASK}")
            page.click("Pause")
            page.page.set_viewport_size({**LOOK, "height": page.page.evaluate("document.body.scrollHeight")})
            page.page.wait_for_timeout(2 * STEP_MS)
            page.page.screenshot(path=words[1], full_page=True)
    first, *others = pictures
    path = Path(words[0])
    first.save(path, save_all=True, append_images=others, duration=STEP_MS, loop=0, optimize=True)
    size = path.stat().st_size
    sys.stdout.write(f"{path}: {len(pictures)} pictures, {size} bytes\n")
    return int(size > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
