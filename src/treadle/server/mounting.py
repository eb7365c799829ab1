"""A wire at a path: what a server is told to speak beside kernel events, and what it may say there.

In: nothing. Out: values. Which routes a wire has stands in `wires/`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from treadle.errors import PlanError
from treadle.values.exposure import Exposure

_PATH: Final = re.compile(r"(/[A-Za-z0-9._~-]+)+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One wire of a server.

    Shape: `wire` is its name: `agui`, `vercel`, `openai`. Without a `path` it is at `/` and its name; without an
        `exposure` it says what a wire of its kind says by default. `settings` are a value of the wire's own kind, for
        those that take some.

    Raises:
        PlanError: The path is none.
    """

    wire: str
    path: str = ""
    exposure: Exposure | None = None
    settings: object | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.path or f"/{self.wire}")
        if not _PATH.fullmatch(self.path):
            said = f"the path of a mount begins with / and does not end with it, as in '/agui', not {self.path!r}"
            raise PlanError((said,))
