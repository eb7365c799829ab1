"""A whole lap: the scripted agents served, the chosen clients installed and run against them, and what came shown.

In: the words of the command. Out: a table, a page, and an exit code.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from treadle.cli.conformance import page
from treadle.cli.conformance.calling import Calls
from treadle.cli.conformance.cells import Absent, Cell, Control, Needs
from treadle.cli.conformance.installing import Kit, cache_folder, installed, pins, source
from treadle.cli.conformance.judging import Finding
from treadle.cli.conformance.lap import Servers, lapped
from treadle.cli.conformance.wires.table import WIRES, cells
from treadle.cli.demos.outcome import DemoFailedError
from treadle.cli.demos.server_process import ListeningProcess, ServerProcess
from treadle.cli.diagnostics import complain
from treadle.cli.exits import CommandMisuseError, ExitCode
from treadle.cli.output import for_people, for_scripts, is_terminal
from treadle.cli.store_choice import VARIABLE
from treadle.testing.scenarios import SCRIPTED_AGENTS

SERVED: Final = "treadle.testing.scenarios"
AGENTS: Final = tuple(one.name for one in SCRIPTED_AGENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the words of the command say."""

    wires: Sequence[str] = ()
    agents: Sequence[str] = ()
    write: Path | None = None
    reports: Path | None = None
    cache: Path | None = None
    as_json: bool = False


def lap(asked: Asked) -> ExitCode:
    """Run what was asked for. Error unless all is as expected.

    Raises:
        CommandMisuseError: There is no such wire or agent, or a client cannot be installed here.
    """
    chosen = _chosen(asked)
    findings = _found(chosen, asked)
    _show(findings, as_json=asked.as_json)
    wrong = list(page.problems(findings))
    for problem in wrong:
        complain(f"error: {problem}")
    if wrong:
        return ExitCode.ERROR
    if asked.write is not None:
        asked.write.write_text(page.markdown(findings, pins(source())), encoding="utf-8")
    return ExitCode.DONE


def _chosen(asked: Asked) -> list[Cell]:
    for what, names, known in (("wire", asked.wires, tuple(WIRES)), ("scripted agent", asked.agents, AGENTS)):
        if unknown := [name for name in names if name not in known]:
            raise CommandMisuseError(f"no {what} is called {unknown[0]!r}; there are {', '.join(known)}")
    if asked.write is not None and (asked.wires or asked.agents):
        raise CommandMisuseError("--write writes the whole page: leave WIRE and --agent out")
    return cells([name for name in WIRES if not asked.wires or name in asked.wires], agents=asked.agents)


def _found(chosen: Sequence[Cell], asked: Asked) -> list[Finding]:
    tried = [cell for cell in chosen if not isinstance(cell.wanted, Absent)]
    cache = asked.cache or cache_folder(os.environ)
    controls = list(
        {cell.beside.control.name: cell.beside.control for cell in tried if cell.beside is not None}.values()
    )
    needs = {cell.client.needs for cell in tried} | ({Needs.PYTHON} if controls else set())
    kit = installed(needs, cache=cache, say=complain)
    done = 0

    def tell(finding: Finding) -> None:
        nonlocal done
        if isinstance(finding.cell.wanted, Absent):
            return
        done += 1
        if sys.stderr.isatty() or finding.all_problems:
            wrong = f" ({len(finding.all_problems)} wrong)" if finding.all_problems else ""
            complain(f"{done}/{len(tried)} {finding.cell.label}: {finding.verdict}{wrong}")

    try:
        with _served(kit, controls, asked.reports) as servers:
            return lapped(chosen, servers, tell)
    except DemoFailedError as failure:
        raise CommandMisuseError(str(failure)) from None


@contextmanager
def _served(kit: Kit, controls: Sequence[Control], reports: Path | None) -> Iterator[Servers]:
    """Our server, and every control. Reports of a control are kept in a folder of its own below those of ours."""
    with TemporaryDirectory(prefix="treadle-conformance-") as made, ExitStack() as serving:
        folder = Path(made)
        variables = {VARIABLE: str(folder / "runs.db")}
        server = serving.enter_context(ServerProcess(SERVED, folder=folder, variables=variables))
        others: dict[str, Calls] = {}
        for control in controls:
            other = serving.enter_context(ListeningProcess(kit.control_line(control), folder=folder))
            kept = None if reports is None else _made(reports / control.package)
            others[control.name] = Calls(kit, other.url, reports=kept)
        yield Servers(ours=Calls(kit, server.url, reports=None if reports is None else _made(reports)), controls=others)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _show(findings: Sequence[Finding], *, as_json: bool) -> None:
    with for_scripts() if as_json else for_people() as output:
        told = _lines(findings) if as_json else page.for_people(findings, terminal=is_terminal())
        asyncio.run(output.send(told))


def _lines(findings: Sequence[Finding]) -> str:
    return "".join(f"{json.dumps(_facts(finding))}\n" for finding in findings)


def _facts(finding: Finding) -> dict[str, object]:
    cell, wanted = finding.cell, finding.cell.wanted
    is_absent = isinstance(wanted, Absent)
    return {
        "wire": cell.wire,
        "client": cell.client.name,
        "agent": cell.row.agent,
        "act": cell.row.act,
        "expected": None if isinstance(wanted, Absent) else wanted.verdict,
        "verdict": None if is_absent else finding.verdict,
        "problems": finding.problems,
        "absent": wanted.reason if isinstance(wanted, Absent) else None,
        "beside": _beside(finding),
    }


def _beside(finding: Finding) -> dict[str, object] | None:
    """What came of a cell beside its control."""
    beside, comparison = finding.cell.beside, finding.comparison
    if beside is None or comparison is None:
        return None
    return {
        "server": beside.control.name,
        "verdict": comparison.verdict,
        "differs": [asdict(one) for one in comparison.differences],
        "stated": beside.reasons,
        "problems": comparison.problems,
    }
