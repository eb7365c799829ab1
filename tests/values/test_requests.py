"""What a caller asks, and what a model is told."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.values.ids import NO_RUN, RunId
from treadle.values.mappings import EMPTY
from treadle.values.model import ModelTurn
from treadle.values.requests import (
    Attachment,
    HistoryMessage,
    PromptAssembly,
    TurnMessage,
    TurnRequest,
    UserMessage,
    assemble,
)

RUN = RunId("r1")
messages: st.SearchStrategy[HistoryMessage] = st.builds(UserMessage, text=st.text(max_size=5)) | st.builds(
    lambda text: TurnMessage(turn=ModelTurn(text=text)), st.text(max_size=5)
)
turn_requests = st.builds(
    TurnRequest,
    prompt=st.text(max_size=5),
    attachments=st.lists(st.builds(Attachment, media_type=st.just("text/plain"), url=st.just("x:f"))).map(tuple),
    history=st.lists(messages, max_size=3).map(tuple),
    run_id=st.just(RUN),
    root_run_id=st.just(RUN),
)


@given(turn_requests, st.none() | st.text(max_size=5), st.lists(st.text(max_size=5), max_size=2).map(tuple))
def test_the_same_plan_and_request_give_the_same_prompt(
    request: TurnRequest, instructions: str | None, recalled: tuple[str, ...]
) -> None:
    """Ours: assembly is a pure function of plan, request and what memory gave."""
    made = assemble(instructions=instructions, request=request, recalled=recalled)
    assert made == assemble(instructions=instructions, request=request, recalled=recalled)
    assert made == PromptAssembly(
        instructions=instructions,
        prompt=request.prompt,
        attachments=request.attachments,
        history=request.history,
        system_blocks=recalled,
    )


def test_a_caller_gives_no_instructions() -> None:
    """Ours: instructions are the plan's, so changing them needs a recompile."""
    assert not [field.name for field in fields(TurnRequest) if "instruct" in field.name or "system" in field.name]


def test_a_request_names_its_run() -> None:
    """Ours: everything of a run is counted under its id."""
    with pytest.raises(ValueError, match="run_id must name the run"):
        TurnRequest(prompt="hi", run_id=NO_RUN, root_run_id=RUN)


def test_the_properties_of_a_request_are_frozen() -> None:
    """Ours: a request does not change under way."""
    mine = {"tags": ["a"]}
    request = TurnRequest(prompt="hi", run_id=RUN, root_run_id=RUN, properties=mine)
    mine["tags"].append("b")
    assert request.properties == {"tags": ("a",)}
    assert TurnRequest(prompt="hi", run_id=RUN, root_run_id=RUN).properties is EMPTY


@pytest.mark.parametrize(("data", "url"), [(b"", ""), (b"x", "x:f")], ids=["neither", "both"])
def test_an_attachment_is_either_here_or_there(data: bytes, url: str) -> None:
    """Ours: legal if it exists."""
    with pytest.raises(ValueError, match="data or url"):
        Attachment(media_type="text/plain", data=data, url=url)


def test_an_attachment_holds_its_bytes_or_says_where_they_are() -> None:
    """Ours: both ways are fine, one at a time."""
    assert Attachment(media_type="text/plain", data=b"x").url == ""
    assert Attachment(media_type="text/plain", url="x:f").data == b""
