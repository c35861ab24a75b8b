"""Vision-language models as embedders: prompts, batches, pooling, and the table of what differs by family."""
