"""An agent as a tool of MCP."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_PAGE = "docs/protocols/mcp.md"
_SPEC = "MCP 2026-07-28 and 2025-11-25"

ROWS: dict[str, Requirement] = {
    "MCP-official": Requirement(
        source="promise: strict clients accept every stream",
        says="The types of the official client, of each version, take every message of calls over generated runs.",
    ),
    "MCP-fold": Requirement(
        source="design: law 6", says="The same log tells a call the same, however it was cut; the table is total."
    ),
    "MCP-envelope": Requirement(
        source="JSON-RPC 2.0",
        says="An id comes back as it came, type and all; what is no single message is refused with its own code.",
    ),
    "MCP-eras": Requirement(
        source=_SPEC,
        says="Both eras are spoken: each request alone with headers that say what its body says, or a session in the "
        "version that was agreed on; a version that is not spoken is refused with those that are.",
    ),
    "MCP-tool": Requirement(
        source=_PAGE, says="An agent is one tool, called as the agent: it takes a prompt and a name for a conversation."
    ),
    "MCP-call": Requirement(
        source=_SPEC,
        says="A call is answered by notifications and then one response under its id, on a stream that begins at once "
        "and is never silent for long; or by the response alone where the client takes no stream.",
    ),
    "MCP-arguments": Requirement(
        source=_SPEC,
        says="What is wrong with arguments, or a conversation that is busy, is a result marked as an error.",
    ),
    "MCP-progress": Requirement(
        source=_SPEC, says="Progress is told to calls with a token alone, bears it, and its numbers grow."
    ),
    "MCP-exposure": Requirement(
        source="design: exposure",
        says="Progress tells of tools as far as the mount may, and never what the model or a tool said.",
    ),
    "MCP-result": Requirement(
        source=_PAGE,
        says="The texts of a result are what was shown, in every ending; only a run that is done is no error.",
    ),
    "MCP-usage": Requirement(source=_PAGE, says="What was spent is that of the call, and absent where nobody said it."),
    "MCP-cut": Requirement(
        source=_PAGE, says="A result that clients would not read whole is cut, and a text in it says what is missing."
    ),
    "MCP-pause": Requirement(
        source=_SPEC,
        says="A pause asks the client: on the stream of its call in a session, else as `input_required` whose state "
        "comes back with the same call; the same run goes on, several pauses at once, each with its answer.",
    ),
    "MCP-forms": Requirement(
        source=_SPEC,
        says="What is asked is a flat form: questions as choices, leave as a boolean with the call shown whole, all "
        "else as its own fields or as JSON; decline is a no, cancel decides nothing.",
    ),
    "MCP-due": Requirement(
        source=_PAGE,
        says="Where a pause cannot be asked here (no capability, no right, not to be shown, too large, no answer came) "
        "the call ends with an error that says that a decision is due and where; the pause stays open.",
    ),
    "MCP-refusals": Requirement(
        source="promise: pauses are real",
        says="A forged, foreign, swapped, expired or used state or reply is refused by its code and changes nothing; "
        "a bad answer burns nothing; the same answer again by the same caller leads to the same run.",
    ),
    "MCP-session": Requirement(
        source=_SPEC,
        says="A session is of use to whoever opened it with its agent, bounded in number, and holds no run.",
    ),
    "MCP-resume": Requirement(
        source=_SPEC,
        says="In a session a broken stream is taken up behind the last id without a gap or a repeat; there is no other "
        "GET stream.",
    ),
    "MCP-cancel": Requirement(
        source=_SPEC,
        says="In a session a call is stopped by telling so and not by leaving; without one by closing its response, "
        "unless somebody else reads.",
    ),
    "MCP-retry": Requirement(
        source=_PAGE, says="A request that is sent again in its session is the same call; alone, each is a call."
    ),
    "MCP-errors": Requirement(
        source=_SPEC,
        says="A run's failure is a result with a code and a fixed sentence; a refusal is an error of the protocol with "
        "our code in its data, under the request's id; a stream that the server ends says so.",
    ),
    "MCP-url": Requirement(
        source=_SPEC,
        says="What a person must not type into a client (a secret, a login) is asked for by an address.",
        deferral="no pause asks for secrets: agents have no such kind of pause",
    ),
    "MCP-listen": Requirement(
        source=_SPEC,
        says="A client may listen for changes of the list of tools.",
        deferral="an agent is one tool for as long as its server runs: nothing changes",
    ),
}
