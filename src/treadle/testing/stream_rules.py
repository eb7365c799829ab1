"""What a segment of a run may say, and in which order.

In: what a stream says, in the common terms of the two vocabularies. Out: violations, as sentences, each with its place.

Rules:
    end        exactly one closing event, the last
    messages   opened and ended in turn, ascending; an attempt that is retracted needs no end; speech stands inside one
    calls      `CallBrackets`; all settled before the next message opens and before the end, but for those of a pause
    text       the outcome's text is all text that was not retracted, joined; its answer is that of the last round
    pieces     none is empty

Source: docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Collection

from treadle.testing.call_brackets import CallBrackets


class StreamRules:
    """One segment, held to its rules as it is told."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.place = ""
        """Where the stream is, for the violations found there."""
        self.is_closed = False
        self._begun = False
        self.calls = CallBrackets(self.report)
        self._message: tuple[str, int] | None = None
        self._open = False
        self._places: list[tuple[str, int]] = []
        self._texts: list[str] = []

    def report(self, problem: str) -> None:
        """Write a violation down."""
        self.problems.append(f"{self.place}: {problem}" if self.place else problem)

    def begin_event(self, place: str) -> None:
        """The next event."""
        self.place = place
        if self.is_closed:
            self.report("comes after the closing event")

    def begin(self) -> None:
        """The run starts here."""
        self._first("a run starts")

    def resume(self) -> None:
        """The run goes on here after a pause."""
        self._first("a run is resumed")
        self.calls.carries = True

    def other(self) -> None:
        """Anything that has no rule of its own."""
        self._begun = True

    def open_message(self, message: str, attempt: int | None = None) -> None:
        """A model is asked."""
        self._begun = True
        if self._open and self._message is not None:
            self.report(f"message {message!r} opens while {self._message[0]!r} is open")
        self.calls.end(f"message {message!r}")
        before = self._message[1] if self._message is not None and self._message[0] == message else 0
        if attempt is not None and attempt <= before:
            self.report(f"attempt {attempt} at message {message!r} comes after attempt {before}")
        if not self._places or self._places[-1][0] != message:
            if any(known == message for known, _ in self._places):
                self.report(f"message {message!r} opens again after another")
            self._places.append((message, len(self._texts)))
        self._message, self._open = (message, attempt or 0), True

    def end_message(self, message: str) -> None:
        """A model's turn is over."""
        if not self._open or self._message is None or self._message[0] != message:
            self.report(f"message {message!r} ends and is not open")
        self._open = False

    def retract(self, message: str) -> None:
        """What was shown of a message is void."""
        begins = [place for known, place in self._places if known == message]
        if not begins:
            self.report(f"message {message!r} is retracted and was never opened")
            return
        if self._places[-1][0] != message:
            self.report(f"message {message!r} is retracted and is not the last")
        del self._texts[begins[-1] :]
        self.calls.retract(message)
        self._open = False

    def text(self, piece: str) -> None:
        """A piece of text."""
        self._speech("text", piece)
        self._texts.append(piece)

    def speech(self, kind: str, piece: str) -> None:
        """A piece of anything else that a model says."""
        self._speech(kind, piece)

    def announce(self, call_id: str, name: str) -> None:
        """The model speaks of a call."""
        self._inside("a call is announced")
        self.calls.announce(call_id, name, self._message[0] if self._message else "")

    def close(self, outcome: str, *, text: str, answer: str, waiting: Collection[str] = ()) -> None:
        """The closing event."""
        if outcome == "paused":
            self.calls.end("the pause", waiting=waiting)
        else:
            self.calls.end("the end")
        if self._open and self._message is not None:
            self.report(f"message {self._message[0]!r} is open at the end")
        shown = "".join(self._texts)
        if not (text.endswith(shown) if self.calls.carries else text == shown):
            self.report(f"the outcome's text is {_short(text)}, shown was {_short(shown)}")
        if self._places:
            last = "".join(self._texts[self._places[-1][1] :])
            # A last round of which nothing was shown leaves no event; its answer is empty.
            if answer != last and (answer or outcome == "done"):
                self.report(f"the answer is {_short(answer)}, the last round showed {_short(last)}")
        self.is_closed = True

    def finish(self) -> list[str]:
        """Nothing more comes; all violations."""
        self.place = ""
        if not self.is_closed:
            self.report("no closing event")
        return self.problems

    def _first(self, what: str) -> None:
        if self._begun:
            self.report(f"{what} in mid stream")
        self._begun = True

    def _speech(self, kind: str, piece: str) -> None:
        self._inside(f"{kind} comes")
        if not piece:
            self.report(f"{kind} is empty")

    def _inside(self, what: str) -> None:
        self._begun = True
        if not self._open:
            self.report(f"{what} outside of a message")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:28]} … {text[-28:]}")
