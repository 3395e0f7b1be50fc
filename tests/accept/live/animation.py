"""The moving picture of the README: `python -m tests.accept.live.animation FILE.gif`.

The page itself in a browser, from the click that takes a robot away until another one has its task.
"""

import io
import sys
from pathlib import Path

from PIL import Image

from tests.accept.live.page import opened
from tests.accept.live.rows import ROBOT, is_busy, taken_over

LOOK = {"width": 1080, "height": 860}
WIDTH = 720  # pixels of the picture
COLOURS = 40
STEP_MS = 400  # between two pictures
BEFORE, AFTER = 5, 6  # pictures before the click, and after the task is taken over
MOST = 60
MAX_BYTES = 1_000_000


def main(words: list[str]) -> int:
    pictures = []
    with opened("cleanup", "--speed", "10") as page:
        page.page.set_viewport_size(LOOK)

        def take() -> None:
            picture = Image.open(io.BytesIO(page.page.screenshot()))
            height = round(picture.height * WIDTH / picture.width)
            small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
            pictures.append(small.quantize(COLOURS, dither=Image.Dither.NONE))
            page.page.wait_for_timeout(STEP_MS)

        page.page.select_option("#speed", "30")
        page.wait("a robot at its task", lambda: is_busy(page), 300.0)
        page.page.select_option("#speed", "10")
        for _ in range(BEFORE):
            take()
        page.click(f"Choose {ROBOT}")
        take()
        page.click("Remove it")
        page.page.select_option("#speed", "30")
        left = AFTER
        while left and len(pictures) < MOST:
            take()
            left -= taken_over(page).count() > 0
    first, *others = pictures
    path = Path(words[0])
    first.save(path, save_all=True, append_images=others, duration=STEP_MS, loop=0, optimize=True)
    size = path.stat().st_size
    sys.stdout.write(f"{path}: {len(pictures)} pictures, {size} bytes\n")
    return int(size > MAX_BYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
