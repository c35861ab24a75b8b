"""Model adapters: one file each; see :mod:`crossgauge.registry`."""
