"""The explorer and the report in a real browser: three games, by clicking and by keyboard, and no console error.

Screenshots, light and dark, desktop and phone, are left in outputs/screenshots/.
"""

import base64
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import naive
from tests.runs import ROOT, await_that, finished

pytestmark = pytest.mark.browser
SHOTS = ROOT / "outputs" / "screenshots"
ANSWERS = (ROOT / "data" / "original_answers.txt").read_text().split()
HOSTILE = ["<script>", "</style>", "<img/src", "&lt;b&gt", "]]></svg"]
SIZES = {"desktop": (1200, 900, False), "phone": (390, 844, True)}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    finished(folder, "+experiment=exact_opening", "openers=[salet]", "name=salet", "executor=serial")
    finished(folder, "+experiment=smoke", "name=toy")
    (folder / "words.txt").write_text("\n".join(HOSTILE))
    hostile = ("game.guesses=words.txt", "game.answers=null", "game.rule=wordle", "game.max_guesses=null")
    finished(folder, "+experiment=smoke", "name=hostile", *hostile)
    return folder / "outputs"


@pytest.fixture
def browser() -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert program, "chromium is missing; run make test-browser"
    assert driver, "chromedriver is missing; run make test-browser"
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield made
        said = [entry["message"] for entry in made.get_log("browser")]
        assert said == [], "the console must stay empty"
    finally:
        made.quit()


def opened(browser: Any, path: Path) -> Callable[[str], Any]:
    """The page from disk; returns how an element is found by a CSS selector."""
    browser.get(path.as_uri())
    return lambda selector: browser.find_element("css selector", selector)


