"""Findings as a table: in a terminal, and as a page.

In: findings. Out: text. The page of findings that are all as expected is always the same, to the letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from treadle.cli.conformance.cells import Absent, Cell, Client, Row
from treadle.cli.conformance.judging import Finding
from treadle.cli.tables import table

NOT_THERE: Final = "n/a"

_HEAD: Final = """# The matrix

What each official client reports of each [scripted agent](testing.md#scripted-agents), wire by wire. Written by
`treadle conformance --write docs/matrix.md`, which [runs them all](cli.md#conformance); it is written only where every cell
came as expected and no client and no rule of [the kit](../conformance/README.md) found anything wrong.

`done`, `paused`, `cancelled`, `error` and `no_active_stream` are ends in good order. Behind an agent stands what is done while
it answers.
"""


def for_people(findings: Sequence[Finding], *, terminal: bool) -> str:
    """A table a wire."""
    told = []
    for wire, found in _by_wire(findings).items():
        clients = _clients(found)
        rows = [
            [row.agent, row.act, *(_word(at.get(client.name)) for client in clients)]
            for row, at in _by_row(found).items()
        ]
        told.append(table([wire.upper(), "", *(client.name for client in clients)], rows, terminal=terminal))
    return "\n".join(told)


def problems(findings: Sequence[Finding]) -> Iterator[str]:
    """Everything that was found wrong, a line each."""
    for finding in findings:
        for problem in finding.problems:
            yield f"{finding.cell.label}: {problem}"


def markdown(findings: Sequence[Finding], pins: Mapping[str, str]) -> str:
    """The page. `pins` are the releases of the clients by their packages' names."""
    return "\n".join([_HEAD, *(_section(wire, found, pins) for wire, found in _by_wire(findings).items())])


def expected(cells: Iterable[Cell]) -> list[Finding]:
    """What is found where all is as it should be."""
    return [
        Finding(cell=cell, verdict="" if isinstance(cell.wanted, Absent) else cell.wanted.verdict) for cell in cells
    ]


def _section(wire: str, found: Sequence[Finding], pins: Mapping[str, str]) -> str:
    clients = _clients(found)
    reasons: list[str] = []
    lines = [f"## {wire}", "", f"| agent | | {' | '.join(_head(client, pins) for client in clients)} |"]
    lines.append("|---|---|" + "---|" * len(clients))
    for row, at in _by_row(found).items():
        words = [_cell(at[client.name], reasons) for client in clients]
        lines.append(f"| `{row.agent}` | {row.act} | {' | '.join(words)} |")
    notes = [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


def _head(client: Client, pins: Mapping[str, str]) -> str:
    return f"{client.name}<br>`{client.package}` {pins[client.package]}" if client.package else client.name


def _cell(finding: Finding, reasons: list[str]) -> str:
    wanted = finding.cell.wanted
    if not isinstance(wanted, Absent):
        return finding.verdict
    if wanted.reason not in reasons:
        reasons.append(wanted.reason)
    return f"{NOT_THERE} ({reasons.index(wanted.reason) + 1})"


def _word(finding: Finding | None) -> str:
    if finding is None or isinstance(finding.cell.wanted, Absent):
        return NOT_THERE
    return f"{finding.verdict} !" if finding.problems else finding.verdict


def _by_wire(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.cell.wire, []).append(finding)
    return found


def _by_row(findings: Sequence[Finding]) -> dict[Row, dict[str, Finding]]:
    found: dict[Row, dict[str, Finding]] = {}
    for finding in findings:
        found.setdefault(finding.cell.row, {})[finding.cell.client.name] = finding
    return found


def _clients(findings: Sequence[Finding]) -> list[Client]:
    return list({finding.cell.client.name: finding.cell.client for finding in findings}.values())
