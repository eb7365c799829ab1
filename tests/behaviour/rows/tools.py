"""What an agent is declared to be: tools, plans, values that tools give, and the scripted model."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_FIELD = "ours, after what users of other frameworks reported"

ROWS: dict[str, Requirement] = {
    "TOOL-1": Requirement(
        source="ours", says="A function's signature and docstring say what the model is told; nothing is said twice."
    ),
    "TOOL-2": Requirement(
        source="ours",
        says="Unknown tools and arguments of a wrong type, missing or not declared never run; the model is told why.",
    ),
    "TOOL-3": Requirement(
        source="ours",
        says="An async generator's last yield is its result; every other is progress, as it was when yielded.",
    ),
    "TOOL-4": Requirement(source="ours", says="A tool speaks to the model by what it returns or by `ToolError`."),
    "PLAN-1": Requirement(source="ours", says="All problems of a declared agent are told at once."),
    "PLAN-2": Requirement(source="ours", says="Filters stand in the order think, block, citation, redact."),
    "PLAN-3": Requirement(
        source="ours", says="A plan's fingerprint is of the facts that decide answers, and of no others."
    ),
    "SCRIPT-1": Requirement(
        source="ours",
        says="A scripted model answers by the turns behind a run, so that runs do not disturb each other.",
    ),
    "SCRIPT-2": Requirement(source="ours", says="A script may break, raise or hang at any place."),
    "BR-008": Requirement(
        source=_FIELD, says="A stop reaches a blocking tool, and the call is over only once its thread has ended."
    ),
    "BR-177": Requirement(source=_FIELD, says="Tools see the context variables of their own run, in threads too."),
    "BR-182": Requirement(source=_FIELD, says="NaN and infinities become null, so that all JSON is strict."),
    "BR-183": Requirement(
        source=_FIELD, says="Dates, decimals, ids, enums, sets, bytes, data classes and models have one form each."
    ),
    "BR-186": Requirement(source=_FIELD, says="Half a surrogate pair is replaced and never breaks an encoder."),
    "BR-188": Requirement(source=_FIELD, says="Integers are exact from a tool to the log, to the model and back."),
}
