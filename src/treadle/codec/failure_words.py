"""The code of a run's failure to a sentence for people: the same each time, and nobody else's words.

In: a code. Out: a sentence. What a provider or a tool said is not in it; a wire that may tell that adds it itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RESTARTED: Final = "restarted"
"""The code of a response that ends because what it has told was taken back, on a wire that cannot take text back."""
CANCELLED: Final = "cancelled"
DECISION_DUE: Final = "decision_due"
"""The code of a response that ends at a pause which its reader can do nothing about."""

_WORDS: Final[Mapping[str, str]] = {
    "model_busy": "the model is overloaded",
    "model_timeout": "the model could not be reached in time",
    "upstream_error": "the model failed",
    "upstream_truncated": "the model broke off in the middle of its answer",
    "stalled": "the model sent nothing for too long",
    "model_refused": "the model refused the request",
    "model_missing": "the model cannot run here",
    "model_garbled": "the model sent what cannot be read",
    "bad_output": "the answer has not the form that it is to have",
    "length": "the answer reached the model's own limit and was cut",
    "content_filter": "the model's filter cut the answer",
    "limit_rounds": "the run used up its rounds",
    "limit_tool_calls": "the run used up its tool calls",
    "limit_tokens": "the run used up its tokens",
    "limit_wall_clock": "the run took longer than it may",
    "limit_output_bytes": "the run said more than it may",
    "worker_lost": "the run was lost with its worker, again and again",
    "pause_expired": "nobody answered in time",
    "internal": "a part of this side failed",
    "stopping": "this server stops; the run goes on without it",
    "forbidden": "whoever reads may not go on",
    CANCELLED: "the run was stopped",
    RESTARTED: "what was said is void: the answer is being made again",
    DECISION_DUE: "the run waits for a decision that cannot be given here",
}


def failure_words(code: str) -> str:
    """The sentence of a code; one that says little for a code that has none."""
    return _WORDS.get(code, "the run failed")
