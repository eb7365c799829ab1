"""The page of errors, the tree, and the sentences of the command say the same."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from treadle import errors
from treadle.cli.failures import SENTENCES
from treadle.errors import ModelError, TreadleError
from treadle.values.limits import Limit

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
RUN_CODES = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", PAGE, re.MULTILINE))
EXCEPTIONS = {name: (code, again) for name, code, again in re.findall(r"`(\w+)` \| `(\w+)` \| (yes|no) \|", PAGE)}
ALL = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, TreadleError)]


def test_every_exception_is_on_the_page_with_its_code() -> None:
    """Ours: the tree is documented, whole."""
    assert {kind.__name__: (kind.code, "yes" if kind.retryable else "no") for kind in ALL} == EXCEPTIONS


def test_every_end_that_a_model_or_a_limit_gives_is_on_the_page() -> None:
    """Ours: a code without a line is a code nobody can look up."""
    models = {kind.code: kind.error_class for kind in ALL if issubclass(kind, ModelError)}
    assert models.items() <= RUN_CODES.items()
    assert {limit.value for limit in Limit} <= RUN_CODES.keys()


def test_the_command_has_a_sentence_for_every_code_of_the_page() -> None:
    """Ours: whoever sees a code is told what it means."""
    assert RUN_CODES.keys() <= SENTENCES.keys()
