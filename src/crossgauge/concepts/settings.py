"""What has to be said before concept measures have one meaning: every choice their source leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args, get_type_hints

from crossgauge.concepts.hierarchy import Nearness
from crossgauge.errors import Fault, UsageError

Denominator = Literal["gold", "min", "retrieved"]


@dataclass(frozen=True, slots=True)
class ConceptSettings:
    """How CA, NCS, CE and SD are computed; the defaults are the source's own, as far as it says.

    Raises UsageError (E283) for values that do not exist.

    >>> ConceptSettings(sd_denominator="min").signature_fields()["sd"]
    'min/pixels>=1.0'
    """

    synsets: Literal["first", "all"] = "first"  # of a thing that was given several concepts
    similarity: Nearness = "path"  # of two concepts
    average: Literal["matched", "smaller"] = "matched"  # NCS: over matched pairs, or the smaller side
    sd_denominator: Denominator = "gold"  # the area that a difference of areas is a share of
    sd_area: Literal["pixels", "image"] = "pixels"  # image: each area as a share of its picture
    sd_threshold: float = 1.0  # SD counts differences at least this large; 1 is 100 %
    variant: Literal["agnostic", "informed"] = "agnostic"  # informed: only what the query mentions
    pairs: Literal["failures", "all"] = "failures"  # failures: where another picture was retrieved
    profile: str = field(default="", compare=False)  # what these were taken from: a name of PROFILES

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        faults = []
        for one in fields(self):
            value, choices = getattr(self, one.name), get_args(hints[one.name])
            if choices and value not in choices:
                faults.append(Fault("E283", one.name, repr(value), " or ".join(choices)))
        threshold = self.sd_threshold
        if not isinstance(threshold, int | float) or not math.isfinite(threshold) or threshold < 0:
            faults.append(Fault("E283", "sd_threshold", repr(threshold), "a finite number from 0"))
        if faults:
            raise UsageError(faults)

    def signature_fields(self) -> Mapping[str, str]:
        """What the signature of a score must say about these settings; the hierarchy comes on top."""
        return {
            "synsets": self.synsets,
            "similarity": self.similarity,
            "ncs": self.average,
            "sd": f"{self.sd_denominator}/{self.sd_area}>={float(self.sd_threshold)}",
            "variant": self.variant,
            "pairs": self.pairs,
        }

    def told(self) -> Mapping[str, str]:
        """What a study says of its settings: their profile, with what was changed of it, and the signature's.

        >>> from dataclasses import replace
        >>> replace(COLING2022, sd_denominator="min").told()["profile"]
        'coling2022, changed: sd_denominator=min (gold)'
        """
        if self.profile not in PROFILES:
            return self.signature_fields()
        own = PROFILES[self.profile]
        changed = [
            f"{one.name}={getattr(self, one.name)} ({getattr(own, one.name)})"
            for one in fields(self)
            if getattr(self, one.name) != getattr(own, one.name)
        ]
        name = f"{self.profile}, changed: {', '.join(changed)}" if changed else self.profile
        return {"profile": name, **self.signature_fields()}


COLING2022 = ConceptSettings(
    synsets="first",
    similarity="path",
    average="matched",
    sd_denominator="gold",
    sd_area="pixels",
    sd_threshold=1.0,
    variant="agnostic",
    pairs="failures",
    profile="coling2022",
)  # the paper read as literally as it can be; the denominator and the unit of areas are not printed there

PROFILES: Mapping[str, ConceptSettings] = {"coling2022": COLING2022}
