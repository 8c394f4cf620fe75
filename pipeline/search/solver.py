"""The solver's face: positions in, proven totals, best guesses and trees out. Knows the game, not stages or files.

solver = Solver(game)
solver.evaluate("salet").outcome.lower                     # the total of an opener
solver.solve(solver.position("salet.bbbyb.drone.ybbbg"))   # the least total of any position
"""

from collections.abc import Iterable
from itertools import islice
from typing import Literal

import numpy as np

from pipeline.game.game import Game
from pipeline.game.rules import Codes, response_rows
from pipeline.game.tree import DecisionTree
from pipeline.search.bounds import INFEASIBLE, size_lower
from pipeline.search.engine import ProgressCallback, Rows, make_engine, since
from pipeline.search.outcome import UNKNOWN, Buckets, Effort, Evaluation, Outcome, Position, PositionError

MAX_ANSWERS = 2**15  # keeps every total below INFEASIBLE

Answers = Position | Iterable[str] | None  # None is every answer of the game
GuessesLeft = int | None | Literal["game"]  # None is no cap, "game" what the position or the game allows


class Solver:
    """Solves any position of one game in normal mode. One search at a time; `stop` may be called from anywhere."""

    def __init__(
        self, game: Game, responses: Codes | None = None, table_mib: float = 64, width: int | None = None
    ) -> None:
        """`responses` is the response table where it exists already, shape (guesses, answers); it is not copied.

        The transposition table takes at most `table_mib` MiB. With a `width` totals are those of a beam, upper bounds.
        """
        if game.is_weighted:
            raise PositionError("the search cannot honour weights yet; give a game without weights")
        if len(game.answers) > MAX_ANSWERS:
            raise PositionError(f"{len(game.answers):,} answers are too many; at most {MAX_ANSWERS:,} can be solved")
        if width is not None and width < 1:
            raise PositionError(f"width={width}: must be null or at least 1")
        if responses is None:
            responses = response_rows(game.rule, game.guesses, game.answers)
        self.game, self.responses = game, checked(game, responses)
        self.guess_index = {word: g for g, word in enumerate(game.guesses)}
        self.answer_index = {word: a for a, word in enumerate(game.answers)}
        self.engine = make_engine(self.responses, game.members, game.solved, table_mib, width)

    def forget(self) -> None:
        """Empties the transposition table, so that what follows depends on nothing searched before."""
        self.engine.forget()

    def stop(self) -> None:
        """Ends the search at work, or the next one if none is, from any thread: it raises SearchStoppedError."""
        self.engine.stop()

    def position(self, history: str) -> Position:
        """The position after a history such as `salet.bbbyb.drone.ybbbg`: guesses and responses in turn."""
        parts = [part.lower() for part in history.strip().split(".")] if history.strip() else []
        if len(parts) % 2:
            raise PositionError(f"{history!r}: every guess needs a response, as in salet.bbbyb.drone.ybbbg")
        answers = np.arange(len(self.game.answers))
        for word, text in zip(parts[::2], parts[1::2], strict=True):
            response = self.game.rule.parse(text, self.game.length)
            answers = answers[self.responses[self.index_of(word), answers] == response]
        if not len(answers):
            raise PositionError(f"{history!r}: no answer agrees with these responses")
        cap = self.game.max_guesses
        left = None if cap is None else max(cap - len(parts) // 2, 0)
        return Position(self.words(answers), left)

    def bucket(self, opener: str, response: int) -> Position:
        """The position after one guess and its response."""
        answers = np.flatnonzero(self.responses[self.index_of(opener)] == response)
        cap = self.game.max_guesses
        return Position(self.words(answers), None if cap is None else cap - 1)

    def solve(
        self,
        answers: Answers = None,
        guesses_left: GuessesLeft = "game",
        budget: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """The least total of the answers, exact if below `budget`; otherwise a proven lower of at least `budget`."""
        rows = self.rows(answers)
        return self.solved(rows, self.cap(answers, guesses_left, len(rows)), budget, progress)

    def evaluate(
        self,
        opener: str,
        budget: int | None = None,
        answers: Answers = None,
        guesses_left: GuessesLeft = "game",
        progress: ProgressCallback | None = None,
    ) -> Evaluation:
        """The least total when `opener` is the next guess, good or not, with the outcome of each of its buckets.

        Quick bounds of the largest buckets come first, then exact search, the smallest first. It ends as soon as the
        sum of lower bounds meets the budget: what was not searched then is not exact.
        """
        g, rows = self.index_of(opener), self.rows(answers)
        left, limit = self.cap(answers, guesses_left, len(rows)), INFEASIBLE if budget is None else budget
        before = self.engine.effort()
        # A beam has no use for quick bounds: a budget of 0 leaves them out.
        total, grouped, ends, lowers, uppers = self.engine.quick(rows, g, left, 0 if self.engine.width else limit)
        is_open = lowers < uppers
        guesses: list[str | None] = [None] * len(lowers)
        nodes, seconds = np.zeros(len(lowers), np.int64), np.zeros(len(lowers))
        for b in np.flatnonzero(is_open)[::-1].tolist():
            if total >= limit:
                break
            lower = int(lowers[b])
            outcome = self.solved(grouped[ends[b] : ends[b + 1]], left - 1, limit - total + lower, progress)
            total += outcome.lower - lower
            lowers[b], is_open[b] = outcome.lower, outcome.upper is None
            uppers[b] = UNKNOWN if outcome.upper is None else outcome.upper
            guesses[b], nodes[b], seconds[b] = outcome.guess, outcome.nodes, outcome.seconds
        uppers[is_open] = UNKNOWN
        upper = None if is_open.any() else len(rows) + int(uppers.sum())
        upper = INFEASIBLE if total >= INFEASIBLE else upper
        responses, sizes = self.responses[g, grouped[ends[:-1]]].astype(np.int64), np.diff(ends).astype(np.int64)
        columns = Buckets(responses, sizes, lowers, uppers, guesses, nodes, seconds)
        return Evaluation(self.outcome(total, upper, opener, before), columns)

    def probe(self, position: Position, place: int) -> Outcome:
        """The least total with the place-th most promising guess as the next one: an upper bound, to begin with."""
        rows, before = self.rows(position), self.engine.effort()
        left = self.cap(position, "game", len(rows))
        ordered = self.engine.ordered(rows, left, INFEASIBLE)
        lower = int(size_lower(len(rows), self.engine.columns.buckets[0], left))
        if place >= len(ordered):
            return self.outcome(lower, None, None, before)
        g = ordered[place]
        total = self.engine.total_of(rows, g, left, INFEASIBLE)
        return self.outcome(lower, None if total == INFEASIBLE else total, self.game.guesses[g], before)

    def solve_share(self, position: Position, share: int, shares: int, budget: int | None) -> Outcome:
        """A share of `solve`: every guess that might beat the budget belongs to one of the shares.

        The least total of the position is the least over all shares, where that is below the budget; else it is at
        least the budget. Exact here means: below the budget, and the least of this share.
        """
        rows, before = self.rows(position), self.engine.effort()
        limit = INFEASIBLE if budget is None else budget
        total = self.engine.share(rows, self.cap(position, "game", len(rows)), limit, share, shares)
        return self.outcome(total, total if total < limit else None, None, before)

    def best_guesses(self, answers: Answers = None, guesses_left: GuessesLeft = "game") -> tuple[str, ...]:
        """Every guess with which the least total can be reached, by the tie rule; none if INFEASIBLE."""
        self.require_exact()
        rows = self.rows(answers)
        left = self.cap(answers, guesses_left, len(rows))
        total = self.engine.best(rows, left)
        if total == INFEASIBLE:
            return ()
        return tuple(self.game.guesses[g] for g in self.engine.optimal(rows, left, total))

    def best_totals(
        self, count: int, answers: Answers = None, guesses_left: GuessesLeft = "game"
    ) -> tuple[tuple[str, int], ...]:
        """The `count` best next guesses with their exact totals, by total and then the tie rule; fewer if INFEASIBLE.

        First those that reach the least total, by the tie rule until there are enough. Then every guess that might have
        a total below a budget, with budgets that grow until enough have one. Guesses that tell nothing are left out.
        """
        self.require_exact()
        rows = self.rows(answers)
        left = self.cap(answers, guesses_left, len(rows))
        best = self.engine.best(rows, left)
        if best == INFEASIBLE:
            return ()
        found = dict.fromkeys(islice(self.engine.optimal(rows, left, best), count), best)
        budget = best + 1
        while len(found) < count and budget < INFEASIBLE and len(rows) > 1:
            step = 2 * (budget - best)
            budget = best + step if step < 4 * len(rows) else INFEASIBLE
            found |= self.engine.totals_below(rows, left, budget, known=found)
        here = {int(self.game.members[a]) for a in rows}
        by_tie_rule = sorted(found, key=lambda g: (found[g], g not in here, not self.engine.is_member[g], g))
        return tuple((self.game.guesses[g], found[g]) for g in by_tie_rule[:count])

    def expand(
        self, answers: Answers = None, guesses_left: GuessesLeft = "game", guess: str | None = None
    ) -> DecisionTree:
        """An optimal tree that depends on the game alone: of the best guesses always the first by the tie rule.

        With `guess` the tree begins with that guess, good or not. Raises PositionError if INFEASIBLE.
        """
        self.require_exact()
        rows = self.rows(answers)
        left = self.cap(answers, guesses_left, len(rows))
        return self.subtree(rows, left, None if guess is None else self.index_of(guess))

    def subtree(self, rows: Rows, left: int, g: int | None = None) -> DecisionTree:
        """As `expand`, for rows."""
        n = len(rows)
        total = self.engine.best(rows, left) if g is None else self.engine.total_of(rows, g, left, INFEASIBLE)
        if total == INFEASIBLE:
            raise PositionError(f"{n} answers cannot all be found in {left} guesses; there is no tree")
        if g is None:
            g = next(self.engine.optimal(rows, left, total))
        subtrees = {
            int(self.responses[g, part[0]]): self.subtree(part, left - 1) for part in self.engine.buckets(rows, g)
        }
        is_answer = n > sum(tree.size for tree in subtrees.values())
        total = n + sum(tree.total for tree in subtrees.values())
        return DecisionTree(self.game.guesses[g], is_answer, n, total, dict(sorted(subtrees.items())))

    def solved(self, rows: Rows, left: int, budget: int | None, progress: ProgressCallback | None) -> Outcome:
        """As `solve`, for rows."""
        before, limit = self.engine.effort(), INFEASIBLE if budget is None else min(budget, INFEASIBLE)
        total = self.engine.best(rows, left, limit, progress=progress)
        found = self.engine.found()
        if self.engine.width:
            lower = int(size_lower(len(rows), int(self.engine.columns.buckets[0]), left))
            guess = self.game.guesses[found] if found >= 0 else self.game.answers[rows[0]]  # no choice with one or two
            return self.outcome(lower, None if total == INFEASIBLE else total, guess, before)
        if total >= limit:
            return self.outcome(total, INFEASIBLE if total == INFEASIBLE else None, None, before)
        if found < 0:  # known without expanding a node
            found = next(self.engine.optimal(rows, left, total))
        return self.outcome(total, total, self.game.guesses[found], before)

    def outcome(self, lower: int, upper: int | None, guess: str | None, before: Effort) -> Outcome:
        effort = since(before, self.engine.effort())
        lower, upper = min(lower, INFEASIBLE), upper if upper is None else min(upper, INFEASIBLE)
        return Outcome(lower, upper, guess, effort.nodes, effort.seconds)

    def rows(self, answers: Answers) -> Rows:
        """The indices of the answers, ascending."""
        if answers is None:
            return np.arange(len(self.game.answers), dtype=np.int32)
        words = answers.answers if isinstance(answers, Position) else tuple(answers)
        unknown = [word for word in words if word not in self.answer_index]
        if unknown or not words:
            raise PositionError(f"{unknown[0]!r} is not in the answer list" if unknown else "give at least one answer")
        return np.array(sorted({self.answer_index[word] for word in words}), np.int32)

    def words(self, rows: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.game.answers[a] for a in rows)

    def cap(self, answers: Answers, guesses_left: GuessesLeft, n: int) -> int:
        """The guesses left as a number: without a cap one more than can matter, for a guess that tells nothing."""
        if guesses_left == "game":
            guesses_left = answers.guesses_left if isinstance(answers, Position) else self.game.max_guesses
        return n + 1 if guesses_left is None else guesses_left

    def index_of(self, word: str) -> int:
        if word not in self.guess_index:
            raise PositionError(f"{word!r} is not in the guess list")
        return self.guess_index[word]

    def require_exact(self) -> None:
        if self.engine.width:
            raise PositionError(f"width={self.engine.width} gives upper bounds only; best guesses need width=null")


def checked(game: Game, responses: Codes) -> Codes:
    """The table as the kernel takes it, read-only, if it can be the one of this game."""
    wanted = (len(game.guesses), len(game.answers))
    dtype = game.code_type
    if responses.shape != wanted or responses.dtype != dtype:
        raise PositionError(f"the response table is {responses.dtype}{responses.shape}; it must be {dtype}{wanted}")
    own = responses[game.members, np.arange(len(game.answers))]
    solved = sum(int(np.count_nonzero(row == game.solved)) for row in responses)
    if solved != len(game.answers) or not (own == game.solved).all():
        raise PositionError("the response table is not of this game: only an answer itself may be solved by its guess")
    table = responses.view() if responses.flags.c_contiguous else responses.copy()
    table.setflags(write=False)  # Numba types read-only arrays differently, and Ray delivers them so
    return table
