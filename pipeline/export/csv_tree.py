"""Lines of guesses, comma-separated, each ending in its answer: no responses, they follow from the words."""

import csv
import io
from collections.abc import Sequence

from pipeline.game.game import Game
from pipeline.game.rules import shown
from pipeline.game.tree import Decision, Tree, TreeError, partition


def write(tree: Tree) -> str:
    """One line per answer, in the order of the answer list."""
    played, out = tree.games(), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(played[answer] for answer in tree.game.answers)
    return out.getvalue()


def read(game: Game, text: str) -> Tree:
    try:
        lines = [tuple(line) for line in csv.reader(io.StringIO(text, newline=""), strict=True)]
    except csv.Error as error:
        raise TreeError(f"no comma-separated lines: {error}") from None
    return from_games(game, lines)


def from_games(game: Game, lines: Sequence[tuple[str, ...]]) -> Tree:
    """The tree in which these games are played; they must be those of all answers, each once."""
    known = set(game.answers)
    played: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines, start=1):
        if not all(line):
            raise TreeError(f"line {number}: an empty cell as guess {line.index('') + 1}")
        if not line or line[-1] not in known:
            raise TreeError(f"line {number}: it should end in an answer, not {shown(line[-1] if line else '')}")
        if line[-1] in played:
            raise TreeError(f"line {number}: {line[-1]} has a game already")
        played[line[-1]] = line
    missing = [answer for answer in game.answers if answer not in played]
    if missing:
        raise TreeError(f"{len(missing):,} answers have no game, first {missing[0]}")
    decisions: list[Decision] = []
    allowed = set(game.guesses)
    waiting: list[tuple[int, int, int, tuple[str, ...]]] = [(-1, -1, 0, game.answers)]
    while waiting:
        parent, response, turn, answers = waiting.pop()
        guesses = {played[answer][turn] if turn < len(played[answer]) else "" for answer in answers}
        if len(guesses) > 1 or "" in guesses:
            raise TreeError(
                f"{answers[0]} and {answers[-1]} look alike at guess {turn + 1}, but are played differently"
            )
        (guess,) = guesses
        if guess not in allowed:
            raise TreeError(f"{shown(guess)} is not in the guess list")
        for code, bucket in partition(game, guess, answers).items():
            if code == game.solved:
                if len(played[guess]) > turn + 1:
                    raise TreeError(f"{guess}: guessed as number {turn + 1}, but its line goes on")
            else:
                waiting.append((len(decisions), code, turn + 1, bucket))
        decisions.append((parent, response, guess))
    return Tree(game, decisions)
