"""An agent that reads whole answers and knows one rule for each fault: what the catalogue's expectations are held to.

It shares no code with the product. It reads an answer to its end before it looks at it, so it has none of a stream's
difficulties, and it is no model for one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from tests.testing.faults.raw_client import Answer, Json, RawClient
from treadle.testing.faults.scenario import Expected
from treadle.testing.faults.steps import Counts

TRIES = 3
ROUNDS = 3
PARAMETERS: dict[str, dict[str, type]] = {
    "add": {"a": int, "b": int},
    "lookup": {"q": str},
    "ping": {},
    "fail": {},
    "slow": {},
}
STATUS_CODES = {429: "model_busy", 503: "model_busy", 500: "upstream_error", 502: "upstream_error", 0: "upstream_error"}
KIND_CODES = {"overloaded_error": "model_busy", "invalid_request_error": "model_refused"}
USAGE_FIELDS = {
    "input_tokens": ("prompt_tokens",),
    "output_tokens": ("completion_tokens",),
    "total_tokens": ("total_tokens",),
    "cache_read_tokens": ("prompt_tokens_details", "cached_tokens"),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
}


class Call:
    """One call as it is gathered."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.call_ids: list[str] = []
        self.name = ""
        self.text = ""
        self.is_damaged = False

    @property
    def arguments(self) -> Json | None:
        """The arguments, None if they are no JSON object."""
        try:
            value = json.loads(self.text.strip() or "{}", parse_constant=_refuse)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    @property
    def is_open(self) -> bool:
        """Whether its text can still grow into an object."""
        return not self.text.strip() or self.arguments is None

    @property
    def may_run(self) -> bool:
        """Whether it is a call of a tool there is, with the arguments it takes."""
        arguments, wanted = self.arguments, PARAMETERS.get(self.name)
        if arguments is None or wanted is None or self.is_damaged:
            return False
        return arguments.keys() == wanted.keys() and all(type(arguments[key]) is kind for key, kind in wanted.items())


class Reading:
    """One answer, understood."""

    def __init__(self, answer: Answer) -> None:
        self.text = ""
        self.thinking = ""
        self.calls: list[Call] = []
        self.usage: Counter[str] = Counter()
        self.reported: set[str] = set()
        self.reason: str | None = None
        self.code: str | None = None
        self._read(answer)

    @property
    def is_blank(self) -> bool:
        """Whether nothing of it was shown."""
        return not (self.text or self.thinking or self.calls)

    def _read(self, answer: Answer) -> None:
        if answer.status != 200:
            self.code = STATUS_CODES.get(answer.status, "model_refused")
            return
        if not answer.headers["content-type"].startswith("text/event-stream"):
            self.code = "model_garbled"
            return
        for payload in answer.payloads:
            if payload == "[DONE]":
                self.reason = self.reason or "none"
                break
            self._read_chunk(payload)
            if self.code is not None:
                return
        if self.reason is None:
            self.code = "upstream_truncated"
        elif self.reason in ("length", "content_filter"):
            self.code = self.reason

    def _read_chunk(self, payload: str) -> None:
        try:
            chunk = json.loads(payload)
            choices = list(chunk.get("choices") or [])
        except (ValueError, TypeError):
            self.code = "model_garbled"
            return
        for choice in choices:
            delta = choice.get("delta") or {}
            self.text += delta.get("content") or ""
            self.thinking += delta.get("reasoning_content") or delta.get("reasoning") or ""
            for fragment in delta.get("tool_calls") or ():
                self._gather(fragment)
            self.reason = choice.get("finish_reason") or self.reason
        self._count(chunk.get("usage") or {})
        if error := chunk.get("error"):
            kind = error["type"] if isinstance(error, dict) else ""
            self.code = KIND_CODES.get(kind, "upstream_error")

    def _count(self, usage: Json) -> None:
        for name, path in USAGE_FIELDS.items():
            value: Any = usage
            for key in path:
                value = (value or {}).get(key)
            if value is not None:
                self.usage[name] = value
                self.reported.add(name)

    def _gather(self, fragment: Json) -> None:
        function = fragment.get("function") or {}
        index, call_id, name = fragment.get("index"), fragment.get("id") or "", function.get("name") or ""
        call = self._owner(index, call_id, name)
        if call is None:
            for each in self.calls:
                each.is_damaged = True
            return
        call.call_ids += [call_id] if call_id else []
        call.name = call.name or name
        call.text += function.get("arguments") or ""

    def _owner(self, index: int | None, call_id: str, name: str) -> Call | None:
        """Whose piece it is; None if that cannot be known."""
        known = [call for call in self.calls if call_id and call_id in call.call_ids]
        if known and not (name and index != known[-1].index):
            return known[-1]
        at_index = [call for call in self.calls if index is not None and call.index == index]
        still_open = [call for call in self.calls if call.is_open]
        if name and (call_id or not at_index):
            return self._opened(index)
        if at_index:
            return at_index[-1]
        if call_id:
            return self._opened(index)
        if len(still_open) == 1:
            return still_open[0]
        return self.calls[-1] if index is None and self.calls else None

    def _opened(self, index: int | None) -> Call:
        self.calls.append(Call(index))
        return self.calls[-1]


