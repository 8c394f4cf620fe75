"""What is known of every opener considered: bounds, statuses, the incumbent. Grows as buckets are searched."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import pyarrow as pa

from pipeline.search.bounds import INFEASIBLE


class Status(StrEnum):
    OPEN = "open"  # not decided yet
    EXACT = "exact"  # lower = upper
    BEATEN = "beaten"  # strictly worse than what had to be beaten: lower is the budget it met
    INFEASIBLE = "infeasible"  # no strategy that begins with it fits in the guesses allowed


class ContradictionError(RuntimeError):
    """Rows that cannot all be true: a bug, never a result."""


@dataclass(slots=True)
class Opener:
    """One opener. `lower` is always proven; `upper` is None until a strategy is known."""

    word: str
    index: int  # its place in the guess list
    is_answer: bool
    buckets: int  # into how many it splits all answers
    lower: int
    upper: int | None = None
    status: Status = Status.OPEN

    @property
    def tie_key(self) -> tuple[bool, int]:
        """Of equally good openers the least comes first: an answer, then guess-list order."""
        return not self.is_answer, self.index


@dataclass(slots=True)
class Bucket:
    """A bucket of an opener, searched whole or in shares. A lower of None is INFEASIBLE."""

    size: int
    lower: int | None = 0
    upper: int | None = None
    is_known: bool = False
    shares: dict[int, int | None] = field(default_factory=dict)  # share -> its lower


MERGED = ["response", "size", "share", "shares", "lower", "upper"]


def merge(bucket: Bucket, row: dict[str, int | None]) -> None:
    """Takes in one row. The lower of a bucket is the least of its shares'; a probe is but one guess, and gives none."""
    if row["upper"] is not None:
        bucket.upper = row["upper"] if bucket.upper is None else min(bucket.upper, row["upper"])
    if row["shares"] is None:
        bucket.lower, bucket.is_known = row["lower"], True
    elif row["share"] is not None:
        bucket.shares[row["share"]] = row["lower"]
        if len(bucket.shares) == row["shares"]:
            known = [lower for lower in (*bucket.shares.values(), bucket.upper) if lower is not None]
            bucket.lower, bucket.is_known = min(known, default=None), True


class Openers:
    """The openers considered, in the order they are searched. Rows may come in any order and more than once."""

    def __init__(
        self, openers: Sequence[Opener], answers: int, best: int, budget: int | None, is_beam: bool = False
    ) -> None:
        """With a beam nothing needs to be decided: there may be strategies that it does not find."""
        self.is_beam = is_beam
        self.by_word = {opener.word: opener for opener in openers}
        self.answers, self.best, self.least_budget = answers, best, budget
        self.statuses = Counter(opener.status for opener in openers)
        self.pending: dict[str, dict[int, Bucket]] = {}  # the buckets of openers that are being searched

    def __iter__(self) -> Iterator[Opener]:
        return iter(self.by_word.values())

    def observe(self, rows: pa.Table) -> None:
        """Takes in rows of the search stage."""
        words, sizes = rows["opener"].to_pylist(), rows["size"].to_numpy()
        begins = [i for i, word in enumerate(words) if i == 0 or word != words[i - 1]]
        for begin, end in zip(begins, [*begins[1:], len(words)], strict=True):
            opener = self.by_word[words[begin]]
            if opener.status is not Status.OPEN:
                continue
            some = rows.slice(begin, end - begin)
            if some["shares"].null_count == len(some) and sizes[begin:end].sum() == self.answers:
                lowers, uppers = some["lower"].to_pylist(), some["upper"].to_pylist()
                self.decide(opener, lowers, uppers, some["budget"][0].as_py())
            else:
                self.observe_buckets(opener, some)

    def observe_buckets(self, opener: Opener, rows: pa.Table) -> None:
        """Some buckets of an opener, or shares of them."""
        buckets = self.pending.setdefault(opener.word, {})
        for row in rows.select(MERGED).to_pylist():
            merge(buckets.setdefault(row["response"], Bucket(row["size"])), row)
        if sum(bucket.size for bucket in buckets.values() if bucket.is_known) == self.answers:
            known = buckets.values()
            self.decide(opener, [bucket.lower for bucket in known], [bucket.upper for bucket in known], None)
            del self.pending[opener.word]

    def decide(
        self, opener: Opener, lowers: Sequence[int | None], uppers: Sequence[int | None], budget: int | None
    ) -> None:
        """Every bucket is known, exactly or as far as the budget asked. A lower of None is INFEASIBLE."""
        feasible = [lower for lower in lowers if lower is not None]
        known = [upper for upper in uppers if upper is not None]
        lower = self.answers + sum(feasible) if len(feasible) == len(lowers) else INFEASIBLE
        before = opener.status
        if budget is not None and lower >= budget:  # by how much may depend on luck, so it is not told
            opener.lower, opener.status = max(opener.lower, budget), Status.BEATEN
        elif lower >= INFEASIBLE:
            opener.lower, opener.status = INFEASIBLE, Status.INFEASIBLE
        elif len(known) == len(uppers):
            opener.lower, opener.upper = lower, self.answers + sum(known)
            opener.status = Status.EXACT if opener.lower == opener.upper else Status.OPEN
        elif self.is_beam:
            opener.lower = max(opener.lower, lower)
        else:
            raise ContradictionError(f"{opener.word}: lower {lower} with budget {budget} is neither exact nor beaten")
        self.statuses[before] -= 1  # only now: a contradiction changes nothing
        self.statuses[opener.status] += 1

    def exact(self) -> list[Opener]:
        """The exact ones, best first, ties by the tie rule: whatever the order in which they were searched."""
        found = [opener for opener in self if opener.status is Status.EXACT]
        return sorted(found, key=lambda opener: (opener.lower, opener.tie_key))

    def incumbent(self) -> Opener | None:
        """The opener of the least upper."""
        known = [opener for opener in self if opener.upper is not None]
        return min(known, key=lambda opener: (opener.upper or 0, opener.tie_key), default=None)

    def budget(self) -> int | None:
        """What an opener must beat to be among the best: the n-th best total plus one, so that ties end exact."""
        exact = self.exact()
        if len(exact) < self.best:
            return self.least_budget
        enough = exact[self.best - 1].lower + 1
        return enough if self.least_budget is None else min(enough, self.least_budget)

    def lower(self) -> int:
        """No opener considered has a smaller total; INFEASIBLE if none fits."""
        return min(opener.lower for opener in self)

    def count(self, status: Status) -> int:
        return self.statuses[status]

    @property
    def is_decided(self) -> bool:
        return not self.count(Status.OPEN)
