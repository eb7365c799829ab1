"""The demonstration, with scripts in the place of its model."""

from __future__ import annotations

import pytest

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.notation import parse_script
from treadle.app import demo
from treadle.cli.demonstrating import NO_TOOL, SHOWS, demonstrate
from treadle.cli.exits import ExitCode
from treadle.cli.views import form, looking

pytestmark = pytest.mark.requirement("CLI-16")


def shown(script: str) -> ExitCode:
    """Show the demo with a model that says this."""
    agent = demo.agent().with_model(ScriptedModel(parse_script(script)))
    with looking(form(json=False, events=False)) as view:
        return demonstrate(view, agent=agent)


def test_a_demo_whose_tool_ran_is_done(capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: one line says what it shows, and not on stdout."""
    assert shown('call: add {"a": 2750, "b": 1849}\n---\ntext: The sum is |4599.') is ExitCode.DONE
    said = capfd.readouterr()
    assert "The sum is 4599.\n" in said.out
    assert said.err == f"{SHOWS}\n"


@pytest.mark.parametrize(
    "script",
    [
        "text: The sum is 4599.",
        'call: add {"a": "no"}\n---\ntext: The sum is 4599.',
        "call: no_such_tool {}\n---\ntext: It is.",
    ],
)
def test_a_demo_whose_tool_did_not_run_is_an_error(script: str, capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: a right answer without the tool shows nothing."""
    assert shown(script) is ExitCode.ERROR
    assert capfd.readouterr().err.splitlines() == [SHOWS, NO_TOOL]


def test_a_demo_whose_run_fails_is_an_error_after_the_tool_too(capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: the run must be done as well."""
    assert shown('call: add {"a": 2750, "b": 1849}\n---\nerror: refused') is ExitCode.ERROR
    assert capfd.readouterr().err.splitlines()[1].startswith("error: model_refused: ")
