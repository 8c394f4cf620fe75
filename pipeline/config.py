"""The typed schema of conf/, and errors that name the key and the nearest match. Knows Hydra, as __main__ does."""

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

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
ONE_FOLDER = "one folder name below outputs_root"


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
        require(is_folder_name(self.name), "name", self.name, ONE_FOLDER)


def is_folder_name(name: str) -> bool:
    return bool(name) and not name.startswith(".") and Path(name).name == name


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
    """Makes the schema known to Hydra."""
    ConfigStore.instance().store(name="schema", node=opened_schema())


def opened_schema() -> DictConfig:
    """The schema with its defaults; frozen dataclasses are opened for composing, their objects stay frozen."""
    schema: DictConfig = OmegaConf.structured(Config)
    for node in [schema, *schema.values()]:
        if isinstance(node, DictConfig):
            OmegaConf.set_readonly(node, False)
    return schema


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

    Also at a value of the wrong type, and at one that says where to write and cannot be used: Hydra creates its folder
    before anything else is looked at. Options such as `--cfg job` are Hydra's business.
    """
    parser = OverridesParser.create()
    for text in arguments:
        if text.startswith("-"):
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
        check_key(key, text)
        if not override.is_sweep_override():
            check_value(key, override.value(), text)


def check_key(key: str, text: str) -> None:
    keys, groups = config_keys(Config), group_choices(shipped("conf"))
    if key == "experiment" and not text.startswith("+"):
        raise ConfigError(f"{text}: an experiment is added with a plus: +{text}")
    if key in groups:
        return
    if key not in keys:
        raise ConfigError(unknown_key(key, sorted({*keys, *groups})))
    if is_dataclass(keys[key]):
        raise ConfigError(f"{text}: {key} holds other keys; set one of {', '.join(below(key, keys))}")
    if text.startswith("+"):
        raise ConfigError(f"{text}: {key} is a key already; write it without the plus")


def check_value(key: str, value: Any, text: str) -> None:
    groups = group_choices(shipped("conf"))
    if key in groups:
        if not isinstance(value, list):
            require_one_of(groups[key], key, str(value))
        return
    try:
        OmegaConf.update(opened_schema(), key, value)
    except OmegaConfBaseException:
        given = text.lstrip("+").partition("=")[2]
        raise ConfigError(f"{key}={given}: must be {described(config_keys(Config)[key], given)}") from None
    if key == "name":
        require(is_folder_name(str(value)), key, value, ONE_FOLDER)
    if key == "outputs_root" and "://" not in str(value):
        folder = Path(str(value)).absolute()
        there = next(path for path in (folder, *folder.parents) if path.exists())
        fine = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
        require(fine, key, value, f"a folder or a URI; {there} is {'read-only' if there.is_dir() else 'a file'}")


def described(kind: Any, given: str) -> str:
    """What a value of a key may be, in words."""
    told = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "null"}
    if isinstance(kind, UnionType):
        return " or ".join(described(part, given) for part in reversed(get_args(kind)))
    return told.get(kind, f"a list, such as [{given}]")


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """What is wrong, the nearest match, and everything that is known."""
    near = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"{what}: {hint}known: {', '.join(sorted(known))}"


def unknown_key(key: str, known: Sequence[str]) -> str:
    """The same for a key: the nearest one may stand elsewhere, and of the others only its neighbours are told."""
    group, _, last = key.rpartition(".")
    elsewhere = [name for name in known if name.rpartition(".")[2] == last.lower()]
    near = elsewhere or difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    neighbours = below(group, known) if group else [name for name in known if "." not in name]
    hint = f"did you mean {near[0]}? " if near else ""
    return f"no key {key}: {hint}known: {', '.join(neighbours or known)}"


def below(group: str, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if key.startswith(f"{group}.")]


def config_keys(schema: Any, prefix: str = "") -> dict[str, Any]:
    """Every key with the type of its value."""
    hints, keys = get_type_hints(schema), dict[str, Any]()
    for item in fields(schema):
        keys[prefix + item.name] = hints[item.name]
        if is_dataclass(hints[item.name]):
            keys |= config_keys(hints[item.name], f"{prefix}{item.name}.")
    return keys


def group_choices(folder: Path) -> dict[str, list[str]]:
    """The groups of conf/ with the choices of each."""
    return {
        group.name: sorted(file.stem for file in group.glob("*.yaml")) for group in folder.iterdir() if group.is_dir()
    }
