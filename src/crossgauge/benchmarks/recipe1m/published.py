"""The numbers of the 2017 and 2021 papers, beside ours; no stored text of the table could be checked."""

from __future__ import annotations

from crossgauge.benchmark import Published

PAIRS = 1000
_MEASURES = ("medr", "hit@1", "hit@5", "hit@10")
_SOURCE = "CVPR 2017 and arXiv:1810.06553, baseline table"
_NOTE = "from memory of the paper, not verified in any stored text"
_TABLE: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "random": {"im2recipe": (500, 0.001, 0.005, 0.01), "recipe2im": (500, 0.001, 0.005, 0.01)},
    "CCA, skip-thoughts + word2vec (GoogleNews)": {
        "im2recipe": (25.2, 0.11, 0.26, 0.35),
        "recipe2im": (37.0, 0.07, 0.20, 0.29),
    },
    "CCA, skip-instructions + ingredient word2vec": {
        "im2recipe": (15.7, 0.14, 0.32, 0.43),
        "recipe2im": (24.8, 0.09, 0.24, 0.35),
    },
    "joint embedding": {"im2recipe": (7.2, 0.20, 0.45, 0.58), "recipe2im": (6.9, 0.20, 0.46, 0.58)},
    "joint embedding + semantic regularisation": {
        "im2recipe": (5.2, 0.24, 0.51, 0.65),
        "recipe2im": (5.1, 0.25, 0.52, 0.65),
    },
}

PUBLISHED = tuple(
    Published(system, task, measure, value, _SOURCE, _NOTE, queries=PAIRS, gallery=PAIRS)
    for system, tasks in _TABLE.items()
    for task, values in tasks.items()
    for measure, value in zip(_MEASURES, values, strict=True)
)
