"""The control of A2A: the server of the official Python SDK, and what is known to differ there.

Each statement holds in every cell that it names, and is held to it: where the difference is gone, the lap fails.
"""

from __future__ import annotations

from typing import Final

from treadle.cli.conformance.cells import Act, Control, Row, Stated
from treadle.cli.conformance.rows import ROWS

PYTHON_OLD: Final = frozenset({"Python, JSON-RPC, 0.3", "Python, REST, 0.3"})
PYTHON: Final = PYTHON_OLD | {"Python, JSON-RPC", "Python, REST"}
DRIVEN: Final = PYTHON | {
    "JavaScript, JSON-RPC",
    "JavaScript, REST",
    "JavaScript, JSON-RPC, 0.3",
    "JavaScript, REST, 0.3",
}

_ANSWERED: Final = Row("ask_user", Act.ANSWER)

CONTROL: Final = Control(
    name="a2a-sdk's server",
    script="a2a_server.py",
    package="a2a-sdk",
    clients=DRIVEN,
    stated=(
        Stated(
            reason="it gives no sign of life for 15 s, and the Python client waits for 5 s; ours gives one before that",
            rows=frozenset({Row("silence_8s")}),
            clients=PYTHON,
            fields=frozenset({"verdict", "violations", "steps", "text", "task", "history"}),
            verdict="truncated",
        ),
        Stated(
            reason="after an answer it begins with an update, where ours says the whole task first: who answers may be "
            "another than who asked",
            rows=frozenset({_ANSWERED}),
            fields=frozenset({"tasks"}),
        ),
        Stated(
            reason="the history of its task holds the answer as it was sent, that of ours how the pause was settled",
            rows=frozenset({_ANSWERED}),
            fields=frozenset({"history"}),
        ),
        Stated(
            reason="to a client that comes back it says the newest piece twice now and then: in the whole task, and as "
            "an update; `alike` but for that",
            rows=frozenset(row for row in ROWS if row.act is Act.COME_BACK),
            fields=frozenset({"seam", "fold"}),
            is_chance=True,
        ),
        Stated(
            reason="its layer for 0.3 says `final` of a task that is over and not of one that waits, where its stream "
            "ends as well; only the Python script looks at that",
            rows=frozenset({Row("ask_user"), _ANSWERED, Row("approval")}),
            clients=PYTHON_OLD,
            fields=frozenset({"violations"}),
        ),
    ),
)
