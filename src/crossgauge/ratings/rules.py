"""Association rules: whether class B disagrees where class A does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import permutations


@dataclass(frozen=True, slots=True)
class Rule:
    """A → B over pairs, with the counts that its numbers are made of."""

    antecedent: str  # A
    consequent: str  # B
    both: int  # pairs with A and B
    antecedents: int  # pairs with A
    consequents: int  # pairs with B
    pairs: int

    @property
    def support(self) -> float:
        """n(A ∧ B) / n: the share of all pairs with both, 0 to 1."""
        return self.both / self.pairs

    @property
    def confidence(self) -> float:
        """n(A ∧ B) / n(A): of the pairs with A, the share that has B too, 0 to 1, ↑.

        >>> Rule("action", "details", both=3, antecedents=4, consequents=6, pairs=12).confidence
        0.75
        """
        return self.both / self.antecedents

    @property
    def lift(self) -> float:
        """Confidence over the share of pairs with B: 1 where A says nothing of B, more where B is likelier.

        >>> Rule("action", "details", both=3, antecedents=4, consequents=6, pairs=12).lift
        1.5
        """
        return self.both * self.pairs / (self.antecedents * self.consequents)


def rules(marked: Iterable[Collection[str]]) -> tuple[Rule, ...]:
    """Every rule that holds at least once: the most confident first, then the best supported, then by name.

    Arguments:
        marked: the distinct classes of each pair, () for one without any.

    Source: Agrawal, Imieliński and Swami, Mining association rules (1993); lift: Brin et al. (1997).

    >>> [(rule.antecedent, rule.confidence) for rule in rules([{"action", "details"}, {"details"}])]
    [('action', 1.0), ('details', 0.5)]
    """
    seen = [frozenset(classes) for classes in marked]
    single = Counter(name for classes in seen for name in classes)
    both = Counter(names for classes in seen for names in permutations(sorted(classes), 2))
    found = [
        Rule(first, second, count, single[first], single[second], len(seen))
        for (first, second), count in both.items()
    ]
    return tuple(
        sorted(found, key=lambda rule: (-rule.confidence, -rule.both, rule.antecedent, rule.consequent))
    )
