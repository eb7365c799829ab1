"""A caller for the fault server that shares no code with it: sockets, and the formats read naively."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Self

from treadle.testing.faults.scenario import Scenario, attempts, done
from treadle.testing.faults.server import FaultServer
from treadle.testing.faults.steps import Reply

Json = dict[str, Any]


@dataclass
class Answer:
    """What came back for one request."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)
    """The body, in the writes it came in."""
    ended: bool = False
    """Whether the body came to the end HTTP gives it."""

    @property
    def body(self) -> bytes:
        """The body, whole."""
        return b"".join(self.pieces)

    @property
    def payloads(self) -> list[str]:
        """The data of each event. What is no UTF-8 stands as surrogates, byte for byte."""
        text = self.body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        found = []
        for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n")[:-1]:
            lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
            found += ["\n".join(lines)] if lines else []
        return found

    @property
    def chunks(self) -> list[Json]:
        """The events that are JSON."""
        return [json.loads(payload) for payload in self.payloads if payload != "[DONE]"]

    @property
    def content(self) -> str:
        """The text of the events that are JSON."""
        choices = [choice for chunk in self.chunks for choice in chunk["choices"]]
        return "".join(choice["delta"].get("content", "") for choice in choices)


def server_of(**replies: Reply | tuple[Reply, ...]) -> FaultServer:
    """A server whose scenarios have one turn, with these replies."""
    turns = {name: several if isinstance(several, tuple) else (several,) for name, several in replies.items()}
    return FaultServer(
        scenarios={
            name: Scenario(name=name, says=name, turns=(attempts(*several),), expected=done(""))
            for name, several in turns.items()
        }
    )


class RawClient:
    """One connection to a fault server."""

    def __init__(self, base_url: str) -> None:
        self._port = int(base_url.split(":")[2].removesuffix("/v1"))

    async def __aenter__(self) -> Self:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *error: object) -> None:
        """Leave."""
        self._writer.close()

    async def ask(self, model: str, *, messages: list[Json] | None = None, **more: object) -> Answer:
        """Ask for a completion and read it to its end, whatever that is."""
        async with asyncio.timeout(5):
            answer = await self.begin(model, messages=messages, **more)
            await self.read_on(answer)
        return answer

    async def read_to_end_marker(self, answer: Answer) -> None:
        """Read the body up to the provider's end marker, or to its end if there is none."""
        try:
            while not answer.ended and b"[DONE]" not in b"".join(answer.pieces[-16:]):
                await self.read_piece(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            return

    async def begin(self, model: str, *, messages: list[Json] | None = None, **more: object) -> Answer:
        """Ask for a completion and read the head of the answer; status 0 if none comes."""
        asked = {"model": model, "messages": messages or [{"role": "user", "content": "Hi"}], "stream": True, **more}
        return await self.send("POST", "/v1/chat/completions", json.dumps(asked).encode())

    async def send(self, method: str, path: str, body: bytes = b"", *, headers: tuple[str, ...] = ()) -> Answer:
        """Send any request and read the head of the answer."""
        lines = [f"{method} {path} HTTP/1.1", "host: x", f"content-length: {len(body)}", *headers, "", ""]
        self._writer.write("\r\n".join(lines).encode() + body)
        answer = Answer()
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return answer
        status_line, *fields = head.decode().removesuffix("\r\n\r\n").split("\r\n")
        answer.status = int(status_line.split(" ")[1])
        answer.headers = dict(line.split(": ", 1) for line in fields)
        return answer

    async def read_on(self, answer: Answer) -> None:
        """Read the rest of the body."""
        try:
            if "content-length" in answer.headers:
                answer.pieces.append(await self._reader.readexactly(int(answer.headers["content-length"])))
                answer.ended = True
            while not answer.ended and answer.status:
                await self.read_piece(answer)
        except asyncio.IncompleteReadError as error:
            answer.pieces += [error.partial] if error.partial else []
        except ConnectionError:
            return

    async def read_piece(self, answer: Answer) -> None:
        """Read one write of the body."""
        size = int(await self._reader.readuntil(b"\r\n"), 16)
        piece = await self._reader.readexactly(size + 2)
        answer.ended = size == 0
        answer.pieces += [piece[:-2]] if size else []
