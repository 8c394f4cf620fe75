"""The shipped configuration composes, and wrong keys and values are told with the nearest match."""

from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from pipeline.config import Config, ConfigError, check_overrides, config_keys, group_choices, shipped, typed_config
from pipeline.game.lists import GENERATORS

CONF = shipped("conf")
GROUPS = group_choices(CONF)


def composed(*overrides: str) -> Config:
    import pipeline.__main__  # registers the schema

    assert pipeline.__main__
    check_overrides(overrides)
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return typed_config(compose("config", list(overrides)))


def test_defaults_are_the_original_game() -> None:
    config = composed()
    assert (config.game.guesses, config.game.answers) == ("original_guesses.txt", "original_answers.txt")
    assert (config.mode.name, config.objective.name, config.executor.name) == ("normal", "mean", "ray")


@pytest.mark.parametrize("choice", [(group, name) for group, names in GROUPS.items() for name in names])
def test_every_choice_composes_and_its_lists_exist(choice: tuple[str, str]) -> None:
    group, name = choice
    config = composed(f"{'+' if group == 'experiment' else ''}{group}={name}")
    for source in filter(None, (config.game.guesses, config.game.answers)):
        assert source.partition(":")[0] in GENERATORS or (shipped("data") / source).is_file()
    if group == "experiment":
        assert config.name == name, "an experiment writes to a folder of its own name"


def test_an_experiment_begins_with_the_command_that_runs_it() -> None:
    for path in (CONF / "experiment").glob("*.yaml"):
        lines = path.read_text().splitlines()
        assert lines[0] == "# @package _global_"
        assert lines[1] == f"# python -m pipeline +experiment={path.stem}"


def test_every_key_is_explained() -> None:
    """Every key of the schema stands in conf/ once with a comment of its own."""
    texts = [path.read_text() for path in CONF.rglob("*.yaml")]
    commented = {
        line.split(":")[0].strip(' "') for text in texts for line in text.splitlines() if ": " in line and " #" in line
    }
    groups = {"game", "mode", "objective", "executor", "rank", "search", "simulate", "export"}
    assert {key.rpartition(".")[2] for key in config_keys(Config)} - groups <= commented


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("game=wrdle", "game=wrdle: did you mean wordle? known: bulls_and_cows, "),
        ("+experiment=exact_openning", "did you mean exact_opening?"),
        ("rank.bye=entropy", "no key rank.bye: did you mean rank.by?"),
        ("+rank.bye=entropy", "no key rank.bye: did you mean rank.by?"),
        ("++executor.worker=2", "did you mean executor.workers?"),
        ("+name=x", "write it without the plus"),
        ("+x=1", "no key x: "),
        ("search.budget=5", "no key search.budget: did you mean budget? known: search.certificate, search.order"),
        ("experiment=smoke", "is added with a plus: +experiment=smoke"),
        ("rank=entropy", "rank holds other keys; set one of rank.by, rank.show"),
        ("game={a:1}", "known: bulls_and_cows"),
        ("budget=abc", "budget=abc: must be null or a whole number"),
        ("budget=1.5", "budget=1.5: must be null or a whole number"),
        ("time_limit=1h", "time_limit=1h: must be null or a number"),
        ("game.add_answers=maybe", "game.add_answers=maybe: must be true or false"),
        ("rank.by=[entropy]", "rank.by=[entropy]: must be a text"),
        ("trees=a.json", "trees=a.json: must be a list, such as [a.json]"),
        ("entropy", "'entropy' is not key=value"),
        ("~game", "nothing can be left out"),
        ("name=[", "is not key=value"),
        ("rank.by=entrpy", "rank.by=entrpy: did you mean entropy? known: buckets, "),
        ("game.rule=wordel", "did you mean wordle?"),
        ("mode.name=hrad", "did you mean hard?"),
        ("objective.name=best", "known: mean, worst"),
        ("executor.name=dask", "known: ray, serial"),
        ("until=serch", "did you mean search?"),
        ("game.max_guesses=0", "game.max_guesses=0: must be null or at least 1"),
        ("rank.show=-1", "rank.show=-1: must be at least 0"),
        ("executor.workers=0", "executor.workers=0: must be null or at least 1"),
        ("executor.address=nowhere", "must be local, auto or host:port"),
        ("name=../up", "one folder name"),
        ("name=.hidden", "one folder name"),
        ("name=", "one folder name"),
        (f"outputs_root={__file__}/x", f"must be a folder or a URI; {__file__} is a file"),
    ],
)
def test_wrong_keys_and_values(override: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        composed(override)
    assert says in str(caught.value)


def test_workers_of_a_cluster_are_its_own() -> None:
    with pytest.raises(ConfigError, match=r"executor\.workers=2: must be null"):
        composed("executor.workers=2", "executor.address=auto")


@pytest.mark.parametrize("override", ["executor.workers=2", "executor.address=auto"])
def test_one_process_is_no_cluster(override: str) -> None:
    with pytest.raises(ConfigError, match=r"with executor=serial, or executor=ray"):
        composed("executor=serial", override)
    composed("executor=serial", "executor.workers=1")


def test_frozen() -> None:
    with pytest.raises(AttributeError):
        composed().name = "other"  # type: ignore[misc]


def test_paths_are_relative_to_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert (shipped("data") / "original_answers.txt").is_file()
