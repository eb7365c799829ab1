"""Every exception Treadle raises, as one tree.

The first level answers the first question of whoever catches: whose fault is it.
Expected ends of a run (a failed tool, a limit, a pause, a cancel) are values, not exceptions.

Source: docs/errors.md.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple


class TreadleError(Exception):
    """Root of the tree.

    `code` is stable and snake_case; the message is for people and carries no secret.
    """

    code: ClassVar[str] = "treadle_error"
    retryable: ClassVar[bool] = False


class MisuseError(TreadleError):
    """This side broke a rule: a bug. The runtime never catches it."""

    code = "misuse"


class StateError(MisuseError):
    """An input that is not legal in this state. Nothing has changed."""

    code = "illegal_state"

    def __init__(self, message: str, *, state: object = None, input: object = None) -> None:  # noqa: A002 (the word of the domain)
        super().__init__(message)
        self.state = state
        self.input = input


class PlanError(MisuseError):
    """The declared agent cannot run. All problems are told at once."""

    code = "bad_plan"

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class UnguardedError(MisuseError):
    """A server that anybody could reach was to start without asking anybody who they are."""

    code = "unguarded"


class PeerError(TreadleError):
    """The other side broke a rule or failed."""

    code = "peer_failed"


class ModelError(PeerError):
    """A model provider failed.

    The provider's own words stay in `detail` and `__cause__`; the message is ours and safe to show.
    """

    code = "upstream_error"
    error_class: ClassVar[str] = "infrastructure"

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.status = status
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        self.detail = detail


class ModelBusyError(ModelError):
    """The provider is overloaded or limits our rate."""

    code = "model_busy"
    retryable = True


class ModelTimeoutError(ModelError):
    """The provider could not be reached in time, or the connection broke before an answer."""

    code = "model_timeout"
    retryable = True


class ModelUnavailableError(ModelError):
    """The provider failed on its side (a 5xx, an error inside the stream)."""

    code = "upstream_error"
    retryable = True


class ModelTruncatedError(ModelError):
    """The stream ended with neither a finish reason nor the provider's end marker."""

    code = "upstream_truncated"
    retryable = True


class ModelRefusedError(ModelError):
    """The provider refused the request: bad key, unknown model, bad request."""

    code = "model_refused"
    error_class = "client"


class ModelMissingError(ModelError):
    """A model that runs on this machine cannot: a package or the weights are missing, or the processor is too old."""

    code = "model_missing"
    error_class = "client"


class ModelGarbledError(ModelError):
    """The provider sent what cannot be read."""

    code = "model_garbled"
    error_class = "model"


class ModelOutputError(ModelError):
    """The model's answer is not the output that its agent declares."""

    code = "bad_output"
    error_class = "model"
    retryable = True


class ToolboxError(PeerError):
    """A tool server cannot be reached. A tool's own failure is a value."""

    code = "toolbox_unreachable"


