"""The machine's table, drawn into its page.

    python scripts/draw_machine.py          prints the diagram and the table
    python scripts/draw_machine.py write    writes them into docs/machine.md

In: the table of legal inputs. Out: a state diagram in Mermaid, and a table of every phase and input.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from treadle.kernel.transitions import TRANSITIONS, Phase

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "machine.md"
_MARKED: Final = "(<!-- drawn: {name} -->\n).*?(<!-- end -->)"


def diagram() -> str:
    """Draw every arrow that leads from one phase to another, one a pair of phases."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.NEW}"]
    for here in Phase:
        for there in Phase:
            kinds = [kind.__name__ for (at, kind), ends in TRANSITIONS.items() if at is here and there in ends]
            if kinds and here is not there:
                lines.append(f"    {here} --> {there}: {', '.join(kinds)}")
    lines.append(f"    {Phase.FINAL} --> [*]")
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


def table() -> str:
    """List what is legal in each phase, and where it may lead."""
    lines = ["| where the run stands | what it is told | where that may lead |", "|---|---|---|"]
    for (here, kind), ends in TRANSITIONS.items():
        leads = ", ".join(f"`{there}`" for there in Phase if there in ends)
        lines.append(f"| `{here}` | `{kind.__name__}` | {leads} |")
    return "\n".join(lines) + "\n"


def drawn(page: str) -> str:
    """The page with the diagram and the table as they are now."""
    for name, text in (("diagram", diagram()), ("table", table())):
        parts = re.split(_MARKED.format(name=name), page, flags=re.DOTALL)
        if len(parts) != 4:
            raise ValueError(f"the page needs one place for the {name}")
        page = "".join([parts[0], parts[1], text, parts[2], parts[3]])
    return page


def main() -> None:
    """Print them, or write them into the page."""
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(diagram() + "\n" + table())


if __name__ == "__main__":
    main()
