"""A run that a test kills and starts again: python -m tests.cli.resumable OUT CACHE LOG SECONDS."""

from __future__ import annotations

import sys
from pathlib import Path

from crossgauge.cache import Cache
from crossgauge.cli.display import PlainProgress, StopRequest
from crossgauge.errors import CrossgaugeError
from crossgauge.evaluation import evaluate
from tests.encoders import Hashing


def main() -> int:
    out, cache, log, seconds = sys.argv[1:]
    with StopRequest() as stop:
        try:
            evaluate(
                "emoji", Hashing(Path(log), seconds=float(seconds)), languages=["en", "de", "ja"], out=out,
                cache=Cache(Path(cache)), batch_size=8, progress=PlainProgress(stop),
            )  # fmt: skip
        except CrossgaugeError as error:
            print(error, file=sys.stderr)
            return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