async def run(base_url: str, scenario: str) -> Expected:
    """Run one request against a scenario and say how it ended."""
    messages: list[Json] = [{"role": "user", "content": "Hi"}]
    text, thinking, requests, refused, cut = "", "", 0, 0, 0
    tools: Counter[str] = Counter()
    usage: Counter[str] = Counter()
    reported: set[str] = set()
    code: str | None = "limit_rounds"
    for _ in range(ROUNDS):
        for _ in range(TRIES):
            reading = await _ask(base_url, scenario, messages)
            requests += 1
            if not (reading.is_blank and reading.code in ("upstream_error", "upstream_truncated", "model_busy")):
                break
        text, thinking = text + reading.text, thinking + reading.thinking
        usage, reported = usage + reading.usage, reported | reading.reported
        if reading.code or not reading.calls:
            code, cut = reading.code, sum(bool(call.name) for call in reading.calls)
            break
        run_now = [call for call in reading.calls if call.may_run]
        tools.update(call.name for call in run_now)
        refused += len(reading.calls) - len(run_now)
        messages += _transcript(reading)
    thinking += "".join(re.findall("<think>(.*?)</think>", text))
    return Expected(
        outcome="error" if code else "done",
        code=code,
        text=_whole(re.sub("<think>.*?</think>", "", text)),
        thinking=thinking,
        tools=tuple(sorted(tools.items())),
        refused=refused,
        cut=cut,
        usage=Counts(**{name: usage[name] for name in reported}) if reported else None,
        requests=requests,
    )


async def _ask(base_url: str, scenario: str, messages: list[Json]) -> Reading:
    async with RawClient(base_url) as client:
        answer = await client.begin(scenario, messages=messages, stream_options={"include_usage": True})
        if answer.status == 200:
            await client.read_to_end_marker(answer)
        return Reading(answer)


def _transcript(reading: Reading) -> list[Json]:
    """The turn and its results, as a strict provider wants to be told them."""
    functions = [
        {"name": call.name or "unnamed", "arguments": json.dumps(call.arguments or {})} for call in reading.calls
    ]
    asked = [{"id": f"c{at}", "type": "function", "function": function} for at, function in enumerate(functions)]
    results = [{"role": "tool", "tool_call_id": f"c{at}", "content": "x"} for at in range(len(asked))]
    return [{"role": "assistant", "content": _whole(reading.text), "tool_calls": asked}, *results]


def _whole(text: str) -> str:
    """Bytes that were cut between deltas joined, halves of pairs joined or replaced."""
    joined = re.sub("[\udc80-\udcff]+", lambda found: _bytes(found[0]).decode("utf-8", "replace"), text)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _bytes(escaped: str) -> bytes:
    return bytes(ord(character) - 0xDC00 for character in escaped)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
