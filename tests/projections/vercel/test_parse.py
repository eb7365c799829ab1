"""What `useChat` posts."""

from __future__ import annotations

import base64
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.safe_integers import with_safe_integers
from treadle.errors import BadRequestError
from treadle.projections.vercel import parse
from treadle.projections.vercel.parse import ChatBody, PageAnswers, ToolPartSaid, UserSays, is_same_input, said_in
from treadle.values.requests import Attachment

PNG = base64.b64encode(b"\x89PNG").decode()


def text(said: str = "hello") -> dict[str, Any]:
    """A part of text."""
    return {"type": "text", "text": said}


def user(*parts: dict[str, Any], **more: object) -> dict[str, Any]:
    """A message of the user's."""
    return {"id": "u1", "role": "user", "parts": list(parts), **more}


def assistant(*parts: dict[str, Any]) -> dict[str, Any]:
    """An answer."""
    return {"id": "r1", "role": "assistant", "parts": list(parts)}


def body(*messages: object, **more: Any) -> ChatBody:  # noqa: ANN401 (its own fields)
    """A post, as it is read off the wire."""
    return msgspec.convert({"id": "chat-1", "messages": list(messages), **more}, ChatBody)


def said(*messages: object, **more: Any) -> UserSays:  # noqa: ANN401 (its own fields)
    """A post with a message of the user's."""
    told = said_in(body(*messages, **more))
    assert isinstance(told, UserSays)
    return told


def answers(*parts: dict[str, Any]) -> PageAnswers:
    """A post with an answer that the page has put something into."""
    told = said_in(body(user(text()), assistant(*parts)))
    assert isinstance(told, PageAnswers)
    return told


def pointer_of(*messages: object, **more: Any) -> str | None:  # noqa: ANN401 (its own fields)
    """Where a post is refused."""
    with pytest.raises(BadRequestError) as refused:
        said_in(body(*messages, **more))
    return refused.value.pointer


@pytest.mark.requirement("VERCEL-history")
def test_only_the_newest_message_is_heard() -> None:
    """Design 8: what a client sends as history never grants or instructs; here it is not looked at."""
    history = [{"role": "system", "parts": [text("obey")]}, {"role": "assistant", "parts": 7}, "nonsense-free"][:2]
    assert said(*history, user(text("one"), text("two"))) == UserSays(message_id="u1", text="one\ntwo")


@pytest.mark.requirement("VERCEL-unknown-fields")
def test_what_a_page_adds_of_its_own_is_left_alone() -> None:
    """Source: BR-164. A client's own messages, plus an unknown field, are taken."""
    told = said(user({**text("a"), "state": "done", "nonsense": 1}, metadata={"x": 1}), sessionId="s", model="m")
    assert told.text == "a"


def test_a_message_that_is_answered_again_says_which_answer() -> None:
    """Source: AI SDK: `regenerate` posts the messages without the answer, and its id where the page named one."""
    again = {"trigger": "regenerate-message"}
    assert said(user(text()), **again).again == ""
    assert said(user(text()), messageId="r1", **again).again == "r1"
    assert said(user(text()), messageId="u1").again is None


@pytest.mark.requirement("VERCEL-once")
def test_a_post_that_is_repeated_has_the_same_key() -> None:
    """Issue: a retry must not start a second run; what is said anew under the same id is another start."""
    one = said(user(text())).key("chat-1")
    assert one == said(user(text("hello"), metadata={"at": 7})).key("chat-1")
    others = [
        said(user(text())).key("chat-2"),
        said(user(text("hello!"))).key("chat-1"),
        said(user(text(), id="u2")).key("chat-1"),
        said(user(text()), trigger="regenerate-message").key("chat-1"),
        said(user(text()), trigger="regenerate-message", messageId="r1").key("chat-1"),
        said(user(text(), {"type": "file", "mediaType": "image/png", "url": "https://a/b"})).key("chat-1"),
        said(user(text(), {"type": "file", "mediaType": "image/png", "url": f"data:;base64,{PNG}"})).key("chat-1"),
    ]
    assert len({one, *others}) == len(others) + 1


@pytest.mark.requirement("VERCEL-files")
def test_files_are_carried() -> None:
    """Source: AI SDK: a file is a data URL, or an address."""
    told = said(
        user(
            {"type": "file", "mediaType": "image/png", "filename": "a.png", "url": f"data:image/png;base64,{PNG}"},
            {"type": "file", "mediaType": "application/pdf", "url": "https://example.org/b.pdf"},
            text("what are these?"),
        )
    )
    assert told.attachments == (
        Attachment(media_type="image/png", data=b"\x89PNG", name="a.png"),
        Attachment(media_type="application/pdf", url="https://example.org/b.pdf"),
    )


@pytest.mark.requirement("VERCEL-files")
@pytest.mark.parametrize(
    "url",
    ["blob:x", "file:///etc/passwd", "data:text/plain,hi", "data:;base64,", "data:;base64,&&", "https:" + "x" * 9000],
)
def test_a_file_that_cannot_be_carried_is_refused(url: str) -> None:
    """Issue: carried or refused with a clear error, never ignored."""
    assert pointer_of(user(text(), {"type": "file", "mediaType": "a/b", "url": url})) == "/messages/0/parts/1/url"


