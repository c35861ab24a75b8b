"""What a hub answers over HTTP: gated, unknown, no such revision; each is one block from a real command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.models.conftest import CHILD

# What is asked for → the hub's status and error code, ours, and what helps.
ANSWERS = {
    "owner/gated": (403, "GatedRepo", "E607", "`hf auth login`"),
    "owner/unknown": (404, "RepoNotFound", "E607", "check the name"),
    "owner/branch@nowhere": (404, "RevisionNotFound", "E607", "check the name"),
    "owner/broken": (500, "", "E606", "hf download owner/broken"),
}


class Hub(BaseHTTPRequestHandler):
    """Refuses everything, in the hub's own form."""

    def do_GET(self) -> None:
        asked = [found for name, found in ANSWERS.items() if name.partition("@")[0] in self.path]
        status, code, *_ = asked[0] if asked else (404, "")
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Silent."""


@contextmanager
def hub() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("named", ANSWERS)
def test_a_run(named: str, tmp_path: Path) -> None:
    *_, code, fix = ANSWERS[named]
    with hub() as address:
        environment = os.environ | {
            "HF_ENDPOINT": address, "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path / "hf"), "no_proxy": "*",
            "PYTHONPATH": str(CHILD),
        }  # fmt: skip
        asked = ["run", "emoji", "-m", f"transformers:{named}", "-o", str(tmp_path / "run"), "--plain"]
        done = subprocess.run(
            [sys.executable, "-m", "crossgauge", *asked], env=environment, capture_output=True, text=True,
            check=False, timeout=120,
        )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert done.stderr.count("  place  ") == 1, done.stderr
    assert "Traceback" not in done.stderr
    said = " ".join(done.stderr.split())
    assert code in said
    assert fix in said
    assert not (tmp_path / "run").exists()
