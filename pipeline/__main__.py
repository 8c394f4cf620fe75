"""The command line: compose the configuration, build the stages, run them in order, and end with an exit code."""

from pipeline.runtime.stopping import Stopped, install_handlers, leave, leave_stopped

if __name__ == "__main__":
    install_handlers(leave_stopped)  # the imports take a second, in which there is nothing to stop yet

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import NoReturn

import hydra
import pyarrow as pa
from omegaconf import DictConfig, OmegaConf

from pipeline.config import (
    Config,
    ConfigError,
    GameConfig,
    built_game,
    check_overrides,
    game_name,
    register_schema,
    shipped,
    shipped_game,
    typed_config,
    word_text,
)
from pipeline.game.game import Game
from pipeline.game.legality import Mode, ModeError
from pipeline.game.rules import Rule
from pipeline.game.tree import TreeError
from pipeline.game.words import WordListError
from pipeline.runtime.lock import locked
from pipeline.runtime.place import Place, is_uri, local_folder, place_of
from pipeline.runtime.progress import Progress
from pipeline.runtime.screen import plain_console
from pipeline.runtime.serial import SerialExecutor
from pipeline.runtime.stage import Executor, ExecutorError, StageError, run_stage
from pipeline.runtime.storage import StoreError
from pipeline.runtime.store import write_parquet
from pipeline.runtime.supervised import RayExecutor
from pipeline.search.engine import compile_ahead, compile_kernels
from pipeline.stages.certify import certify
from pipeline.stages.compare import compare_trees
from pipeline.stages.estimate import Foretold, search_estimate
from pipeline.stages.ingest import ingest_stage
from pipeline.stages.publish import ExportOptions, publish_trees, remove_old
from pipeline.stages.rank import NotSupportedError, rank_stage, ranked
from pipeline.stages.reporting import print_report, write_report
from pipeline.stages.responses import responses_stage, table_bytes
from pipeline.stages.runs import list_runs
from pipeline.stages.search import SearchOptions
from pipeline.stages.searching import Search, check_openers, considered, sampled
from pipeline.stages.simulate import OPTIMAL, Contest, able, check_contest
from pipeline.stages.simulating import run_contests
from pipeline.stages.summary import print_exact, print_ranking, result_game, told_game
from pipeline.strategies.turn import Manner

DONE, FAILED, BAD_INPUT = 0, 1, 2
DEFAULT_GAME = "wordle"  # of conf/config.yaml
RAY_JOB = ("RAY_JOB_CONFIG_JSON_ENV_VAR", "RAY_JOB_ID")  # in the environment of what `ray job submit` starts
register_schema()
OmegaConf.register_new_resolver("local_folder", lambda text: str(local_folder(text)), replace=True)  # for hydra.run.dir


def main() -> NoReturn:
    """Exits with 0 done, 1 error, 2 bad configuration or input, 130 or 143 stopped."""
    try:
        check_overrides(sys.argv[1:])
        composed_main()
    except ConfigError as error:
        leave(told(error, BAD_INPUT))
    except SystemExit as ended:  # from Hydra before the run began (a value it cannot take), or from the run itself
        code = int(ended.code or DONE)
        leave(BAD_INPUT if code == FAILED and not Run.began else code)
    leave(DONE)


class Run:
    began = False  # whether the configuration was composed; only then an exit code is the run's own


@hydra.main(version_base="1.3", config_path=str(shipped("conf")), config_name="config")
def composed_main(composed: DictConfig) -> None:
    Run.began = True
    sys.exit(exit_code(composed))


def exit_code(composed: DictConfig) -> int:
    """Runs everything; every foreseen failure becomes one clear line and its code."""
    install_handlers()  # not before: while Hydra composes, an exception that is none of its own may get lost
    try:
        run(typed_config(composed), Progress())
    except (ConfigError, ModeError, NotSupportedError, TreeError, WordListError) as error:
        return told(error, BAD_INPUT)
    except (ExecutorError, OSError, StageError, StoreError) as error:
        return told(error, FAILED)
    except Stopped as stopped:
        print(f"stopped ({stopped}): every finished part is kept, the same command goes on from here", file=sys.stderr)
        return stopped.exit_code
    finally:
        install_handlers(signal.SIG_IGN)  # the little that is left cannot be stopped
    return DONE


