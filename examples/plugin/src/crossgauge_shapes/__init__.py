"""An example plug-in: coloured squares, a model that sees colours, and a measure of its own."""