def responses(game: list[str]) -> list[str]:
    """What the game answers to each guess, by the naive twin; the last guess is the answer."""
    codes = [naive.wordle(guess, game[-1]) for guess in game]
    return ["".join("byg"[code // 3**i % 3] for i in (4, 3, 2, 1, 0)) for code in codes]


def game_of(outputs: Path, answer: str) -> list[str]:
    lines = (outputs / "salet" / "tree.csv").read_text().splitlines()
    return next(line.split(",") for line in lines if line.endswith(f",{answer}"))


def play(outputs: Path, find: Callable[[str], Any], answer: str, enter: Callable[[str], None]) -> None:
    """One whole game; what the page shows is checked at every turn."""
    game = game_of(outputs, answer)
    left = [line.split(",") for line in (outputs / "salet" / "tree.csv").read_text().splitlines()]
    for turn, (guess, response) in enumerate(zip(game, responses(game), strict=True), start=1):
        total = sum(len(played) - turn + 1 for played in left)
        assert find("#guess").text == guess
        assert find("#next").text == guess
        assert find("#left").text == f"{len(left):,}"
        assert find("#expected").text == f"{total / len(left):.4f} = {total:,} / {len(left):,}"
        assert find("#allowed").text == str(7 - turn)
        assert sorted(find("#answers").text.split()) == sorted(played[-1] for played in left)
        if turn > 2:
            assert "unknown" in find("#best").text
        else:
            assert find("#best td.word").text == guess
            assert find("#best td.n").text == f"{total:,}"
        enter(response)
        left = [played for played in left if responses([*played[:turn], played[-1]])[turn - 1] == response]
    assert find("#status").text == f"Solved in {len(game)} guesses: {answer}."


def test_a_game_by_clicking_letters(browser: Any, outputs: Path) -> None:
    find = opened(browser, outputs / "salet" / "tree.html")

    def click(response: str) -> None:
        for i, mark in enumerate(response):
            for _ in range("byg".index(mark) + 1):
                find(f"#tiles button:nth-child({i + 1})").click()
        find("#go").click()

    play(outputs, find, "jiffy", click)


def test_a_game_by_picking_responses(browser: Any, outputs: Path) -> None:
    find = opened(browser, outputs / "salet" / "tree.html")
    play(outputs, find, "baker", lambda response: find(f"#responses button[data-response={response}]").click())
    browser.execute_script("window.scrollTo(0, 0)")
    find("#history li:nth-child(2) button").click()  # back to the second guess
    assert find("#guess").text == game_of(outputs, "baker")[1]


def test_a_game_by_keyboard(browser: Any, outputs: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    find = opened(browser, outputs / "salet" / "tree.html")
    body = find("body")
    play(outputs, find, "alive", lambda response: body.send_keys(response, Keys.ENTER))
    body.send_keys(Keys.ESCAPE)
    assert find("#guess").text == "salet"
    body.send_keys("ggggy", Keys.ENTER)
    assert find("#status").text == "No answer on the list gives ggggy here."
    body.send_keys(*[Keys.BACKSPACE] * 5, "01", "b", Keys.BACKSPACE)
    assert find("#typed").get_attribute("value") == "by"
    find("#typed").clear()
    find("#typed").send_keys("BYBBB", Keys.ENTER)
    assert find("#left").text == str(sum(naive.wordle("salet", word) == 27 for word in ANSWERS))


def test_five_best_guesses_search_and_browse(browser: Any, outputs: Path) -> None:
    find = opened(browser, outputs / "salet" / "tree.html")
    assert find("#claim").text == "2,315 answers, total 7,920, mean 3.4212, at most 5 guesses."
    assert [row.text for row in browser.find_elements("css selector", "#best tr")][1:] == ["salet 7,920 3.4212"]
    find("#responses button[data-response=bbbbb]").click()
    assert len(browser.find_elements("css selector", "#best tr")) == 6
    find("#wanted").send_keys("jiffy\n")
    assert "jiffy takes 5 guesses." in find("#game").text
    find("#wanted").clear()
    find("#wanted").send_keys("<b>x</b>\n")
    assert find("#game").text == "<b>x</b> is not in the answer list."
    closed = find("#browse details details summary")
    closed.click()
    inner = "#browse details details li"
    await_that(lambda: bool(browser.find_elements("css selector", inner)), 5, lambda: "the branch stays empty")


def test_themes_and_contrast(browser: Any, outputs: Path) -> None:
    find = opened(browser, outputs / "salet" / "tree.html")
    back = "return getComputedStyle(document.body).backgroundColor"
    find("#theme").click()
    light = browser.execute_script(back)
    find("#theme").click()
    assert browser.execute_script(back) != light
    green = "return getComputedStyle(document.documentElement).getPropertyValue('--green')"
    before = browser.execute_script(green)
    find("#contrast").click()
    assert browser.execute_script(green) != before
    assert find("#contrast").get_attribute("aria-pressed") == "true"


def test_pegs(browser: Any, outputs: Path) -> None:
    find = opened(browser, outputs / "toy" / "tree.html")
    assert find("#guess").text == "12"
    for impossible in ("0+3", "2+1", "0+12"):
        find("#typed").send_keys(f"{impossible}\n")
        assert "Solved" not in find("#status").text
        assert find("#guess").text == "12"
        find("#typed").clear()
    find("#typed").send_keys("2+0\n")
    assert find("#status").text == "Solved in 1 guess: 12."


def test_words_are_never_markup(browser: Any, outputs: Path) -> None:
    find = opened(browser, outputs / "hostile" / "tree.html")
    assert sorted(find("#answers").text.split()) == sorted(HOSTILE)
    assert browser.find_elements("css selector", "main img") == []
    opened(browser, outputs / "hostile" / "report.html")
    assert "<script>" in browser.find_element("css selector", "main").text
    assert browser.find_elements("css selector", "main script, main img") == []


def test_nothing_is_loaded_and_the_page_is_small(browser: Any, outputs: Path) -> None:
    for name in ("tree.html", "report.html"):
        opened(browser, outputs / "salet" / name)
        assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
        assert (outputs / "salet" / name).stat().st_size < 1_500_000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screenshots_and_no_sideways_scrolling(browser: Any, outputs: Path, size: str, scheme: str) -> None:
    width, height, is_phone = SIZES[size]
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    SHOTS.mkdir(parents=True, exist_ok=True)
    for name in ("tree", "report"):
        find = opened(browser, outputs / "salet" / f"{name}.html")
        if name == "tree":
            find("body").send_keys("bbbbb\n")
            find("body").send_keys("bgb")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": False})
        (SHOTS / f"{name}-{size}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))