class BadRequestError(PeerError):
    """A client sent what its protocol forbids."""

    code = "bad_request"

    def __init__(self, message: str, *, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


class AgentNotFoundError(BadRequestError):
    """No agent of this name is served here."""

    code = "agent_not_found"


class AccessError(PeerError):
    """A client may not do what it asks for."""

    code = "access_refused"


class UnauthenticatedError(AccessError):
    """Nobody knows who asks. `challenge` is the value of the `WWW-Authenticate` header that goes with it."""

    code = "unauthenticated"

    def __init__(self, message: str, *, challenge: str = "Bearer") -> None:
        super().__init__(message)
        self.challenge = challenge


class TicketError(UnauthenticatedError):
    """The ticket is spent, too old, for another run, or none that was issued here."""

    code = "ticket_refused"


class ForbiddenError(AccessError):
    """Whoever asks is known, and may not do this."""

    code = "forbidden"


class HostRefusedError(AccessError):
    """The request names a host that this server does not answer for."""

    code = "host_refused"


class OriginRefusedError(AccessError):
    """A page of another origin asks for something that would change this side."""

    code = "origin_refused"


class AccessUnavailableError(PeerError):
    """Who asks cannot be found out: what vouches for them cannot be reached."""

    code = "access_unavailable"
    retryable = True


class CapError(PeerError):
    """A cap of the server is reached. `retry_after_s` says when it is worth another try; None: never."""

    code = "cap_reached"

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class BodyTooLargeError(CapError):
    """The body of a request is larger than it may be. It was not read to its end."""

    code = "body_too_large"


class BodyTooSlowError(CapError):
    """The body of a request did not arrive in time."""

    code = "body_too_slow"
    retryable = True


class RunTooLargeError(CapError):
    """The log of a run is as large as it may be: nothing more is taken in for it."""

    code = "run_too_large"


class TooManyRunsError(CapError):
    """Whoever asks has as many live runs as they may have."""

    code = "too_many_runs"
    retryable = True


class TooManyReadersError(CapError):
    """There are as many readers as there may be, of one principal or of all."""

    code = "too_many_readers"
    retryable = True


class TooManyTicketsError(CapError):
    """There are as many unspent tickets as there may be, of one principal or of all."""

    code = "too_many_tickets"
    retryable = True


class OutboundRefusedError(PeerError):
    """A client gave an address that this server does not call. The message says nothing of where it leads."""

    code = "outbound_refused"


class StoppingError(TreadleError):
    """The server is about to stop, or has not started yet: it takes no new work."""

    code = "stopping"
    retryable = True


class RunLogError(TreadleError):
    """The log of a run could not be written or read."""

    code = "run_log"


class RunNotFoundError(RunLogError):
    """No such run, or not for this scope."""

    code = "run_not_found"


class KeyReusedError(RunLogError):
    """The idempotency key stands for another request."""

    code = "key_reused"


class ThreadBusyError(RunLogError):
    """The thread has a live run, and its rule is to refuse another."""

    code = "thread_busy"


class PauseOpenError(ThreadBusyError):
    """The thread's live run waits for a person: a message is no answer, and grants nothing."""

    code = "pause_open"


class RunFinalError(RunLogError):
    """The run is final: it hears nothing more."""

    code = "run_final"


class RunLiveError(RunLogError):
    """The run is not final yet."""

    code = "run_live"


class StoreOwnedError(RunLogError):
    """Another process owns the store."""

    code = "store_owned"


class StoreFullError(RunLogError):
    """The store has no room to write. Nothing was written."""

    code = "store_full"
    retryable = True


class SchemaTooNewError(RunLogError):
    """The store was written by a newer version of this library."""

    code = "schema_too_new"


class CursorError(RunLogError):
    """A reader's cursor does not stand in this log. `reset_to` is one that does; None: begin anew."""

    code = "bad_cursor"

    def __init__(self, message: str, *, reset_to: str | None = None) -> None:
        super().__init__(message)
        self.reset_to = reset_to


class FencedError(RunLogError):
    """A newer owner holds the run; this one stops. Nothing was written."""

    code = "fenced"


class SequenceConflictError(RunLogError):
    """Other content stands at that place. Nothing was written."""

    code = "sequence_conflict"


class RecordFormatError(RunLogError):
    """A stored form that this version cannot read."""

    code = "record_format"

    def __init__(self, message: str, *, version: int | None = None) -> None:
        super().__init__(message)
        self.version = version


class ResumeError(TreadleError):
    """An answer to a pause was refused."""

    code = "resume_refused"


class PauseNotFoundError(ResumeError):
    """The run has never had a pause of this name. Nothing of what came with it was taken."""

    code = "pause_not_found"


class AnswerProblem(NamedTuple):
    """What is wrong with an answer; it names the question where there are several.

    Shape: `position` is the answer's place in its body, from 0. Both it and the pause are None for the body as a whole.
    """

    interrupt_id: str | None
    problem: str
    position: int | None = None


class BadAnswerError(ResumeError):
    """What was said is no answer to what was asked. Nothing was taken, and the tokens are as good as before."""

    code = "bad_answer"

    def __init__(self, problems: tuple[AnswerProblem | tuple[str | None, str], ...]) -> None:
        """`problems`: what is wrong, each with its pause; a pair where the place in a body is not known."""
        self.problems = tuple(AnswerProblem(*one) for one in problems)
        super().__init__("; ".join(f"{one.interrupt_id or 'answers'}: {one.problem}" for one in self.problems))


class TokenInvalidError(ResumeError):
    """The token is not one we made for this pause."""

    code = "token_invalid"


class TokenExpiredError(ResumeError):
    """The pause is over: nobody answered in time."""

    code = "token_expired"


class AlreadyAnsweredError(ResumeError):
    """The pause is settled: by an answer, or with its run.

    `taken` names the pauses whose answers in the same body had been taken before this one was seen to be settled.
    """

    code = "already_answered"

    def __init__(self, message: str, *, taken: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.taken = taken


class CancelAskedError(AlreadyAnsweredError):
    """The run was asked to stop before this answer came: it takes no more. `taken` as in `AlreadyAnsweredError`."""

    code = "cancel_asked"


class ToolError(Exception):
    """Raised by a tool to tell the model what went wrong, in these words.

    Of any other exception the model is told the class and a fixed sentence.
    """


class RunFailedError(TreadleError):
    """What `run()` raises for a run that ended `error`. `result` holds what was shown until then."""

    code = "run_failed"

    def __init__(self, message: str, *, result: Any) -> None:  # noqa: ANN401 (a result of a layer above)
        super().__init__(message)
        self.result = result
