"""The three ways to look at a run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from treadle.app.agent import Agent
from treadle.cli.exits import CommandMisuseError
from treadle.cli.views import Form, form, looking
from treadle.projections.typed.events import TextDelta as TypedText
from treadle.values.events import TextDelta as KernelText
from treadle.values.ids import RunId
from treadle.values.model import ModelItem


class Silent:
    """A model that is never asked."""

    name = "silent"

    async def ask(self, _: object) -> AsyncGenerator[list[ModelItem], None]:
        """Say nothing."""
        yield []


def test_the_two_options_name_a_form_each_and_not_both() -> None:
    """docs/cli.md: `--json | --events`."""
    assert form(json=False, events=False) is Form.PEOPLE
    assert form(json=True, events=False) is Form.STREAM_EVENTS
    assert form(json=False, events=True) is Form.KERNEL_EVENTS
    with pytest.raises(CommandMisuseError):
        form(json=True, events=True)


@pytest.mark.parametrize(
    ("wanted", "event", "shown"),
    [
        (Form.PEOPLE, KernelText(index=0, run_id=RunId("r1"), passage=1, text="é\x1b"), "é\\x1b"),
        (Form.STREAM_EVENTS, TypedText(text="é\n"), '{"type":"text_delta","text":"é\\n"}\n'),
        (
            Form.KERNEL_EVENTS,
            KernelText(index=7, run_id=RunId("r1"), passage=1, text="é"),
            '{"kind":"text_delta","index":7,"run_id":"r1","passage":1,"text":"é"}\n',
        ),
    ],
)
def test_a_view_shows_its_own_kind_of_event(
    capfd: pytest.CaptureFixture[str], wanted: Form, event: object, shown: str
) -> None:
    """docs/cli.md: what each form writes."""
    with looking(wanted) as view:
        asyncio.run(view.output.send(view.shows(event)))
    assert capfd.readouterr().out == shown


@pytest.mark.parametrize("wanted", list(Form))
def test_a_view_asks_the_agent_for_the_events_it_shows(wanted: Form) -> None:
    """Ours: scripts are given stream events or kernel events, and people are shown kernel events."""
    agent = Agent(name="a", model=Silent())  # type: ignore[arg-type] # it is never asked
    with looking(wanted) as view:
        run = view.opened(agent, "hi", ())
    assert run.run_id.startswith("r_")


def test_a_line_of_a_script_is_one_line_by_every_readers_idea(capfd: pytest.CaptureFixture[str]) -> None:
    """Ours: some readers take U+2028 or U+0085 for the end of a line."""
    with looking(Form.STREAM_EVENTS) as view:
        asyncio.run(view.output.send(view.shows(TypedText(text="a\u2028b\x85c\r\n"))))
    line = capfd.readouterr().out
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == "a\u2028b\x85c\r\n"


@pytest.mark.parametrize("wanted", list(Form))
def test_no_form_writes_a_control_code_of_a_text(capfd: pytest.CaptureFixture[str], wanted: Form) -> None:
    """Ours: JSON lets U+009B stand as it is, and it commands a terminal."""
    said = TypedText(text="\x9b2J") if wanted is Form.STREAM_EVENTS else _kernel_text("\x9b2J")
    with looking(wanted) as view:
        asyncio.run(view.output.send(view.shows(said)))
    assert "\x9b" not in capfd.readouterr().out


def test_only_people_are_shown_the_end_of_a_line_that_is_open() -> None:
    """Ours: a line of a script is whole when it is written."""
    with looking(Form.PEOPLE) as view:
        assert view.shows(_kernel_text("It is")) + view.ends() == "It is\n"
    for wanted in (Form.STREAM_EVENTS, Form.KERNEL_EVENTS):
        with looking(wanted) as view:
            assert view.ends() == ""


def _kernel_text(text: str) -> KernelText:
    return KernelText(index=0, run_id=RunId("r1"), passage=1, text=text)
