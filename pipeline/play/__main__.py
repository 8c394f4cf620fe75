"""The table's command line: python -m pipeline.play suggest|game|show|partition|score|filter|analyse|infer."""

from pipeline.runtime.stopping import install_handlers, leave, leave_stopped

if __name__ == "__main__":
    install_handlers(leave_stopped)  # the imports take a second, in which there is nothing to stop yet

import argparse
import os
import random
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path

from rich.console import Console

from pipeline.config import MODES, ConfigError, built_game, group_choices, shipped, shipped_game
from pipeline.game.game import Game, make_game
from pipeline.game.legality import Mode, ModeError
from pipeline.game.rules import ResponseError, Rule, response_rows
from pipeline.game.words import WordList, WordListError, read_words
from pipeline.play.advice import (
    candidates,
    print_candidates,
    print_exact,
    print_opinions,
    print_remaining,
    print_root,
    remaining,
    with_best,
)
from pipeline.play.analysis import judged
from pipeline.play.exact import finished_root
from pipeline.play.helper import Helper
from pipeline.play.infer import impossible_rows, inferred, read_grids
from pipeline.play.interactive import ROOT_RUN, Dialogue, started, why_not
from pipeline.play.judgement import print_turns, verdict
from pipeline.play.notation import Clue, PlayError, checked_word, clean, counted, read_clues
from pipeline.play.options import Options
from pipeline.play.shown import print_game, print_partition
from pipeline.play.tiles import tiles
from pipeline.runtime.place import place_of
from pipeline.runtime.storage import StoreError
from pipeline.search.outcome import PositionError
from pipeline.search.solver import Solver
from pipeline.strategies.catalogue import STRATEGIES
from pipeline.strategies.turn import TIES, Manner, StrategyError

DONE, FAILED, BAD_INPUT, STOPPED = 0, 1, 2, 130


class Screen(Console):
    """A console that leaves it to `main` what to do when its reader has gone."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Player:
    """The game, the screen and the wishes of one call."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.console = Screen(markup=False, emoji=False, highlight=False)
        self.game = chosen_game(arguments)
        self.mode = Mode(arguments.mode)
        self.manner = Manner(arguments.ties, arguments.seed or 0)
        self.options = Options(not arguments.no_exact, arguments.seconds, arguments.show, place_of(arguments.outputs))

    def helper(self) -> Helper:
        return Helper(self.game, self.mode, self.manner)

    def clues(self, words: list[str]) -> list[Clue]:
        return read_clues(words, self.game.rule, self.game.length)

    def check(self, helper: Helper, clues: list[Clue]) -> None:
        """Tells of guesses that may be mistyped."""
        for said in helper.strange(clues):
            note(said)

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=not self.console.is_terminal)


def suggest(player: Player) -> None:
    """Remaining answers, heuristics and bounds at once, exact values when they are ready."""
    helper, clues, options = player.helper(), player.clues(player.arguments.clues), player.options
    player.check(helper, clues)
    turn = helper.turn(clues)
    for said in helper.illegal(clues):
        player.say(f"note: {said}")
    print_remaining(player.console, turn)
    found = candidates(turn, options.show)
    exact = started(helper, turn, [c.guess for c in found], options)
    try:
        print_candidates(player.console, turn, found, None)
        print_opinions(player.console, turn)
        root = None if clues else finished_root(helper.game, helper.mode, options.outputs)
        if root:
            print_root(player.console, root, len(turn.answers), options.show)
        elif exact is None:
            player.say("no exact values: " + why_not(helper, clues))
        else:
            if not exact.is_ready:
                player.say(f"exact values: at most {options.seconds:g} seconds, Ctrl-C stops ...")
            if not exact.wait(options.seconds):
                player.say(f"not all known after {options.seconds:g} seconds; --seconds gives more")
    except KeyboardInterrupt:
        player.say("stopped")
    finally:
        if exact:
            exact.stop()
    if exact and exact.values:
        print_candidates(player.console, turn, with_best(turn, found, exact, options.show), exact)
    if exact:
        print_exact(player.console, exact, len(turn.answers))


