"""Inputs guided by coverage: libFuzzer by way of atheris, each decoder in a process that libFuzzer ends."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hostile.fuzz import LONGEST, STEP_S

LAST = 2000  # of what libFuzzer says, the letters at the end, which tell the failure and the input


def guided(what: str, decoder: int, count: int, seed: int) -> tuple[dict[str, int], str]:
    """What the decoder found in `count` inputs, and the failure in words, or ''."""
    with tempfile.TemporaryDirectory() as folder:
        words = (sys.executable, "-m", "tests.hostile.guided", what, str(decoder), str(count), str(seed), folder)
        ran = subprocess.run(words, capture_output=True, text=True, check=False)
        seen = Path(folder) / "seen.json"
        found = json.loads(seen.read_text(encoding="utf-8")) if seen.is_file() else {}
        if ran.returncode == 0 and seen.is_file():
            return found, ""
        return found, f"status {ran.returncode}: {(ran.stdout + ran.stderr)[-LAST:]}"


def main() -> None:
    """In the child: whose decoders, place, number of inputs, seed (0 is none to libFuzzer), folder."""
    import atheris  # type: ignore[import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["radio", "boards", "robotd.model"]):
        from tests.hostile.campaign import READERS
    what, folder = sys.argv[1], Path(sys.argv[5])
    place, count, seed = map(int, sys.argv[2:5])
    decoder = list(READERS[what]())[place]
    corpus = folder / "corpus"
    corpus.mkdir()
    for n, sound in enumerate(decoder.seeds):
        (corpus / str(n)).write_bytes(sound)
    fed = 0

    def one(data: bytes) -> None:
        nonlocal fed
        believed = decoder.feed(STEP_S * fed, data)
        fed += 1
        if fed == count:
            (folder / "seen.json").write_text(json.dumps(dict(decoder.seen)), encoding="utf-8")
        assert not believed, decoder.wrong

    options = [f"-runs={count}", f"-seed={seed or 1}", f"-max_len={LONGEST}", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
