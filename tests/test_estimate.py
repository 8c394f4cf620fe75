"""Estimates: the arithmetic of samples, and runs that foretell themselves."""

import json
from pathlib import Path

import pytest

from pipeline.stages.estimate import Kind, clock, drawn, estimated, timed
from tests.runs import finished


def test_a_sample_of_everything_is_certain() -> None:
    kind = Kind(3, (1.0, 2.0, 6.0))
    assert (kind.seconds, kind.squared_error) == (9.0, 0.0)
    estimate = estimated([kind], 3)
    assert (estimate.cpu_seconds, estimate.low) == (9.0, 3.0)
    assert estimate.low <= estimate.seconds <= estimate.high


def test_a_part_of_it_has_the_error_of_its_mean() -> None:
    kind = Kind(100, (1.0, 3.0))
    assert kind.seconds == 200
    assert kind.squared_error == pytest.approx(100 * 98 * 2.0 / 2)
    assert Kind(10, (2.0,)).squared_error == 400  # one alone says nothing of the spread


def test_errors_of_kinds_add_as_squares_and_the_sample_is_a_lower_bound() -> None:
    one = Kind(10, (2.0,))
    assert estimated([one, one], 1).high - 4.0 == pytest.approx(40 + 2 * 800**0.5)
    assert estimated([one, one], 1).low == 4.0


def test_sampling_ends_with_patience_but_tries_one() -> None:
    ran: list[int] = []
    assert len(timed(ran.append, range(5), end=-1.0)) == 1
    assert ran == [0]
    assert sorted(drawn(range(6), 10)) == list(range(6))
    assert drawn(range(1000), 5) == drawn(range(1000), 5)
    assert drawn(range(1000), 5) != list(range(5))


@pytest.mark.parametrize(
    ("seconds", "text"), [(3.14, "3.1 seconds"), (45, "45 seconds"), (600, "10.0 minutes"), (1e6, "11.6 days")]
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_a_search_foretells_itself(tmp_path: Path) -> None:
    proof = ("+experiment=exact_opening", "game=wordle_answers", "top=60", "export.trees=0", "verify=none")
    arguments = (*proof, "estimate=true", "executor=serial")
    text = finished(tmp_path, *arguments)
    assert "estimate: about " in text
    assert "CPU-seconds, from " in text
    told = json.loads((tmp_path / "outputs" / "exact_opening" / "estimate.json").read_text())
    assert told["low"] <= told["seconds"] <= told["high"]
    assert ("within the range" in text) == told["is_within"]
    edge = 0.05  # `took` is rounded to a tenth
    if min(abs(told["took"] - told["low"]), abs(told["took"] - told["high"])) > edge:
        assert told["is_within"] == (told["low"] <= told["took"] <= told["high"])
    assert told["cpu_seconds"] < 20 * told["took"] + 20  # the right order of magnitude, on a busy machine too
    assert set(told["etas"]) == {"25%", "50%", "75%"}
    again = finished(tmp_path, *arguments)  # everything is known: nothing to compare with
    assert "the range" not in again
    assert json.loads((tmp_path / "outputs" / "exact_opening" / "estimate.json").read_text())["is_within"] is None


def test_a_simulation_foretells_itself(tmp_path: Path) -> None:
    text = finished(tmp_path, "+experiment=smoke", "until=simulate", "estimate=true")
    assert "estimate: about " in text
    assert "the range" in text
