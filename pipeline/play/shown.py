"""Views of a game: a strategy at play, partitions, remaining answers."""

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.game.game import Game
from pipeline.play.notation import counted
from pipeline.play.tiles import tiles
from pipeline.runtime.screen import print_table
from pipeline.strategies.buckets import entropy, expected_size
from pipeline.strategies.selfplay import next_guess
from pipeline.strategies.turn import Board, Strategy, Turn


def print_game(console: Console, board: Board, strategy: Strategy, answer: int) -> None:
    """A whole game: guess, response, the answers that remained, and what the guess promised about them."""
    game, turn = board.game, board.start()
    view = Table(title_justify="left")
    view.add_column("guess", no_wrap=True, min_width=(3 if game.rule.marks_letters else 1) * game.length)
    for name in ("response", "pool size", "expected size", "entropy"):
        view.add_column(name, justify="left" if name == "response" else "right", no_wrap=name == "response")
    response = -1
    while response != game.solved:
        g = next_guess(turn, strategy)
        response = int(board.responses[g, answer])
        place = int((turn.guesses == g).argmax())
        numbers = (f"{expected_size(turn).shown[place]:.5g}", f"{abs(entropy(turn).shown[place]):.6g}")
        text = game.rule.text(response, game.length)
        view.add_row(tiles(game, game.guesses[g], response), text, f"{len(turn.answers):,}", *numbers)
        if response != game.solved:
            turn = turn.after(g, response)
    print_table(console, view)


def print_partition(console: Console, turn: Turn, g: int) -> None:
    """The buckets of a guess, the largest first."""
    game = turn.board.game
    buckets = sorted(turn.buckets(g).items(), key=lambda item: (-len(item[1]), item[0]))
    for response, answers in buckets:
        line = tiles(game, game.guesses[g], response)
        text = game.rule.text(response, game.length) if game.rule.marks_letters else ""
        words = " ".join(game.answers[a] for a in answers)
        console.print(Text.assemble(line, f" {text} {len(answers):>4}  {words}"), soft_wrap=True)
    sizes = [len(answers) for _, answers in buckets]
    n = sum(sizes)
    squares = sum(size * size for size in sizes)
    console.print(
        f"{counted(len(sizes), 'bucket')} of {counted(n, 'answer')}; largest {max(sizes)},"
        f" expected size {squares / n:.4f}",
        highlight=False,
    )


def print_clues(console: Console, game: Game, clues: Iterable[tuple[str, int]]) -> None:
    for guess, response in clues:
        text = f" {game.rule.text(response, game.length)}" if game.rule.marks_letters else ""  # pegs are text already
        console.print(Text.assemble(tiles(game, guess, response), text))