def play_game(player: Player) -> None:
    Dialogue(player.helper(), player.console, player.options).run()


def show(player: Player) -> None:
    """A whole game of a strategy, by word, by number (from 1), or by a random seed."""
    helper, wanted = player.helper(), player.arguments.answer
    if wanted is None:
        answer = random.Random(player.arguments.seed).randrange(len(player.game.answers))
    elif clean(wanted) not in player.game.answers and wanted.isdecimal() and len(wanted) < 20:
        answer = int(wanted) - 1
        if not 0 <= answer < len(player.game.answers):
            raise PlayError(f"{wanted}: there are {len(player.game.answers):,} answers, numbered from 1")
    else:
        answer = helper.known_answer(checked_word(wanted, player.game.length))
    print_game(player.console, helper.board, STRATEGIES[player.arguments.strategy], answer)


def partition(player: Player) -> None:
    helper = player.helper()
    guess = checked_word(player.arguments.guess, player.game.length)
    helper.known_guess(guess)
    clues = player.clues(player.arguments.clues)
    player.check(helper, clues)
    turn = helper.turn(clues)
    print_partition(player.console, turn, helper.index[guess])


def score(player: Player) -> None:
    guess, answer = (
        checked_word(word, player.game.length) for word in (player.arguments.guess, player.arguments.answer)
    )
    response = int(response_rows(player.game.rule, [guess], [answer])[0, 0])
    player.say(player.game.rule.text(response, player.game.length))
    if player.console.is_terminal:
        player.console.print(tiles(player.game, guess, response))


def filter_answers(player: Player) -> None:
    """One word a line, so that other programs can read it."""
    helper, clues = player.helper(), player.clues(player.arguments.clues)
    player.check(helper, clues)
    if player.arguments.guesses_too:
        words = helper.outside(clues)
    else:
        turn = helper.turn(clues)
        words = [player.game.answers[a] for a in turn.answers]
    sys.stdout.writelines(f"{word}\n" for word in words)


def analyse(player: Player) -> None:
    """Skill and luck, turn by turn."""
    helper, game = player.helper(), player.game
    if player.mode is not Mode.NORMAL:
        raise PlayError(f"skill and luck are told from exact values, which are of normal mode only, not {player.mode}")
    clues = finished_game(player, helper)
    left = helper.turn(clues).answers  # explains a conflict
    root = finished_root(game, player.mode, player.options.outputs)
    solver = Solver(game, helper.board.responses)
    turns = judged(game, solver, clues, root)
    print_turns(player.console, game, turns)
    player.say(verdict(turns))
    if isnan(turns[0].inaccuracy):
        player.say(f"The first guess is not judged: its exact value comes from a finished run: {ROOT_RUN}")
    if clues[-1].response != game.solved:
        player.say(f"The game is not finished: {remaining(len(left))}.")


def finished_game(player: Player, helper: Helper) -> list[Clue]:
    """Clues as typed; or words alone, the last of which is the answer."""
    game, words = player.game, [clean(word) for word in player.arguments.clues]
    if not words:
        raise PlayError("give a game: guesses with responses, or guesses alone with the answer last")
    if words_alone(words, game, helper):
        guesses = [helper.known_guess(checked_word(word, game.length)) for word in words]
        answer = helper.known_answer(words[-1])
        clues = [Clue(word, int(helper.board.responses[g, answer])) for word, g in zip(words, guesses, strict=True)]
    else:
        clues = player.clues(player.arguments.clues)
    for clue in clues:
        helper.known_guess(clue.guess)
    for turn, clue in enumerate(clues[:-1], start=1):
        if clue.response == game.solved:
            raise PlayError(f"{clue.guess} is the answer, found with guess {turn}; leave out what follows")
    return clues


