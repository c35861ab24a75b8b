"""Benchmarks: one file each; see :mod:`crossgauge.registry`."""