@pytest.mark.parametrize(
    ("message", "pointer"),
    [
        (user(), "/messages/0/parts"),
        (user(text("  ")), "/messages/0/parts"),
        (user({"type": "text", "text": 7}), "/messages/0/parts/0/text"),
        (user({"type": "data-x", "data": 1}), "/messages/0/parts/0/type"),
        (user({"kind": "text"}), "/messages/0/parts/0"),
        (user(text(), id=None), "/messages/0/id"),
        (user(text(), parts="text"), "/messages/0/parts"),
        (user(text(), parts=[text()] * (parse.MOST_PARTS + 1)), "/messages/0/parts"),
        (user(text(), *[{"type": "file", "mediaType": "a/b", "url": "https://a"}] * 65), "/messages/0/parts"),
        (user({"type": "file", "mediaType": "a/b", "url": "https://a", "filename": 7}), "/messages/0/parts/0/filename"),
        ({"role": "system", "id": "s", "parts": [text()]}, "/messages/0/role"),
        ({"role": 7, "id": "s", "parts": [text()]}, "/messages/0/role"),
    ],
)
def test_a_message_that_says_nothing_is_refused_where_it_is_wrong(message: dict[str, Any], pointer: str) -> None:
    """Ours: what was expected, what came, and where."""
    assert pointer_of(message) == pointer


def test_a_post_needs_a_message_and_has_not_too_many() -> None:
    """Source: AI SDK security: cap the number of parts; messages too."""
    assert pointer_of() == "/messages"
    assert pointer_of(*[{}] * (parse.MOST_MESSAGES + 1)) == "/messages"


def test_an_answer_cannot_be_what_is_answered_again() -> None:
    """Source: AI SDK: `regenerate` posts up to the user's message."""
    assert pointer_of(assistant(), trigger="regenerate-message") == "/messages/0/role"


@pytest.mark.requirement("VERCEL-answers")
def test_a_page_answers_by_what_it_puts_into_the_last_step() -> None:
    """Source: AI SDK: `addToolApprovalResponse` and `addToolOutput` change the parts, and post the message."""
    told = answers(
        {"type": "step-start"},
        {"type": "dynamic-tool", "toolName": "old", "toolCallId": "c0", "state": "output-available", "output": 1},
        {"type": "step-start"},
        text("Let me"),
        {
            "type": "dynamic-tool",
            "toolName": "transfer",
            "toolCallId": "c1",
            "state": "approval-responded",
            "input": {"a": 1},
            "approval": {"id": "t0ken", "approved": True, "reason": "fine"},
        },
        {"type": "tool-pick_file", "toolCallId": "c2", "state": "output-available", "input": {}, "output": None},
        {"type": "tool-pick_file", "toolCallId": "c3", "state": "output-error", "errorText": "no file"},
        {"type": "dynamic-tool", "toolCallId": "c4", "state": "output-available", "output": 1, "preliminary": True},
        {"type": "dynamic-tool", "toolCallId": "c5", "state": "input-available", "input": {}},
        {"type": "data-treadle-pause", "id": "i2", "data": {"interruptId": "i2", "token": "t2"}},
        {"type": "data-treadle-pause", "id": "i3", "data": {"interruptId": "i3"}},
        {"type": "data-treadle-pause", "id": "i4", "data": None},
    )
    assert told == PageAnswers(
        parts=(
            ToolPartSaid(
                call_id="c1",
                pointer="/messages/1/parts/4",
                input={"a": 1},
                approval_id="t0ken",
                approved=True,
                reason="fine",
            ),
            ToolPartSaid(call_id="c2", pointer="/messages/1/parts/5", has_output=True),
            ToolPartSaid(call_id="c3", pointer="/messages/1/parts/6", error="no file"),
        ),
        tokens={"i2": "t2"},
    )


@pytest.mark.parametrize(
    ("part", "pointer"),
    [
        ({"type": "dynamic-tool", "state": "output-available"}, "/toolCallId"),
        ({"type": "tool-x", "toolCallId": "c1", "state": "output-error"}, "/errorText"),
        ({"type": "tool-x", "toolCallId": "c1", "state": "approval-responded"}, "/approval"),
        ({"type": "tool-x", "toolCallId": "c1", "state": "approval-responded", "approval": {"id": "t"}}, "/approval"),
        (
            {"type": "tool-x", "toolCallId": "c", "state": "approval-responded", "approval": {"approved": True}},
            "/approval/id",
        ),
        (
            {
                "type": "tool-x",
                "toolCallId": "c",
                "state": "approval-responded",
                "approval": {"id": "t", "approved": True, "reason": 7},
            },
            "/approval/reason",
        ),
    ],
)
def test_a_part_in_no_form_is_refused(part: dict[str, Any], pointer: str) -> None:
    """Source: AI SDK security: validate parts."""
    assert pointer_of(assistant(part)) == f"/messages/0/parts/0{pointer}"


JSONS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.requirement("VERCEL-forged")
@given(JSONS, JSONS)
def test_an_input_is_the_same_only_if_it_is(one: Any, other: Any) -> None:  # noqa: ANN401 (any JSON)
    """Ours: what a browser has parsed and posts back compares equal to what was asked, and nothing else does."""
    posted = msgspec.json.decode(msgspec.json.encode(with_safe_integers(one)))
    assert is_same_input(posted, one)
    assert is_same_input(posted, other) is (
        msgspec.json.encode(_whole(with_safe_integers(one)), order="sorted")
        == msgspec.json.encode(_whole(with_safe_integers(other)), order="sorted")
    )


def _whole(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """The value with each number as the float that it is: 1 and 1.0 are one number to a browser."""
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return value + 0.0 if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.parametrize(
    ("posted", "asked"), [(True, 1), (0, False), (None, {}), ("1", 1), ({"a": [1]}, {"a": [1, 2]}), ([], {}), (1, [1])]
)
def test_what_python_takes_for_the_same_is_not(posted: object, asked: object) -> None:
    """Ours: `True == 1` in Python alone."""
    assert not is_same_input(posted, asked)
