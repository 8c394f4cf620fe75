"""What the helper is told on the command line, besides the game."""

from dataclasses import dataclass, field

from pipeline.runtime.place import Place, place_of


@dataclass(frozen=True, slots=True)
class Options:
    exact: bool = True  # whether exact values are searched
    seconds: float = 60.0  # how long somebody waits for them
    show: int = 10  # how many guesses are shown
    outputs: Place = field(default_factory=lambda: place_of("outputs"))  # where finished runs are
