"""The typed schema of conf/, and errors that name the key and the nearest match. Knows Hydra; only __main__ does too."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, get_type_hints

from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException


class ConfigError(ValueError):
    """A key or value that cannot be used; the message says what would be right."""


# Enums of the schema spell their members as the values are written, because OmegaConf goes by member names.
RuleName = StrEnum("RuleName", {name: name for name in ("wordle", "naive", "mastermind", "bulls_and_cows")})
ModeName = StrEnum("ModeName", {name: name for name in ("normal", "hard", "strict")})
ObjectiveName = StrEnum("ObjectiveName", {name: name for name in ("mean", "worst")})
ExecutorName = StrEnum("ExecutorName", {name: name for name in ("ray", "serial")})
Column = StrEnum(
    "Column",
    {
        name: name
        for name in (
            "buckets",
            "largest_bucket",
            "expected_size",
            "entropy",
            "remaining_entropy",
            "lower",
            "two_guess_wins",
            "letter_entropy",
            "letter_frequency",
            "letter_frequency_global",
        )
    },
)
Until = StrEnum("Until", {name: name for name in ("rank", "search")})


@dataclass(frozen=True)
class GameConfig:
    guesses: str = "original_guesses.txt"
    answers: str | None = None
    rule: RuleName = RuleName.wordle
    max_guesses: int | None = 6
    weights: str | None = None
    add_answers: bool = False

    def __post_init__(self) -> None:
        require(self.max_guesses is None or self.max_guesses >= 1, "game.max_guesses", self.max_guesses, "null or at least 1")


@dataclass(frozen=True)
class ModeConfig:
    name: ModeName = ModeName.normal


@dataclass(frozen=True)
class ObjectiveConfig:
    name: ObjectiveName = ObjectiveName.mean


@dataclass(frozen=True)
class RankConfig:
    by: Column = Column.entropy
    show: int = 20

    def __post_init__(self) -> None:
        require(self.show >= 0, "rank.show", self.show, "at least 0")


@dataclass(frozen=True)
class ExecutorConfig:
    name: ExecutorName = ExecutorName.ray
    workers: int | None = None
    address: str = "local"

    def __post_init__(self) -> None:
        require(self.workers is None or self.workers >= 1, "executor.workers", self.workers, "null or at least 1")
        host, _, port = self.address.rpartition(":")
        known = self.address in ("local", "auto") or (host and port.isdecimal())
        require(bool(known), "executor.address", self.address, "local, auto or host:port")
        joins = self.address != "local" and self.workers is not None
        require(not joins, "executor.workers", self.workers, "null when a cluster is joined: it has its own workers")


@dataclass(frozen=True)
class Config:
    name: str = "default"
    outputs_root: str = "outputs"
    until: Until = Until.rank
    game: GameConfig = field(default_factory=GameConfig)
    mode: ModeConfig = field(default_factory=ModeConfig)
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    rank: RankConfig = field(default_factory=RankConfig)
    executor: ExecutorConfig = field(default_factory=ExecutorConfig)

    def __post_init__(self) -> None:
        plain = self.name and not self.name.startswith(".") and Path(self.name).name == self.name
        require(bool(plain), "name", self.name, "one folder name below outputs_root")


def require(holds: bool, key: str, value: object, wanted: str) -> None:
    if not holds:
        raise ConfigError(f"{key}={'null' if value is None else value}: must be {wanted}")


def register_schema() -> None:
    ConfigStore.instance().store(name="schema", node=Config)


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


def check_overrides(overrides: Iterable[str]) -> None:
    """Raises ConfigError at the first override with an unknown key, group or choice, also one added with a plus."""
    parser = OverridesParser.create()
    keys, groups = set(config_keys(Config)), group_choices(shipped("conf"))
    for text in overrides:
        try:
            override = parser.parse_override(text)
        except OverrideParseException:
            raise ConfigError(f"{text!r} is not key=value; try `python -m pipeline --help`") from None
        key = override.key_or_group
        if key == "hydra" or key.startswith("hydra."):
            continue
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
    return {group.name: sorted(file.stem for file in group.glob("*.yaml")) for group in folder.iterdir() if group.is_dir()}
