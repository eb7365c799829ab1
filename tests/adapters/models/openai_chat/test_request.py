"""A question to the body of a request, one fact a test."""

import json
from typing import Any

import pytest

from treadle.adapters.models.openai_chat.payload import ChatPayload
from treadle.adapters.models.openai_chat.request import chat_messages, chat_tools
from treadle.errors import ModelRefusedError
from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId
from treadle.values.model import ModelTurn
from treadle.values.requests import Attachment, PromptAssembly, TurnMessage, UserMessage
from treadle.values.tools import ToolSpec


def _told(*turns: TurnMessage, tools: tuple[ToolSpec, ...] = ()) -> list[dict[str, Any]]:
    """What is told after the question."""
    messages = chat_messages(ModelRequest(prompt=PromptAssembly(prompt="?"), turns=turns, tools=tools))
    assert messages[0] == {"role": "user", "content": "?"}
    return messages[1:]


def _request(number: int, **fields: object) -> ToolRequest:
    made: dict[str, Any] = {"call_id": CallId(f"r1.c{number}"), "name": "f", "provider_id": f"p{number}"}
    return ToolRequest(**(made | fields))


def _outcome(number: int, **fields: object) -> ToolOutcome:
    made: dict[str, Any] = {"call_id": CallId(f"r1.c{number}")}
    return ToolOutcome(**(made | fields))


def _turn(*requests: ToolRequest, outcomes: tuple[ToolOutcome, ...] = (), **fields: object) -> TurnMessage:
    made: dict[str, Any] = {"tool_requests": requests}
    return TurnMessage(turn=ModelTurn(**(made | fields)), outcomes=outcomes)


def _attached(*attachments: Attachment, prompt: str = "look") -> list[object]:
    message = chat_messages(ModelRequest(prompt=PromptAssembly(prompt=prompt, attachments=attachments)))[0]
    return list(message["content"])


