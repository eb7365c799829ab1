"""A provider on loopback that fails as it is told to, and the scenarios it knows.

    async with FaultServer() as server:
        ...  # point a client at server.base_url and name a scenario as its model

Knows nothing of agents: whatever speaks a dialect it knows can be tried on it.
"""

from treadle.testing.faults.catalogue import SCENARIOS
from treadle.testing.faults.dialect import Ask, BadAskError, Dialect
from treadle.testing.faults.ledger import Exchange, Stats
from treadle.testing.faults.openai_chat import OpenAIChat
from treadle.testing.faults.scenario import (
    Expected,
    Scenario,
    attempts,
    call,
    calls,
    counts,
    done,
    fails,
    reply,
    say,
    stream,
    think,
)
from treadle.testing.faults.server import FaultServer
from treadle.testing.faults.steps import (
    ABSENT,
    LEAK_MARK,
    Calls,
    Chunk,
    Comment,
    Counts,
    Delta,
    Done,
    Eof,
    ErrorChunk,
    Finish,
    Fragment,
    Head,
    KeepOpen,
    Raw,
    Reply,
    Reset,
    RoleOnly,
    Stall,
    Status,
    Step,
    Text,
    Think,
    Turn,
    Usage,
)

__all__ = [
    "ABSENT",
    "LEAK_MARK",
    "SCENARIOS",
    "Ask",
    "BadAskError",
    "Calls",
    "Chunk",
    "Comment",
    "Counts",
    "Delta",
    "Dialect",
    "Done",
    "Eof",
    "ErrorChunk",
    "Exchange",
    "Expected",
    "FaultServer",
    "Finish",
    "Fragment",
    "Head",
    "KeepOpen",
    "OpenAIChat",
    "Raw",
    "Reply",
    "Reset",
    "RoleOnly",
    "Scenario",
    "Stall",
    "Stats",
    "Status",
    "Step",
    "Text",
    "Think",
    "Turn",
    "Usage",
    "attempts",
    "call",
    "calls",
    "counts",
    "done",
    "fails",
    "reply",
    "say",
    "stream",
    "think",
]
