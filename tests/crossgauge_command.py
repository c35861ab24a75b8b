"""``python -m tests.crossgauge_command …``: the command line in its own process, torch usable."""

from __future__ import annotations

from crossgauge.cli import main
from tests import torchvision_operators

if __name__ == "__main__":
    torchvision_operators.declare()
    main()