def test_a_request_says_everything_in_its_order() -> None:
    """System, history, question, then the turns of this run (ours)."""
    prompt = PromptAssembly(
        instructions="Be brief.",
        system_blocks=("Likes tea.", ""),
        history=(
            UserMessage(text="Hi"),
            TurnMessage(turn=ModelTurn(text="Hello")),
            UserMessage(text="Tell me"),
            TurnMessage(turn=ModelTurn(text="Once up", tool_requests=(_request(9),)), cut=True),
        ),
        prompt="And now?",
    )
    turn = _turn(_request(1, arguments={"a": [1, "é"]}), outcomes=(_outcome(1, content="3"),), text="Let me see")
    assert chat_messages(ModelRequest(prompt=prompt, turns=(turn,))) == [
        {"role": "system", "content": "Be brief.\n\nLikes tea."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Tell me"},
        {"role": "assistant", "content": "Once up"},
        {"role": "user", "content": "And now?"},
        {
            "role": "assistant",
            "content": "Let me see",
            "tool_calls": [
                {"id": "p1", "type": "function", "function": {"name": "f", "arguments": '{"a":[1,"é"]}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "p1", "content": "3"},
    ]


def test_without_instructions_there_is_no_system_message_and_an_empty_turn_is_left_out() -> None:
    """A message that says nothing is refused by some providers (ours)."""
    assert _told(_turn(), TurnMessage(turn=ModelTurn(tool_requests=(_request(1),)), cut=True)) == []


@pytest.mark.requirement("BR-052")
def test_results_follow_their_turn_in_call_order() -> None:
    """Whatever order they came in; a call alone has null for its text (field report)."""
    outcomes = (_outcome(2, content="b"), _outcome(1, content="a"))
    said, *results = _told(_turn(_request(1), _request(2), outcomes=outcomes))
    assert said["content"] is None
    assert [(result["tool_call_id"], result["content"]) for result in results] == [("p1", "a"), ("p2", "b")]


def test_a_call_whose_outcome_is_missing_still_has_a_result() -> None:
    """A call without one makes a provider refuse the request (ours)."""
    _, result = _told(_turn(_request(1)))
    assert json.loads(result["content"])["status"] == "unknown"


@pytest.mark.parametrize(
    ("outcome", "content"),
    [
        (_outcome(1, content="3 é \ud83d"), "3 é \ufffd"),
        (_outcome(1, content=""), ""),
        (_outcome(1, content=None), "null"),
        (_outcome(1, content={"a": [1, None]}), '{"a":[1,null]}'),
        (
            _outcome(1, status=ToolStatus.FAILED, error="no such city"),
            '{"status":"failed","error":"no such city"}',
        ),
        (_outcome(1, status=ToolStatus.DENIED, error="no"), '{"status":"denied","error":"no"}'),
    ],
)
def test_a_result_is_text_as_it_is_or_json(outcome: ToolOutcome, content: str) -> None:
    """An error names its status (ours)."""
    assert _told(_turn(_request(1), outcomes=(outcome,)))[1]["content"] == content


@pytest.mark.requirement("BR-040", "BR-041")
def test_call_ids_are_unique_in_a_request_and_alike_in_call_and_result() -> None:
    """One that is missing, or used before, is replaced by ours (field report)."""
    first = _turn(_request(1, provider_id="s:1"), outcomes=(_outcome(1),))
    second = _turn(
        _request(2, provider_id="s:1"),
        _request(3, provider_id=""),
        _request(4, provider_id="r1.c4"),
        _request(5, provider_id="r1.c4", call_id=CallId("r1.c4")),
        ToolRequest(name="f"),
        outcomes=(_outcome(2), _outcome(3), _outcome(4)),
    )
    messages = _told(first, second)
    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert calls == results == ["s:1", "r1.c2", "r1.c3", "r1.c4", "call_4", "call_5"]


def test_a_long_call_id_of_ours_is_cut_to_what_providers_take() -> None:
    """Its end tells it from others (ours)."""
    said, _ = _told(_turn(_request(1, provider_id="", call_id=CallId("x" * 60 + ".c1"))))
    assert said["tool_calls"][0]["id"] == "x" * 37 + ".c1"


def test_an_id_that_stands_in_for_one_is_itself_unique() -> None:
    """Whatever ids a provider gives (ours)."""
    said, *_ = _told(_turn(_request(1, provider_id="call_1"), ToolRequest(name="f"), ToolRequest(name="f")))
    assert [call["id"] for call in said["tool_calls"]] == ["call_1", "call_1_", "call_2"]


@pytest.mark.requirement("BR-043", "BR-044")
def test_arguments_go_back_as_json_objects() -> None:
    """Empty and damaged ones as an empty object: the result says what broke (field report)."""
    damaged = _request(2, damage="cut", raw_arguments='{"a')
    said, *_ = _told(_turn(_request(1), damaged, _request(3, arguments={"id": 2**70})))
    arguments = [call["function"]["arguments"] for call in said["tool_calls"]]
    assert arguments == ["{}", "{}", '{"id":1180591620717411303424}']


@pytest.mark.requirement("BR-050")
def test_a_name_that_a_model_made_up_is_written_as_providers_take_it() -> None:
    """A declared one stays as it is (field report)."""
    names = ["lookup", "no such tool", "", "a.b", "x" * 70]
    requests = [_request(at, name=name) for at, name in enumerate(names)]
    said, *_ = _told(_turn(*requests), tools=(ToolSpec(name="a.b", description="", parameters={}),))
    sent = [call["function"]["name"] for call in said["tool_calls"]]
    assert sent == ["lookup", "no_such_tool", "unnamed", "a.b", "x" * 64]


@pytest.mark.requirement("BR-053")
def test_what_a_provider_wants_back_goes_back_with_the_calls_it_belongs_to() -> None:
    """Reasoning in the field it came in, seals on their calls; a turn without calls needs neither (field report)."""
    seal = {"google": {"thought_signature": "s1"}}
    payload = ChatPayload(reasoning_field="reasoning_content", call_seals={"1": seal})
    said, *_ = _told(_turn(_request(1), _request(2), thinking="hm", payload=payload))
    assert said["reasoning_content"] == "hm"
    assert [call.get("extra_content") for call in said["tool_calls"]] == [None, seal]
    assert _told(_turn(text="a", thinking="hm", payload=payload)) == [{"role": "assistant", "content": "a"}]
    assert "reasoning_content" not in _told(_turn(_request(1), thinking="hm", payload=object()))[0]


@pytest.mark.requirement("BR-186")
def test_no_text_of_a_request_holds_half_a_surrogate_pair() -> None:
    """It could not be sent (field report)."""
    prompt = PromptAssembly(
        instructions="\ud83d", prompt="\ud83d", history=(TurnMessage(turn=ModelTurn(text="\ud83d")),)
    )
    told = chat_messages(ModelRequest(prompt=prompt))
    assert [message["content"] for message in told] == ["\ufffd", "\ufffd", "\ufffd"]
    failed = _outcome(1, status=ToolStatus.FAILED, error="\ud83d")
    json.dumps(_told(_turn(_request(1), outcomes=(failed,))), ensure_ascii=False).encode()


def test_files_stand_beside_the_words() -> None:
    """As parts; a question may be a file alone (API reference)."""
    assert _attached(
        Attachment(media_type="image/PNG", data=b"\x00\x01"),
        Attachment(media_type="image/jpeg", url="https://x.test/a.jpg"),
        Attachment(media_type="audio/mpeg", data=b"\x02"),
        Attachment(media_type="application/pdf; x=1", data=b"\x03", name="a.pdf"),
        Attachment(media_type="application/pdf", data=b"\x03"),
    ) == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAE="}},
        {"type": "image_url", "image_url": {"url": "https://x.test/a.jpg"}},
        {"type": "input_audio", "input_audio": {"data": "Ag==", "format": "mp3"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,Aw=="}},
        {"type": "file", "file": {"filename": "file.pdf", "file_data": "data:application/pdf;base64,Aw=="}},
    ]
    assert len(_attached(Attachment(media_type="image/png", data=b"\x00"), prompt="")) == 1


@pytest.mark.parametrize(
    "attachment",
    [
        Attachment(media_type="video/mp4", data=b"\x00"),
        Attachment(media_type="application/pdf", url="https://x.test/a.pdf"),
        Attachment(media_type="audio/wav", url="https://x.test/a.wav"),
    ],
)
def test_a_file_the_wire_cannot_carry_is_refused_before_anything_is_sent(attachment: Attachment) -> None:
    """It is not dropped in silence (ours)."""
    with pytest.raises(ModelRefusedError):
        _attached(attachment)


def test_a_tool_is_told_with_its_schema() -> None:
    """In plain dicts and lists (API reference)."""
    schema = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"]}
    (tool,) = chat_tools((ToolSpec(name="add", description="Add.", parameters=schema),))
    assert tool == {"type": "function", "function": {"name": "add", "description": "Add.", "parameters": schema}}
