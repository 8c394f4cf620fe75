"""The README keeps its word: its Python runs, its pictures and files exist."""

import doctest
import re

from tests.runs import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def test_the_python_examples_run() -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    shared: dict[str, object] = {}
    for i, block in enumerate(re.findall(r"```python\n(.*?)```", README, re.DOTALL)):
        test = parser.get_doctest(block, shared, f"README block {i}", None, None)
        runner.run(test, clear_globs=False)
        shared = test.globs
    assert runner.summarize(verbose=False) == (0, runner.tries)
    assert runner.tries >= 15


def test_links_and_pictures_exist() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).is_file(), link
