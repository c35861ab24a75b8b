"""Captioners of the transformers library: one file a way of asking, one table of the families."""