def told(error: Exception, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code


def run(config: Config, progress: Progress) -> None:
    """The stages in order; results appear under <outputs_root>/<name>/."""
    check_used(config)
    if config.until == "runs":
        list_runs(plain_console(), outputs_root(config), config.clean, config.yes)
        return
    if config.until == "simulate":
        simulate(config, progress)
        return
    check_supported(config)
    game = configured_game(config.game, progress)
    if game.is_weighted:
        raise NotSupportedError(f"{config.until} cannot honour game.weights yet; set game.weights=null")
    if config.until == "compare":
        compare_trees(plain_console(), game, [place_of(tree) for tree in config.trees])
        return
    check_openers(game, search_options(config, game))
    outputs = outputs_root(config) / config.name
    executor = chosen_executor(config, [game], progress)
    try:
        with locked(outputs):
            run_stages(config, game, outputs, executor, progress)
    finally:
        executor.close()


def outputs_root(config: Config) -> Place:
    """Where results go; a working directory that Ray made for a job, and throws away, is no place for them."""
    root = config.outputs_root
    is_job = any(name in os.environ for name in RAY_JOB) or "runtime_resources" in Path.cwd().parts
    if is_job and not (is_uri(root) or Path(root).is_absolute()):
        raise ConfigError(
            f"outputs_root={root}: a Ray job runs in a copy of the working directory that is thrown away;"
            " set outputs_root to an absolute path or a URI such as s3://bucket/prefix"
        )
    try:
        return place_of(root)
    except StoreError as error:
        raise StoreError(f"outputs_root cannot be used: {error}") from error


def run_stages(config: Config, game: Game, outputs: Place, executor: Executor, progress: Progress) -> None:
    if config.until == "search":
        compile_ahead(game.code_type, config.search.width)
    ingest = run_stage(ingest_stage(game), outputs, SerialExecutor(), progress)
    responses = run_stage(responses_stage(game, ingest), outputs, executor, progress)
    rank = run_stage(rank_stage(game, responses), outputs, executor, progress)
    table = ranked(rank, config.rank.by)
    if config.until == "rank":
        if result_game(outputs) not in (None, told_game(game)):
            remove_old(outputs)
            (outputs / "statistics.json").remove()
        write_ranking(outputs, table, progress)
        print_ranking(plain_console(), table, config.rank.by, config.rank.show)
        return
    order = ranked(rank, config.search.order)
    options = search_options(config, game)
    foretold = None
    if config.estimate:
        words = considered(options, order)["guess"].to_pylist()
        foretold = Foretold(search_estimate(game, options, words, responses, expected_workers(config)), progress)
    remove_old(outputs)
    write_ranking(outputs, table, progress)
    search = Search(game, options, order, config.time_limit, outputs)
    done = search.run(responses, rank, executor, progress)
    if done:
        progress.say(f"{search.verdict()} The other results follow.")
    if foretold:
        watcher = search.watcher
        foretold.compare(outputs, watcher.new_tasks == watcher.tasks, watcher.cpu_seconds, watcher.predictions)
    tree = publish_trees(game, search, export_options(config), responses, executor, progress)
    certify(search, done, responses, config.verify, executor, progress)
    print_exact(plain_console(), search.openers, len(game.answers), config.rank.show)
    print_report(plain_console(), search, table, tree)
    print(search.verdict())
    if config.export.report:
        write_report(search, table, tree, progress)
    progress.say(f"results: {outputs / 'result.json'} and the other files there")


def write_ranking(outputs: Place, table: pa.Table, progress: Progress) -> None:
    write_parquet(outputs / "rank.parquet", table)
    progress.say(f"the whole ranking: {outputs / 'rank.parquet'}")


def simulate(config: Config, progress: Progress) -> None:
    """Every contest in turn; strategies.parquet and games.parquet hold them all."""
    contests = chosen_contests(config, progress)
    outputs = outputs_root(config) / config.name
    executor = chosen_executor(config, [contest.game for contest in contests], progress)
    try:
        with locked(outputs):
            workers = expected_workers(config) if config.estimate else None
            run_contests(contests, outputs, executor, progress, workers)
    finally:
        executor.close()


def chosen_contests(config: Config, progress: Progress) -> list[Contest]:
    """Those of simulate.runs, else the game and the mode of the configuration; all are checked before anything runs."""
    check_supported(config)
    if config.simulate.runs and (config.game != shipped_game(DEFAULT_GAME) or config.mode.name != "normal"):
        raise ConfigError(
            f"simulate.runs={config.simulate.runs} says which games and modes are played, so game and mode would be"
            " ignored; set simulate.runs=null to play those"
        )
    runs = [tuple(str(run).split(":")) for run in config.simulate.runs or ()]
    chosen = [(shipped_game(name), mode) for name, mode in runs] or [(config.game, config.mode.name)]
    chooser, contests = config.simulate, []
    for game_config, mode in chosen:
        game = configured_game(game_config, progress)
        manner = Manner(chooser.ties, chooser.seed, tuple(chooser.schedule))
        every = able(game, Mode(mode), manner)
        names = every if chooser.strategies == "all" else tuple(dict.fromkeys(chooser.strategies))
        opener = None if chooser.opener is None else word_text(chooser.opener)
        sample = chooser.sample
        contests.append(Contest(game_name(game_config), game, Mode(mode), names, manner, sample, opener))
        check_contest(contests[-1])
    if chooser.opener is not None and not any(OPTIMAL in contest.strategies for contest in contests):
        raise ConfigError(f"simulate.opener={chooser.opener}: it is for the strategy optimal, which does not play here")
    return contests


def export_options(config: Config) -> ExportOptions:
    export = config.export
    return ExportOptions(tuple(export.formats), export.trees, export.hollow, export.order)


def search_options(config: Config, game: Game) -> SearchOptions:
    openers = None if config.openers == "all" else tuple(word_text(word) for word in config.openers)
    if config.sample is not None:
        openers = sampled(game, config.sample)
    best = config.best or (1 if openers is None else len(openers))
    search = config.search
    rest = (search.order, search.width, search.table_mib, search.certificate and search.width is None)
    return SearchOptions(openers, config.top, best, config.budget, *rest)


def check_used(config: Config) -> None:
    """What would be ignored, though it says what is to be done, is an error."""
    if config.clean is not None and config.until != "runs":
        raise ConfigError(f"clean={config.clean}: nothing is removed by {config.until}; add +experiment=runs")
    if config.trees and config.until != "compare":
        raise ConfigError(f"trees={config.trees}: {config.until} reads no trees; add +experiment=compare_trees")


def check_supported(config: Config) -> None:
    """What the stages cannot honour is an error, never ignored."""
    if config.objective.name != "mean":
        raise NotSupportedError(f"no stage can honour objective={config.objective.name} yet; use objective=mean")
    if config.mode.name == "hard" and config.game.rule != Rule.WORDLE:
        raise ConfigError(f"mode=hard speaks of letters shown; it needs game.rule=wordle, not {config.game.rule}")
    if config.mode.name != "normal" and config.until in ("search", "compare"):
        raise NotSupportedError(f"{config.until} cannot honour mode={config.mode.name} yet; use mode=normal")


def configured_game(config: GameConfig, progress: Progress) -> Game:
    """The game of the configured lists; notes about them go to the user."""
    game, notes = built_game(config)
    for note in notes:
        progress.say(f"note: {note}")
    return game


def expected_workers(config: Config) -> int:
    """How many tasks will run at once, as far as that is known before they do."""
    return 1 if config.executor.name == "serial" else config.executor.workers or os.cpu_count() or 1


def chosen_executor(config: Config, games: list[Game], progress: Progress) -> Executor:
    if config.executor.name == "serial":
        return SerialExecutor()
    log = local_folder(config.outputs_root) / config.name / "logs" / "ray.log"
    executor, shared_bytes = config.executor, max(table_bytes(game) for game in games)
    types = sorted({game.code_type.name for game in games})
    warm = None if config.until == "rank" else partial(compile_kernels, types)
    deadline = executor.task_deadline
    return RayExecutor(executor.address, executor.workers, shared_bytes, deadline, log, warm, progress.say)


if __name__ == "__main__":
    main()
