"""The helper as a dialogue: it proposes, you play and type the response."""

from rich.console import Console

from pipeline.game.rules import ResponseError, response_rows
from pipeline.play.advice import candidates, print_candidates, print_exact, print_opinions, print_remaining, with_best
from pipeline.play.exact import ExactValues, finished_root, small_enough
from pipeline.play.helper import Helper
from pipeline.play.notation import Clue, PlayError, bare, checked_word, clean, counted, read_clues, some_response
from pipeline.play.options import Options
from pipeline.play.shown import print_clues
from pipeline.search.outcome import Position
from pipeline.strategies.turn import Turn

HELP = """Play the proposed guess, or another one, and type what you see:
  {response:<18} the response to the proposed guess
  {clue:<18} you played another word: the word and its response
  {other:<18} propose this word instead
  undo               take the last clue back
  list               all answers that remain
  all                what every strategy would play
  exact              exact values of this position, when they are ready (Ctrl-C stops waiting)
  new                begin a new game
  help, quit"""
ROOT_RUN = "python -m pipeline +experiment=exact_opening"
SOON = 0.7  # seconds in which exact values may come along with the heuristics


class Dialogue:
    """One player, one game after another."""

    def __init__(self, helper: Helper, console: Console, options: Options) -> None:
        self.helper, self.console, self.options = helper, console, options
        self.clues: list[Clue] = []
        self.proposal = ""
        self.exact: ExactValues | None = None

    def run(self) -> None:
        self.say(self.help_text())
        self.propose()
        while True:
            try:
                line = bare(self.console.input(f"{len(self.clues) + 1}. {self.proposal}> ", markup=False, emoji=False))
            except (EOFError, KeyboardInterrupt):
                self.say("")
                break
            if clean(line) in ("q", "quit", "exit", "bye"):
                break
            try:
                self.take(line)
            except (PlayError, ResponseError) as error:
                self.say(str(error))
        self.forget()

    def take(self, line: str) -> None:
        """One thing that was typed."""
        command = clean(line)
        word, _, rest = command.partition(" ")
        commands = {"undo": self.undo, "list": self.list, "all": self.all, "exact": self.await_exact, "new": self.new}
        if not line:
            self.say(f"type the response to {self.proposal}, or help")
        elif command in ("help", "?", "h"):
            self.say(self.help_text())
        elif command in commands:
            commands[command]()
        elif word == "word" and rest:
            self.proposal = checked_word(rest, self.helper.game.length)
            if self.proposal not in self.helper.index:
                self.say(f"note: {self.proposal} is not in the guess list")
        else:
            self.add(self.read(line))

    def read(self, line: str) -> Clue:
        """A response to the proposal, or a word and a response."""
        game = self.helper.game
        try:
            return Clue(self.proposal, game.rule.parse(clean(line), game.length))
        except ResponseError as error:
            if len(line) <= game.length:
                raise PlayError(f"{error}; or another word and its response, or help") from None
        clues = read_clues([line], game.rule, game.length)
        if len(clues) != 1:
            raise PlayError("one guess at a time, please")
        return clues[0]

    def add(self, clue: Clue) -> None:
        """A clue that leaves nothing is explained and not kept."""
        for said in self.helper.strange([clue]):
            self.say(f"note: {said}")
        for said in self.helper.illegal([*self.clues, clue])[-1:]:
            if said.startswith(clue.guess):
                self.say(f"note: {said}")
        if clue.response == self.helper.game.solved:
            self.won(clue)
            return
        try:
            self.helper.turn([*self.clues, clue])
        except PlayError as error:
            self.say(f"{error}\nThis clue was not taken. Type it again, or undo an earlier one.")
            return
        self.clues.append(clue)
        self.propose()

    def won(self, clue: Clue) -> None:
        """The game knows best; but a clue that this answer would not have given was mistyped."""
        game = self.helper.game
        for c in self.clues:
            response = int(response_rows(game.rule, [c.guess], [clue.guess])[0, 0])
            if response != c.response:
                texts = [game.rule.text(r, game.length) for r in (c.response, response)]
                self.say(f"note: {c.guess} {texts[0]} was mistyped, if that is the answer: {texts[1]} would be right")
        self.clues.append(clue)
        print_clues(self.console, game, [(c.guess, c.response) for c in self.clues])
        known = "" if clue.guess in self.helper.game.answers else " (it is not in the answer list)"
        self.say(f"Found {clue.guess}{known} with {counted(len(self.clues), 'guess')}. A new game begins; quit ends.")
        self.clues = []
        self.propose()

    def undo(self) -> None:
        if not self.clues:
            self.say("there is nothing to take back")
            return
        clue = self.clues.pop()
        self.say(f"took back {clue.guess} {self.helper.game.rule.text(clue.response, self.helper.game.length)}")
        self.propose()

    def new(self) -> None:
        self.clues = []
        self.propose()

    def list(self) -> None:
        print_remaining(self.console, self.turn(), most=10**9)

    def all(self) -> None:
        print_opinions(self.console, self.turn())

    def turn(self) -> Turn:
        return self.helper.turn(self.clues)

    def propose(self) -> None:
        """Heuristics at once; exact values as well if they come soon."""
        self.forget()
        turn = self.turn()
        print_clues(self.console, self.helper.game, [(c.guess, c.response) for c in self.clues])
        print_remaining(self.console, turn)
        found = candidates(turn, self.options.show)
        self.proposal = found[0].guess
        self.exact = started(self.helper, turn, [c.guess for c in found], self.options)
        if self.exact and self.exact.wait(SOON) and self.exact.values:
            self.show_exact(turn)
            return
        print_candidates(self.console, turn, found, None)
        root = None if self.clues else finished_root(self.helper.game, self.helper.mode, self.options.outputs)
        if root:
            self.proposal = root.openers[0][0]
            self.say(f"proven best by the run in {root.folder}: {self.proposal}")
        elif self.exact:
            self.say("exact values are being computed: type exact to see them")

    def await_exact(self) -> None:
        if not self.exact:
            self.say("no exact values here: " + why_not(self.helper, self.clues))
            return
        try:
            if not self.exact.wait(self.options.seconds):
                self.say(f"not ready after {self.options.seconds:g} seconds; type exact to wait again")
                return
        except KeyboardInterrupt:
            self.say("not ready yet; type exact to wait again")
            return
        self.show_exact(self.turn())

    def show_exact(self, turn: Turn) -> None:
        assert self.exact
        found = with_best(turn, candidates(turn, self.options.show), self.exact, self.options.show)
        print_candidates(self.console, turn, found, self.exact)
        print_exact(self.console, self.exact, len(turn.answers))
        best = [value for value in self.exact.values if value.is_best]
        if best:
            self.proposal = best[0].guess

    def forget(self) -> None:
        """Ends the search of a position that is no longer asked for."""
        if self.exact:
            self.exact.stop()
            self.exact = None

    def say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False)

    def help_text(self) -> str:
        marks = self.helper.game.rule.marks_letters
        length = self.helper.game.length
        word = "crane" if length == 5 and marks else self.helper.game.answers[0]
        response = some_response(self.helper.game.rule, length)
        return HELP.format(response=response, clue=f"{word} {response}", other=f"word {word}")


def started(helper: Helper, turn: Turn, others: list[str], options: Options) -> ExactValues | None:
    """The search for exact values of a turn, unless nobody should wait for it."""
    if not options.exact or helper.mode != "normal" or (not turn.history and not small_enough(helper.game)):
        return None
    cap = helper.game.max_guesses
    left = None if cap is None else cap - len(turn.history)
    is_lost = left is not None and left < 1
    position = Position(tuple(helper.game.answers[a] for a in turn.answers), None if is_lost else left)
    exact = ExactValues(helper.game, helper.board.responses, position, others)
    if is_lost:
        exact.note = f"the {counted(cap or 0, 'guess')} of this game are played; these values need more"
    return exact


def why_not(helper: Helper, clues: list[Clue]) -> str:
    if helper.mode != "normal":
        return f"the exact solver plays in normal mode, not in {helper.mode} mode"
    if not clues:
        return f"those of the first guess come from a finished run: {ROOT_RUN}"
    return "they are switched off"
