"""Error codes to fixed sentences, and to what a person may do about them.

In: what a run said about its own end. Out: one line. The text of a foreign error never stands in it: it may hold keys,
addresses, and anything a provider likes to say.
"""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    "bad_output": "the model's answer is not the output that the agent declares",
    "bad_plan": "the declared agent cannot run",
    "bad_request": "the request was not understood",
    "agent_not_found": "no agent of this name is served",
    "content_filter": "the model provider cut the answer by its content filter",
    "fenced": "another worker has taken the run over",
    "illegal_state": "a rule of the run was broken: a fault of treadle",
    "internal": "the run failed for a reason of its own: a fault of treadle or of a part it was given",
    "length": "the answer reached the model's own limit of length and was cut",
    "limit_output_bytes": "the run said more than its limit of output allows",
    "limit_rounds": "the run used up its limit of rounds",
    "limit_tokens": "the run used up its limit of tokens",
    "limit_tool_calls": "the run used up its limit of tool calls",
    "limit_wall_clock": "the run took longer than its limit of time",
    "misuse": "a rule of treadle was broken by the code around it",
    "model_busy": "the model provider is overloaded or limits the rate of requests",
    "model_garbled": "the model provider sent what cannot be read",
    "model_missing": "the local model cannot run here",
    "model_refused": "the model provider refused the request",
    "model_timeout": "the model provider could not be reached in time, or the connection broke",
    "pause_expired": "nobody answered in time",
    "run_log": "the log of the run could not be written or read",
    "stalled": "the model provider sent nothing for too long",
    "toolbox_unreachable": "a tool server cannot be reached",
    "upstream_error": "the model provider failed",
    "upstream_truncated": "the model provider's stream broke off before its end",
    "worker_lost": "the process that ran it was lost",
}
UNKNOWN_CODE = "the run failed"


def failure_line(code: str, *, reference: str | None = None, hint: str = "") -> str:
    """The line for a run that ended `error`: code, sentence, reference and hint, the last two where there are any."""
    told = f"error: {code}: {SENTENCES.get(code, UNKNOWN_CODE)}"
    if reference:
        told += f" (reference {reference})"
    return f"{told}; {hint}" if hint else told
