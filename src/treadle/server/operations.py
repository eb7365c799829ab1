"""What is told of each operation: in a sentence, what it takes, and how it answers. A row an endpoint.

Knows nothing of how the endpoints work, nor of how the document is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

Answer = tuple[str, Mapping[str, str | None]]
"""In a sentence, and by media type the schema; None: text."""

_JSON: Final = "application/json"
_STREAM: Final[Mapping[str, str | None]] = {"text/event-stream": "StreamEvent", "application/x-ndjson": "Event"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row."""

    summary: str
    answers: Mapping[int, Answer]
    parameters: tuple[str, ...] = ()
    body: str | None = None
    body_required: bool = True


OPERATIONS: Final[Mapping[str, Operation]] = {
    "start_run": Operation(
        summary="Start a run, or join the one that this key began.",
        body="Start",
        parameters=("follow", "integers"),
        answers={
            200: ("The run that was there, or the events of the run.", {_JSON: "Started", **_STREAM}),
            201: ("A new run.", {_JSON: "Started"}),
        },
    ),
    "list_runs": Operation(
        summary="Where runs stand, newest first.",
        parameters=("thread_id", "state", "before", "limit"),
        answers={200: ("A page of them.", {_JSON: "Runs"})},
    ),
    "read_run": Operation(
        summary="A run at a glance: where it stands, and what it has said by now.",
        parameters=("integers",),
        answers={200: ("The run.", {_JSON: "Run"})},
    ),
    "delete_run": Operation(
        summary="Delete a final run, or what it remembered and never showed.",
        parameters=("facts_only",),
        answers={204: ("It is deleted.", {})},
    ),
    "read_events": Operation(
        summary="The events of a run behind a cursor, live to the end of the segment or of the run.",
        parameters=("last_event_id", "after", "follow", "integers", "ticket"),
        answers={
            200: ("The events, each once and in order.", _STREAM),
            204: ("All of them were read, and none will come.", {}),
        },
    ),
    "cancel_run": Operation(
        summary="Ask a run to stop. It is cancelled when its log says so.",
        body="Cancel",
        body_required=False,
        answers={
            200: ("The run is final already.", {_JSON: "CancelTaken"}),
            202: ("The wish is kept until the run hears it.", {_JSON: "CancelTaken"}),
        },
    ),
    "read_pauses": Operation(
        summary="What a run waits for people to say, for whoever may answer.",
        parameters=("integers",),
        answers={200: ("The open pauses, each with its token.", {_JSON: "Pauses"})},
    ),
    "answer_pauses": Operation(
        summary="Answer pauses of a run, all of the body or none of it. The run goes on when none is open.",
        body="Answers",
        answers={200: ("The answers were taken.", {_JSON: "AnswersTaken"})},
    ),
    "issue_ticket": Operation(
        summary="A ticket for the events of a run, for a reader that can send no headers.",
        answers={201: ("A ticket.", {_JSON: "Ticket"})},
    ),
    "read_thread": Operation(
        summary="What was said in a thread: its newest runs, the oldest of them first.",
        parameters=("limit", "integers"),
        answers={200: ("The thread.", {_JSON: "Thread"})},
    ),
    "delete_thread": Operation(
        summary="Delete every run of a thread; none of them where one is live.",
        answers={204: ("They are deleted.", {})},
    ),
    "list_agents": Operation(summary="Who may be asked.", answers={200: ("The agents.", {_JSON: "Agents"})}),
    "scrape": Operation(summary="What was counted.", answers={200: ("For Prometheus.", {"text/plain": None})}),
}
