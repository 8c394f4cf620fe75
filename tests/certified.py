"""From a game to its certificate, in this process."""

from pathlib import Path

from rich.console import Console

from pipeline.game.game import Game
from pipeline.runtime.place import place_of
from pipeline.runtime.progress import Progress
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import run_stage
from pipeline.stages.certify import certify
from pipeline.stages.ingest import ingest_stage
from pipeline.stages.rank import rank_stage, ranked
from pipeline.stages.responses import responses_stage
from pipeline.stages.search import SearchOptions
from pipeline.stages.searching import Search


def certified(game: Game, options: SearchOptions, folder: Path, verify: str = "none") -> Search:
    """The finished search, with its certificate in folder/certificate."""
    quiet, executor, outputs = Progress(Console(quiet=True)), SerialExecutor(), place_of(folder)
    ingest = run_stage(ingest_stage(game), outputs, executor, quiet)
    responses = run_stage(responses_stage(game, ingest), outputs, executor, quiet)
    rank = run_stage(rank_stage(game, responses), outputs, executor, quiet)
    search = Search(game, options, ranked(rank, options.order), None, outputs)
    done = search.run(responses, rank, executor, quiet)
    certify(search, done, responses, verify, executor, quiet)
    return search
