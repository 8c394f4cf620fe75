"""Which openers are searched when, with which budget, and how the work is cut into tasks. Depends on inputs alone.

Costs are rough integers in microseconds of a usual core; they decide how tasks are packed, and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pipeline.game.game import Game
from pipeline.runtime.stage import Task
from pipeline.stages.openers import Opener, Openers

Unit = dict[str, Any]  # a piece of work within a task: see search.py
Sizes = Callable[[str], dict[int, int]]  # the buckets of an opener: response -> size

FIRST = 8  # openers of the first round, which gives an incumbent
GROWTH = 8  # each later round is so many times larger, with a better budget
PROBES = 4  # guesses tried first in a bucket that is cut into shares: the best of them is the budget of all shares
SMALL, LARGE = 20_000, 1_500_000  # the least and the most that a task should cost
PIECES = 32  # a round should give at least so many tasks, if they are not too small


def rounds(game: Game, openers: Openers, sizes: Sizes, beam: bool) -> Iterator[list[Task]]:
    """The tasks, round by round."""
    waiting = list(openers)
    most = max(opener.buckets for opener in waiting)
    number, take = 0, max(FIRST, openers.best)
    while waiting:
        now, waiting = waiting[:take], waiting[take:]
        take *= GROWTH
        budget = openers.budget()
        if budget is None and not beam:
            for units in exact_waves(game, openers, now, sizes):
                number += 1
                yield packed(f"{number:02d}", units)
        else:
            number += 1
            units = [
                {"opener": opener.word, "budget": budget, "cost": beat_cost(game, opener.buckets, most)}
                for opener in now
            ]
            yield packed(f"{number:02d}", units)


def exact_waves(game: Game, openers: Openers, now: Sequence[Opener], sizes: Sizes) -> Iterator[list[Unit]]:
    """Bucket by bucket; then what is too much for one task, in shares with the budget that its probes gave."""
    works = [(opener, response, size) for opener in now for response, size in sizes(opener.word).items()]
    whole = sum(bucket_cost(game, size) for _, _, size in works)
    share_cost = task_cost(whole)
    large = [work for work in works if bucket_cost(game, work[2]) > 4 * share_cost]
    units: list[Unit] = [
        {"opener": opener.word, "response": response, "cost": bucket_cost(game, size)}
        for opener, response, size in works
        if bucket_cost(game, size) <= 4 * share_cost
    ]
    probes: list[Unit] = [
        {"opener": opener.word, "response": response, "probe": probe, "cost": share_cost}
        for opener, response, _ in large
        for probe in range(PROBES)
    ]
    place = {opener.word: i for i, opener in enumerate(now)}  # opener by opener: an incumbent is known soon
    yield sorted(probes + units, key=lambda unit: (place[unit["opener"]], -unit["cost"]))
    if not large:
        return
    shares = []
    for opener, response, size in large:
        number = -(-bucket_cost(game, size) // share_cost)
        budget = openers.pending[opener.word][response].upper
        unit = {"opener": opener.word, "response": response, "budget": budget, "shares": number, "cost": share_cost}
        shares += [{**unit, "share": share} for share in range(number)]
    yield shares


def packed(name: str, units: Iterable[Unit]) -> list[Task]:
    """Tasks of whole units, in their order, none much larger than it should be."""
    units = list(units)
    limit = task_cost(sum(unit["cost"] for unit in units))
    packs: list[list[Unit]] = []
    room = 0
    for unit in units:
        if unit["cost"] > room:
            packs.append([])
            room = limit
        packs[-1].append(unit)
        room -= unit["cost"]
    costs = [sum(unit["cost"] for unit in pack) for pack in packs]
    return [Task(f"{name}-{i:05d}", {"units": pack}, costs[i]) for i, pack in enumerate(packs)]


def task_cost(whole: int) -> int:
    return min(max(whole // PIECES, SMALL), LARGE)


def bucket_cost(game: Game, size: int) -> int:
    """What it may cost to search a bucket exactly."""
    return 50 + size * size * len(game.guesses) // 12_972


def beat_cost(game: Game, buckets: int, most: int) -> int:
    """What it may cost to beat an opener: little, unless it makes nearly as many buckets as any."""
    once = 100 + len(game.guesses) * len(game.answers) // 20_000
    return once + 40 * once * buckets**12 // most**12
