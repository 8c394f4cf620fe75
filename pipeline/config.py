"""The typed schema of conf/, and errors that name the key and the nearest match. Knows Hydra, as __main__ does."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from pipeline.game.game import Game, make_game
from pipeline.game.lists import found, word_list
from pipeline.game.rules import Rule
from pipeline.game.words import read_weights
from pipeline.strategies.catalogue import SIMPLE, STRATEGIES
from pipeline.strategies.ranking import MORE_IS_BETTER
from pipeline.strategies.turn import TIES


class ConfigError(ValueError):
    """A key or value that cannot be used; the message says what would be right."""


MODES = ("normal", "hard", "strict")
OBJECTIVES = ("mean", "worst")
EXECUTORS = ("ray", "serial")
UNTIL = ("rank", "search", "simulate", "runs", "compare")
PLAYERS = (*STRATEGIES, "optimal")
FORMATS = ("json", "txt", "csv", "olson", "domsleee", "dot", "html")
VERIFY = ("none", "sample", "full")


@dataclass(frozen=True)
class GameConfig:
    guesses: str = "original_guesses.txt"
    answers: str | None = None
    rule: str = Rule.WORDLE.value
    max_guesses: int | None = 6
    weights: str | None = None
    add_answers: bool = False

    def __post_init__(self) -> None:
        require_one_of(list(Rule), "game.rule", self.rule)
        require(
            self.max_guesses is None or self.max_guesses >= 1,
            "game.max_guesses",
            self.max_guesses,
            "null or at least 1",
        )


@dataclass(frozen=True)
class ModeConfig:
    name: str = "normal"

    def __post_init__(self) -> None:
        require_one_of(MODES, "mode.name", self.name)


@dataclass(frozen=True)
class ObjectiveConfig:
    name: str = "mean"

    def __post_init__(self) -> None:
        require_one_of(OBJECTIVES, "objective.name", self.name)


@dataclass(frozen=True)
class RankConfig:
    by: str = "entropy"
    show: int = 20

    def __post_init__(self) -> None:
        require_one_of(MORE_IS_BETTER, "rank.by", self.by)
        require(self.show >= 0, "rank.show", self.show, "at least 0")


@dataclass(frozen=True)
class SearchConfig:
    order: str = "buckets"
    width: int | None = None
    table_mib: int = 64
    certificate: bool = False

    def __post_init__(self) -> None:
        require_one_of(MORE_IS_BETTER, "search.order", self.order)
        require(self.width is None or self.width >= 1, "search.width", self.width, "null or at least 1")
        require(0 <= self.table_mib <= 2**16, "search.table_mib", self.table_mib, "0 to 65536")


@dataclass(frozen=True)
class SimulateConfig:
    strategies: Any = "all"
    runs: Any = None
    ties: str = "list"
    sample: int | None = None
    seed: int = 0
    schedule: list[str] = field(default_factory=lambda: ["letter_frequency", "retry_misplaced", "distinct_letters"])
    opener: str | None = None

    def __post_init__(self) -> None:
        listed = isinstance(self.strategies, list) and len(self.strategies) > 0
        require(self.strategies == "all" or listed, "simulate.strategies", self.strategies, "all or [name,...]")
        for name in self.strategies if listed else ():
            require_one_of(PLAYERS, "simulate.strategies", str(name))
        require(self.runs is None or isinstance(self.runs, list), "simulate.runs", self.runs, "null or [game:mode,...]")
        for run in self.runs or ():
            game, _, mode = str(run).partition(":")
            require_one_of(group_choices(shipped("conf"))["game"], "simulate.runs", game)
            require_one_of(MODES, "simulate.runs", mode)
        require_one_of(TIES, "simulate.ties", self.ties)
        require(self.sample is None or self.sample >= 1, "simulate.sample", self.sample, "null or at least 1")
        require(0 <= self.seed < 2**64, "simulate.seed", self.seed, "0 to 2^64 - 1")
        require(len(self.schedule) > 0, "simulate.schedule", self.schedule, "[name,...], one strategy per turn")
        for name in self.schedule:
            require_one_of(SIMPLE, "simulate.schedule", name)


@dataclass(frozen=True)
class ExportConfig:
    formats: list[str] = field(default_factory=lambda: list(FORMATS))
    trees: int = 10
    hollow: bool = True
    order: str = "bgy"
    report: bool = True

    def __post_init__(self) -> None:
        for name in self.formats:
            require_one_of(FORMATS, "export.formats", name)
        require(self.trees >= 0, "export.trees", self.trees, "at least 0")
        require(sorted(self.order) == ["b", "g", "y"], "export.order", self.order, "any order of b, g and y")


@dataclass(frozen=True)
class ExecutorConfig:
    name: str = "ray"
    workers: int | None = None
    address: str = "local"
    task_deadline: float = 900

    def __post_init__(self) -> None:
        require_one_of(EXECUTORS, "executor.name", self.name)
        require(self.workers is None or self.workers >= 1, "executor.workers", self.workers, "null or at least 1")
        require(self.task_deadline > 0, "executor.task_deadline", self.task_deadline, "more than 0 seconds")
        host, _, port = self.address.rpartition(":")
        known = self.address in ("local", "auto") or (host and port.isdecimal())
        require(bool(known), "executor.address", self.address, "local, auto or host:port")
        joins = self.address != "local" and self.workers is not None
        require(not joins, "executor.workers", self.workers, "null when a cluster is joined: it has its own workers")
        alone, one = self.name == "serial", self.workers in (None, 1)
        require(one or not alone, "executor.workers", self.workers, "null or 1 with executor=serial, or executor=ray")
        near = self.address == "local"
        require(near or not alone, "executor.address", self.address, "local with executor=serial, or executor=ray")


@dataclass(frozen=True)
class Config:
    name: str = "default"
    outputs_root: str = "outputs"
    until: str = "rank"
    openers: Any = "all"
    top: int | None = None
    best: int | None = None
    budget: int | None = None
    sample: int | None = None
    time_limit: float | None = None
    estimate: bool = False
    trees: list[str] = field(default_factory=list)
    verify: str = "sample"
    clean: str | None = None
    yes: bool = False
    game: GameConfig = field(default_factory=GameConfig)
    mode: ModeConfig = field(default_factory=ModeConfig)
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    rank: RankConfig = field(default_factory=RankConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    simulate: SimulateConfig = field(default_factory=SimulateConfig)
    export: ExportConfig = field(default_factory=ExportConfig)
    executor: ExecutorConfig = field(default_factory=ExecutorConfig)

    def __post_init__(self) -> None:
        require_one_of(UNTIL, "until", self.until)
        require_one_of(VERIFY, "verify", self.verify)
        listed = isinstance(self.openers, list) and len(self.openers) > 0
        require(self.openers == "all" or listed, "openers", self.openers, "all or [word,...]")
        for key in ("top", "best", "budget", "sample"):
            value = getattr(self, key)
            require(value is None or value >= 1, key, value, "null or at least 1")
        require(self.time_limit is None or self.time_limit > 0, "time_limit", self.time_limit, "null or more than 0")
        require(self.top is None or self.openers == "all", "top", self.top, "null when openers are listed")
        listed = self.openers != "all" or self.top is not None
        require(self.sample is None or not listed, "sample", self.sample, "null with openers=[...] or top")
        plain = self.name and not self.name.startswith(".") and Path(self.name).name == self.name
        require(bool(plain), "name", self.name, "one folder name below outputs_root")


def word_text(value: object) -> str:
    """A word of a list as it was written: Hydra reads 17923, true and null as something else."""
    return "null" if value is None else str(value).lower()


def require(holds: bool, key: str, value: object, wanted: str) -> None:
    if not holds:
        raise ConfigError(f"{key}={'null' if value is None else value}: must be {wanted}")


def require_one_of(allowed: Iterable[str], key: str, value: str) -> None:
    if value not in allowed:
        raise ConfigError(unknown(f"{key}={value}", value, allowed))


def register_schema() -> None:
    """Makes the schema known to Hydra; frozen dataclasses are opened for composing, their objects stay frozen."""
    schema = OmegaConf.structured(Config)
    for node in [schema, *schema.values()]:
        if isinstance(node, DictConfig):
            OmegaConf.set_readonly(node, False)
    ConfigStore.instance().store(name="schema", node=schema)


def typed_config(composed: DictConfig) -> Config:
    """The composed configuration as frozen dataclasses."""
    try:
        config = OmegaConf.to_object(composed)
    except OmegaConfBaseException as error:
        raise ConfigError(str(error).splitlines()[0]) from error
    if not isinstance(config, Config):
        raise ConfigError("the configuration lost its schema; conf/config.yaml must begin its defaults with schema")
    return config


def shipped(folder: str) -> Path:
    """conf/ or data/: inside the package when installed from a wheel, beside it in a checkout."""
    inside = Path(__file__).parent / folder
    return inside if inside.is_dir() else Path(__file__).parent.parent / folder


def shipped_game(name: str) -> GameConfig:
    """The game of conf/game/NAME.yaml."""
    require_one_of(group_choices(shipped("conf"))["game"], "game", name)
    path = shipped("conf") / "game" / f"{name}.yaml"
    merged = OmegaConf.to_container(OmegaConf.merge(asdict(GameConfig()), OmegaConf.load(path)))
    return GameConfig(**{str(key): value for key, value in dict(merged).items()})  # type: ignore[arg-type]


def game_name(config: GameConfig) -> str:
    """The shipped game that has these lists, else the name of its answer list."""
    for name in group_choices(shipped("conf"))["game"]:
        known = shipped_game(name)
        if (known.guesses, known.answers) == (config.guesses, config.answers):
            return name
    return Path(config.answers or config.guesses).stem


def built_game(config: GameConfig) -> tuple[Game, tuple[str, ...]]:
    """The game of these lists, and notes about them for the user."""
    folders = (Path(), shipped("data"))
    guesses = word_list(config.guesses, folders)
    answers = guesses if config.answers is None else word_list(config.answers, folders)
    weights = read_weights(found(config.weights, folders)) if config.weights else None
    game = make_game(guesses, answers, Rule(config.rule), config.max_guesses, weights, config.add_answers)
    return game, tuple(dict.fromkeys(guesses.notes + answers.notes))


def check_overrides(arguments: Iterable[str]) -> None:
    """Raises ConfigError at the first override with an unknown key, group or choice, also one added with a plus.

    Options such as `--cfg job` are Hydra's business; what is neither an option nor key=value, it refuses itself.
    """
    parser = OverridesParser.create()
    keys, groups = set(config_keys(Config)), group_choices(shipped("conf"))
    for text in arguments:
        if text.startswith("-") or not (text.startswith("~") or "=" in text):
            continue
        try:
            override = parser.parse_override(text)
        except HydraException:
            hint = "a URI with options needs quotes of its own: key='s3://...'" if "://" in text else ""
            raise ConfigError(f"{text!r} is not key=value; {hint or 'try `python -m pipeline --help`'}") from None
        key = override.key_or_group
        if key == "hydra" or key.startswith("hydra."):
            continue
        if override.is_delete():
            raise ConfigError(f"{text}: nothing can be left out; every key has a default to go by")
        if key in groups:
            if isinstance(override.value(), str) and override.value() not in groups[key]:
                raise ConfigError(unknown(f"{key}={override.value()}", str(override.value()), groups[key]))
        elif key not in keys:
            raise ConfigError(unknown(f"no key {key}", key, keys | set(groups)))
        elif text.startswith("+"):
            raise ConfigError(f"{text}: {key} is a key already; write it without the plus")


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """What is wrong, the nearest match, and everything that is known."""
    near = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{what}: {hint}known: {', '.join(sorted(known))}"


def config_keys(schema: Any, prefix: str = "") -> Iterator[str]:
    hints = get_type_hints(schema)
    for item in fields(schema):
        yield prefix + item.name
        if is_dataclass(hints[item.name]):
            yield from config_keys(hints[item.name], f"{prefix}{item.name}.")


def group_choices(folder: Path) -> dict[str, list[str]]:
    """The groups of conf/ with the choices of each."""
    return {
        group.name: sorted(file.stem for file in group.glob("*.yaml")) for group in folder.iterdir() if group.is_dir()
    }