def words_alone(words: list[str], game: Game, helper: Helper) -> bool:
    """Whether no responses are given: every item is a word, and not every second one is a response instead."""
    if any(len(word) != game.length for word in words):
        return False
    return all(word in helper.index for word in words) or not are_responses(words[1::2], game, len(words))


def are_responses(texts: list[str], game: Game, words: int) -> bool:
    """Whether these follow the guesses, one each."""
    try:
        return 2 * len([game.rule.parse(text, game.length) for text in texts]) == words
    except ResponseError:
        return False


def infer(player: Player) -> None:
    """Answers that agree with posted grids, or the rows at odds with one answer."""
    game, helper = player.game, player.helper()
    rows = read_grids(Path(player.arguments.file), game)
    player.say(f"{counted(len(rows), 'row')}, {len(set(rows))} of them distinct")
    if player.arguments.answer:
        word = checked_word(player.arguments.answer, game.length)
        bad = impossible_rows(game, helper.board.responses, rows, helper.known_answer(word))
        player.say(f"{word}: {f'no guess gives {chr(32).join(bad)}' if bad else 'every row is possible'}")
        return
    found, nearest, never = inferred(game, helper.board.responses, rows)
    for row, times in sorted(never.items()):
        player.say(f"{game.rule.text(row, game.length)} ({times}x): impossible, no guess gives it to any answer")
    if found:
        verb = "is" if len(found) == 1 else "are"
        player.say(f"{len(found):,} of {counted(len(game.answers), 'answer')} {verb} possible:")
        player.say(" ".join(game.answers[a] for a in found))
        return
    player.say("no answer agrees with every row; these come nearest:")
    for a, odds in nearest[: player.options.show]:
        bad = impossible_rows(game, helper.board.responses, rows, a)
        player.say(f"  {game.answers[a]}: {odds} at odds: {' '.join(bad[:6])}{' ...' if len(bad) > 6 else ''}")


def note(text: str) -> None:
    """Beside the output, which may be for a program."""
    print(f"note: {text}", file=sys.stderr)


def chosen_game(arguments: argparse.Namespace) -> Game:
    """The shipped game, or own lists; without the answers that are past."""
    config = shipped_game(arguments.game)
    if arguments.guesses is not None:
        config = replace(config, guesses=arguments.guesses, answers=arguments.answers, max_guesses=6)
    elif arguments.answers is not None:
        config = replace(config, answers=arguments.answers, add_answers=True)
    if arguments.rule:
        config = replace(config, rule=arguments.rule)
    if arguments.max_guesses is not None:
        config = replace(config, max_guesses=arguments.max_guesses or None)
    if arguments.add_answers:
        config = replace(config, add_answers=True)
    try:
        game, notes = built_game(config)
    except WordListError as error:
        raise PlayError(str(error).replace("set game.add_answers=true", "give --add-answers")) from None
    for text in notes:
        note(text)
    return without(game, arguments.without) if arguments.without else game


def without(game: Game, given: list[str]) -> Game:
    """The game less the answers given as words or as files of words; they stay guesses."""
    past: set[str] = set()
    for item in given:
        if Path(item).is_file():
            past |= set(read_words(Path(item)).words)
        elif len(clean(item)) == game.length:
            past.add(clean(item))
        else:
            raise PlayError(f"--without {item}: neither a file nor a word of {counted(game.length, 'letter')}")
    unknown = sorted(past - set(game.answers))
    if unknown:
        note(f"not in the answer list anyway: {', '.join(unknown[:5])}{', ...' if len(unknown) > 5 else ''}")
    left = tuple(word for word in game.answers if word not in past)
    if not left:
        raise PlayError("--without leaves no answers")
    return make_game(WordList(game.guesses, "guesses"), WordList(left, "answers"), game.rule, game.max_guesses)


