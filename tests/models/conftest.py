"""Adapters are tested with the real libraries on tiny checkpoints made here (``make_….py``)."""

from __future__ import annotations

from tests import torchvision_operators

torchvision_operators.declare()
