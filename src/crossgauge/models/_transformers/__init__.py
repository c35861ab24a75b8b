"""Encoders of the transformers library: one file a kind of architecture, one table of the families."""
