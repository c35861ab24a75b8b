"""``python -m crossgauge``: the same as the command ``crossgauge``."""

from __future__ import annotations

from crossgauge.cli import main

if __name__ == "__main__":
    main()
