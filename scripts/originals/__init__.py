"""Runs the original scorers on made-up inputs; one module a family. None of their code is in here."""
