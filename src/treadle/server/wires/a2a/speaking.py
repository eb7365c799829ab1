"""How one request of A2A is spoken: its version, its binding, its extensions; and answers in that form.

In: a request that was let in. Out: results, streams and faults in its envelope. Knows nothing of what is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from treadle.codec.foreign import json_text
from treadle.framing.sse import encode_comment
from treadle.projections.a2a.faults import FAULTS, Fault, path_error
from treadle.projections.a2a.parse import shape_of_version
from treadle.projections.a2a.pauses import no_token
from treadle.projections.a2a.rpc import BEHIND, Call
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.wire import EXTENSION, Shape
from treadle.server.delivery import Form
from treadle.server.folded_feed import FoldedTelling, sse_framed
from treadle.server.visit import Visit
from treadle.server.wires.a2a.mounted import Mounted
from treadle.server.wires.a2a.refusals import Told
from treadle.server.wires.a2a.telling import Around, folded, task_telling
from treadle.server.wires.streaming import LEFT_STATUS
from treadle.values.runs import RunState

VERSION: Final = "A2A-Version"
EXTENSION_HEADERS: Final[Mapping[Shape, str]] = {
    Shape.V1_0: "A2A-Extensions",
    Shape.V0_3: "X-A2A-Extensions",
    Shape.V0_3_REST: "X-A2A-Extensions",
}
_MEDIA_TYPES: Final[Mapping[Shape, str]] = {
    Shape.V1_0: "application/a2a+json",
    Shape.V0_3: "application/json",
    Shape.V0_3_REST: "application/json",
}
_BROKEN: Final[Mapping[str, str]] = {
    "forbidden": "whoever reads may not any more",
    "stopping": "this server stops, and the task goes on: subscribe to it again",
}
_NOT_KEPT: Final = {"cache-control": "no-store"}


def version_said(request: Request) -> str | None:
    """What a client says is its version: a header, or a parameter of the query."""
    return request.headers.get(VERSION) or request.query_params.get(VERSION)


def shape_said(request: Request) -> Shape:
    """The form that goes with it.

    Raises:
        FaultError: The version is not spoken here.
    """
    return shape_of_version(version_said(request))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One request.

    Shape: `call` is the call of JSON-RPC that it is; None where a path says what is asked for.
    """

    visit: Visit
    agent: str
    mounted: Mounted
    shape: Shape
    call: Call | None = None

    @property
    def before(self) -> str:
        """What stands before a result."""
        return "" if self.call is None else self.call.before

    @property
    def behind(self) -> str:
        """What stands behind it."""
        return "" if self.call is None else BEHIND

    def asks_for_details(self, extensions: tuple[str, ...] = ()) -> bool:
        """Whether the client asks for the extension: in a header of either spelling, or in its message."""
        said = [one for name in EXTENSION_HEADERS.values() for one in self.visit.request.headers.getlist(name)]
        return EXTENSION in (*extensions, *(uri.strip() for header in said for uri in header.split(",")))

    def telling(self, run: RunState, **how: Any) -> TaskTelling:  # noqa: ANN401 (fields of a telling)
        """How a run is told to whoever asks."""
        around = Around(before=self.before, behind=self.behind)
        token_of = self.visit.runs.token_of if self.visit.may_answer else no_token
        return task_telling(run, self.shape, around, token_of=token_of, **how)

    def folded(self, telling: TaskTelling) -> FoldedTelling:
        """The same, behind the exposure of the mount."""
        return folded(telling, self.mounted.exposure)

    def result(self, json: str) -> Response:
        """An answer with a result, without its envelope."""
        return self.body(f"{self.before}{json}{self.behind}")

    def body(self, json: str | None) -> Response:
        """An answer with a result in its envelope; None for a client that has left."""
        if json is None:
            return Response(status_code=LEFT_STATUS)
        kind = "application/json" if self.call is not None else _MEDIA_TYPES[self.shape]
        return Response(json.encode(), media_type=kind, headers=_NOT_KEPT)

    def form(self, first: str | None = None) -> Form:
        """The form of a stream. `first` is a frame that is known before the run has said anything."""
        early = encode_comment("treadle") + (b"" if first is None else sse_framed([first]).encode())
        return Form(media_type="text/event-stream", early=early, heartbeat=encode_comment(), broken=self._broken)

    def headers(self, *, details: bool) -> dict[str, str]:
        """Headers of a stream: which extensions are active."""
        return {EXTENSION_HEADERS[self.shape].lower(): EXTENSION} if details else {}

    def _broken(self, code: str) -> bytes:
        message = _BROKEN.get(code, "this server failed; whoever runs it finds why")
        if self.call is not None:
            return sse_framed(
                [self.call.failed(Fault.INTERNAL, message, shape=self.shape, details={"code": code})]
            ).encode()
        error = json_text(path_error(Fault.INTERNAL, message, self.shape, details={"code": code}))
        return f"event: error\ndata: {error}\n\n".encode()


def failed_call(call: Call, told: Told, shape: Shape) -> Response:
    """The answer of JSON-RPC with a fault: 200, but where the server refuses of itself."""
    body = call.failed(told.fault, told.message, shape=shape, details=told.details)
    return Response(
        body.encode(),
        status_code=told.status or 200,
        media_type="application/json",
        headers={**told.headers, **_NOT_KEPT},
    )


def failed_path(told: Told, shape: Shape) -> Response:
    """The answer of a path with a fault."""
    body = json_text(path_error(told.fault, told.message, shape, details=told.details, status=told.status))
    return Response(
        body.encode(),
        status_code=told.status or FAULTS[told.fault].status,
        media_type="application/json",
        headers={**told.headers, **_NOT_KEPT},
    )
