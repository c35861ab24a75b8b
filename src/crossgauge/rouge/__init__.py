"""ROUGE-L in any language, and the three older ways to compute it, reproduced.

``rouge_l`` takes texts, ``rouge_l_ids`` token numbers; ``PROFILES`` says what each profile does and gets
wrong.
"""

from __future__ import annotations

from crossgauge.rouge.formula import rouge_l_ids
from crossgauge.rouge.profiles import PROFILES, Profile
from crossgauge.rouge.scores import rouge_l
from crossgauge.rouge.token_ids import TokenIds

__all__ = ["PROFILES", "Profile", "TokenIds", "rouge_l", "rouge_l_ids"]