COMMANDS: dict[str, tuple[Callable[[Player], None], str]] = {
    "suggest": (suggest, "best guesses after some clues: suggest salet.bbbyb drone.ybbbg"),
    "game": (play_game, "play along: it proposes, you type the responses"),
    "show": (show, "watch a strategy play: show super"),
    "partition": (partition, "the buckets of a guess: partition slate"),
    "score": (score, "the response to a guess: score dilly bigly"),
    "filter": (filter_answers, "the answers that agree with some clues, one a line"),
    "analyse": (analyse, "skill and luck of a finished game: analyse salet drone crown, or with responses"),
    "infer": (infer, "answers that agree with a file of posted response grids"),
}


def at_least(kind: type[int] | type[float], least: int) -> Callable[[str], float]:
    """How argparse reads a number that may not be less."""

    def number(text: str) -> float:
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"{text}: must be at least {least}")
        return value

    number.__name__ = "number"  # what argparse says of anything else: invalid number value
    return number


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m pipeline.play", description="Wordle-like games at the terminal.")
    common = argparse.ArgumentParser(add_help=False)
    games = ", ".join(group_choices(shipped("conf"))["game"])
    common.add_argument("--game", default="wordle", help=f"one of {games}")
    common.add_argument("--guesses", metavar="FILE", help="your own list of guesses, one a line")
    common.add_argument("--answers", metavar="FILE", help="your own list of answers; without it every guess may be one")
    common.add_argument("--add-answers", action="store_true", help="answers that are no guesses become guesses")
    common.add_argument("--rule", choices=[str(rule) for rule in Rule], help="how a response is computed")
    common.add_argument("--max-guesses", type=at_least(int, 0), metavar="N", help="the cap on guesses; 0 for none")
    common.add_argument("--without", action="append", metavar="WORD|FILE", help="past answers; may be given again")
    common.add_argument("--mode", choices=MODES, default="normal", help="which guesses are allowed")
    common.add_argument("--ties", choices=TIES, default="member", help="which of equal guesses")
    common.add_argument("--seed", type=int, help="for what is random")
    common.add_argument("--show", type=at_least(int, 1), default=10, metavar="N", help="how many guesses are shown")
    common.add_argument("--no-exact", action="store_true", help="heuristics only")
    common.add_argument("--seconds", type=at_least(float, 0), default=60.0, help="how long to wait for exact values")
    common.add_argument("--outputs", default="outputs", help="where finished runs are: a folder, or a URI")
    commands = top.add_subparsers(dest="command", required=True, metavar="|".join(COMMANDS))
    for name, (_, text) in COMMANDS.items():
        one = commands.add_parser(name, parents=[common], help=text, description=text)
        if name in ("partition", "score"):
            one.add_argument("guess")
        if name == "score":
            one.add_argument("answer")
        if name in ("suggest", "partition", "filter", "analyse"):
            one.add_argument("clues", nargs="*", help="guess.response, as in salet.bbbyb; bgy, 012, -?+ or squares")
        if name == "show":
            one.add_argument("answer", nargs="?", help="a word, or its number from 1; without it a random one")
            one.add_argument("--strategy", choices=sorted(STRATEGIES), default="entropy", help="who plays")
        if name == "filter":
            one.add_argument("--all-guesses", dest="guesses_too", action="store_true", help="guesses, not only answers")
        if name == "infer":
            one.add_argument("file", help="one response a line; # begins a comment")
            one.add_argument("--answer", help="which rows are at odds with this answer")
    return top


def main(words: list[str] | None = None) -> int:
    """Exits with 0 done, 1 error, 2 bad input, 130 stopped."""
    arguments = parser().parse_args(words)
    try:
        COMMANDS[arguments.command][0](Player(arguments))
        sys.stdout.flush()
    except (ConfigError, ModeError, PlayError, PositionError, ResponseError, StrategyError, WordListError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except StoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # The reader, such as head, has seen enough; what Python still holds for it at exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return STOPPED
    return DONE


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # from now on Ctrl-C may mean: that is exact enough
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    leave(main())
