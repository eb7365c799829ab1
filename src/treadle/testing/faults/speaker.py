"""One reply, carried out on one response.

In: the steps of a reply. Out: writes, and words in the exchange. Knows nothing of how a scenario was picked.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import assert_never

from treadle.testing.faults.cuts import Cutter
from treadle.testing.faults.dialect import Ask, Dialect
from treadle.testing.faults.ledger import Exchange
from treadle.testing.faults.response import Response
from treadle.testing.faults.steps import Comment, Eof, Head, KeepOpen, Raw, Reply, Reset, Speech, Stall, Status, Step


class Speaker:
    """Says one reply.

    Args:
        released: Gives the event that the stalls of this moment wait for.
    """

    def __init__(
        self,
        dialect: Dialect,
        ask: Ask,
        *,
        response: Response,
        exchange: Exchange,
        released: Callable[[], asyncio.Event],
    ) -> None:
        self._dialect = dialect
        self._ask = ask
        self._response = response
        self._exchange = exchange
        self._released = released

    async def speak(self, reply: Reply) -> None:
        """Say it all, and write down how it ended.

        Raises:
            CallerLeftError: The caller left before the end.
        """
        first = reply.steps[0] if reply.steps else None
        if isinstance(first, Status):
            body = self._dialect.refusal(first) if first.body is None else first.body
            headers, content_type = first.headers, first.content_type
            await self._response.send_whole(first.code, body, content_type=content_type, headers=headers)
            self._exchange.close("refused")
        elif self._ask.streamed:
            await self._stream(reply)
        else:
            await self._say_whole(reply)

    async def _stream(self, reply: Reply) -> None:
        cutter = Cutter(reply.write_bytes)
        for step in reply.steps:
            if isinstance(step, Speech | Comment | Raw):
                await self._send(cutter.feed(self._bytes_of(step, reply)))
                continue
            await self._send(cutter.flush())
            await self._act(step)
        await self._send(cutter.flush())
        if self._exchange.end == "running":
            await self._ensure_head()
            await self._response.end_body()
            self._exchange.close("complete")

    def _bytes_of(self, step: Speech | Comment | Raw, reply: Reply) -> bytes:
        if isinstance(step, Raw):
            return step.data
        if isinstance(step, Comment):
            frame = f": {step.text}\n\n".encode()
        else:
            frame = self._dialect.encode(step, self._ask)
            if frame:
                self._exchange.count_event()
        # JSON holds no raw line end, so these are the frame's own.
        return frame.replace(b"data: ", b"data:" + reply.after_colon, 1).replace(b"\n", reply.line_end)

    async def _act(self, step: Status | Head | Eof | Reset | Stall | KeepOpen) -> None:
        match step:
            case Head(content_type=content_type):
                await self._response.send_head(200, content_type=content_type)
            case Stall():
                await self._hold()
            case KeepOpen():
                self._exchange.close("complete")
                await self._hold()
                await self._response.end_body()
            case Eof(body_ended=True):
                await self._ensure_head()
                await self._response.end_body()
                self._exchange.close("cut")
            case Eof():
                self._exchange.close("cut")
            case Reset():
                self._response.reset()
                self._exchange.close("cut")
            case Status():
                raise AssertionError("a reply with a status has no other step")
            case _:
                assert_never(step)

    async def _hold(self) -> None:
        self._exchange.stall(stalled=True)
        try:
            await self._response.hold(self._released())
        finally:
            self._exchange.stall(stalled=False)

    async def _send(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            await self._ensure_head()
            await self._response.send_chunk(piece)
            # Let a caller in the same event loop read, and leave, between two writes.
            await asyncio.sleep(0)

    async def _ensure_head(self) -> None:
        if not self._response.head_sent:
            await self._response.send_head(200, content_type=Head().content_type)

    async def _say_whole(self, reply: Reply) -> None:
        """Answer a request that is not streamed: what cuts a stream cuts the body in the middle."""
        speech = [step for step in reply.steps if isinstance(step, Speech)]
        body = self._dialect.whole(speech, self._ask) if speech else b""
        if any(isinstance(step, Stall) for step in reply.steps):
            await self._hold()
        last: Step | None = reply.steps[-1] if reply.steps else None
        if not isinstance(last, Eof | Reset):
            await self._response.send_whole(200, body)
            self._exchange.close("complete")
            return
        if body:
            await self._response.send_head(200, content_type="application/json", length=len(body))
            await self._response.send_bytes(body[: len(body) // 2])
        if isinstance(last, Reset):
            self._response.reset()
        self._exchange.close("cut")
