"""Concepts in pictures: what is shown, how concepts relate, and why a retrieved picture is near or far."""
