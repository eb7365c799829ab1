"""Findings as a table: in a terminal, and as a page.

In: findings. Out: text. The page of findings that are all as expected is always the same, to the letter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from treadle.cli.conformance.beside import Comparison
from treadle.cli.conformance.cells import Absent, Cell, Client, Control, Row
from treadle.cli.conformance.judging import Finding
from treadle.cli.tables import table

NOT_THERE: Final = "n/a"
ALIKE: Final = "alike"

_HEAD: Final = """# The matrix

What each official client reports of each [scripted agent](testing.md#scripted-agents), wire by wire. Written by
`treadle conformance --write docs/matrix.md`, which [runs them all](cli.md#conformance); it is written only where every
cell came as expected and no client and no rule of [the kit](../conformance/README.md) found anything wrong.

`done`, `paused`, `cancelled`, `error` and `no_active_stream` are ends in good order. Behind an agent stands what is
done while it answers.
"""
_BESIDE: Final = """\
What the same clients are told by a server that is made of the parts of `{control.package}` {release} alone and plays
the same agents, held against what ours tells them: how it ends, states with their messages, text, artifacts, what is
asked, and the task that is kept. `alike` is the same but for ids, times, and the pieces that text is cut into. Else the
cell says how it ends there, and its note what differs; nothing else does.
"""

_CellOf = Callable[[Finding], tuple[str, Sequence[str]]]
"""What stands in a cell of the page, and for which reasons."""
_WordOf = Callable[[Finding], str]
"""What stands in a cell of a terminal."""


def for_people(findings: Sequence[Finding], *, terminal: bool) -> str:
    """A table a wire, and one a control."""
    told = []
    for wire, found in _by_wire(findings).items():
        told.append(_for_people(wire.upper(), found, _word, terminal=terminal))
        for control, beside in _by_control(found).items():
            told.append(_for_people(f"{wire.upper()} BESIDE {control.name}", beside, _word_beside, terminal=terminal))
    return "\n".join(told)


def problems(findings: Sequence[Finding]) -> Iterator[str]:
    """Everything that was found wrong, a line each."""
    for finding in findings:
        for problem in finding.all_problems:
            yield f"{finding.cell.label}: {problem}"


def markdown(findings: Sequence[Finding], pins: Mapping[str, str]) -> str:
    """The page. `pins` are the releases of the clients by their packages' names."""
    sections = [_HEAD]
    for wire, found in _by_wire(findings).items():
        heads = [_head(client, pins) for client in _clients(found)]
        sections.append(_section(wire, "", heads, found, _cell))
        for control, beside in _by_control(found).items():
            says = _BESIDE.format(control=control, release=pins[control.package])
            heads = [client.name for client in _clients(beside)]
            sections.append(_section(f"{wire} beside {control.name}", says, heads, beside, _cell_beside))
    return "\n".join(sections)


def expected(cells: Iterable[Cell]) -> list[Finding]:
    """What is found where all is as it should be."""
    return [_expected(cell) for cell in cells]


def _expected(cell: Cell) -> Finding:
    if isinstance(cell.wanted, Absent):
        return Finding(cell=cell, verdict="")
    usual = cell.wanted.verdict
    comparison = None if cell.beside is None else Comparison(verdict=cell.beside.verdict(usual))
    return Finding(cell=cell, verdict=usual, comparison=comparison)


def _section(title: str, says: str, heads: Sequence[str], found: Sequence[Finding], cell: _CellOf) -> str:
    clients = _clients(found)
    reasons: list[str] = []
    lines = [f"## {title}", "", *([says] if says else []), f"| agent | | {' | '.join(heads)} |"]
    lines.append("|---|---|" + "---|" * len(clients))
    for row, at in _by_row(found).items():
        words = [_numbered(*cell(at[client.name]), reasons) for client in clients]
        lines.append(f"| `{row.agent}` | {row.act} | {' | '.join(words)} |")
    notes = [f"{number}. {reason}" for number, reason in enumerate(reasons, 1)]
    return "\n".join([*lines, *(["", *notes] if notes else []), ""])


def _head(client: Client, pins: Mapping[str, str]) -> str:
    return f"{client.name}<br>`{client.package}` {pins[client.package]}" if client.package else client.name


def _numbered(word: str, why: Sequence[str], reasons: list[str]) -> str:
    """A word with the numbers of its reasons, which are kept as they come."""
    reasons += [reason for reason in why if reason not in reasons]
    return f"{word} ({', '.join(str(reasons.index(reason) + 1) for reason in why)})" if why else word


def _cell(finding: Finding) -> tuple[str, Sequence[str]]:
    wanted = finding.cell.wanted
    return (NOT_THERE, (wanted.reason,)) if isinstance(wanted, Absent) else (finding.verdict, ())


def _cell_beside(finding: Finding) -> tuple[str, Sequence[str]]:
    beside, comparison = finding.cell.beside, finding.comparison
    if beside is None or comparison is None:
        return _cell(finding)
    differs = any(not one.is_chance for one in beside.stated)
    return comparison.verdict if differs else ALIKE, beside.reasons


def _for_people(title: str, found: Sequence[Finding], word: _WordOf, *, terminal: bool) -> str:
    clients = _clients(found)
    rows = [
        [row.agent, row.act, *(NOT_THERE if (one := at.get(client.name)) is None else word(one) for client in clients)]
        for row, at in _by_row(found).items()
    ]
    return table([title, "", *(client.name for client in clients)], rows, terminal=terminal)


def _word(finding: Finding) -> str:
    word, _ = _cell(finding)
    return f"{word} !" if finding.problems else word


def _word_beside(finding: Finding) -> str:
    word, _ = _cell_beside(finding)
    if finding.comparison is None:
        return NOT_THERE
    return f"{finding.comparison.verdict} !" if finding.comparison.problems else word


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


def _by_control(findings: Sequence[Finding]) -> dict[Control, list[Finding]]:
    """The findings of each control's clients, those that are not there among them."""
    found: dict[Control, list[Finding]] = {}
    for control in {one.cell.beside.control: None for one in findings if one.cell.beside is not None}:
        found[control] = [one for one in findings if one.cell.client.name in control.clients]
    return found
