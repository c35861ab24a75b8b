"""What every adapter of a torch library shares: names, checkpoints, trust, devices, batches, tokens.

Nothing here imports torch when imported; the extra is asked for when a model is made (:mod:`.extras`).
"""
