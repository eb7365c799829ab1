"""One cell tried for real: its client in a process of its own, against a server.

In: a cell. Out: the report that its client printed.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from treadle.cli.conformance.cells import Cell, Report
from treadle.cli.conformance.installing import Kit
from treadle.cli.conformance.lap import CallFailedError

CLIENT_S: Final = 40
"""Seconds that a client has before it ends itself; its process is killed a little later."""
LOOK_S: Final = 0.05
SEEN_EVENTS: Final = 6
"""A run that is to be stopped has shown so much before."""
_SAID_CHARS: Final = 300


class Calls:
    """Runs clients against one server. Calls may be made from several threads at once.

    Shape: with `reports`, each report is kept in that folder, under the name of its cell.
    """

    def __init__(self, kit: Kit, url: str, *, reports: Path | None = None) -> None:
        self._kit = kit
        self._url = url
        self._reports = reports

    def __call__(self, cell: Cell) -> Report:
        """Run the client of a cell.

        Raises:
            CallFailedError: It printed no report, or the server does not do what the cell needs beside it.
        """
        places = {"{url}": self._url, "{agent}": cell.row.agent, "{prompt}": cell.prompt, "{key}": cell.key}
        if cell.client.starts:
            started = self._asked("POST", "/v1/runs", {"agent": cell.row.agent, "prompt": cell.prompt})
            places["{run}"] = started["run_id"]
        if cell.doing.before is not None:
            self._said(self._started(cell, cell.doing.before, places), cell)
        process = self._started(cell, cell.doing.words, places)
        try:
            if cell.doing.is_stopped:
                self._stop(cell, process)
            report = self._said(process, cell)
        finally:
            process.kill()
            process.wait()
        if self._reports is not None:
            kept = self._reports / f"{cell.key}.json"
            kept.write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
        return report

    def _started(self, cell: Cell, more: Sequence[str], places: Mapping[str, str]) -> subprocess.Popen[str]:
        client = cell.client
        words = [client.address, *client.words, *more, "--timeout", str(CLIENT_S)]
        line = [*self._kit.line(client), *(_placed(word, places) for word in words)]
        # No proxy stands before this machine.
        environment = os.environ | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        return subprocess.Popen(
            line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8",
        )  # fmt: skip

    def _said(self, process: subprocess.Popen[str], cell: Cell) -> Report:
        try:
            out, err = process.communicate(timeout=2 * CLIENT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise CallFailedError(f"{cell.client.script} did not end within {2 * CLIENT_S} s") from None
        try:
            report = json.loads(out)
        except ValueError:
            said = " ".join((err or out).split())[-_SAID_CHARS:]
            raise CallFailedError(f"{cell.client.script} printed no report: {said or 'nothing'}") from None
        if not isinstance(report, dict):
            raise CallFailedError(f"{cell.client.script} printed {type(report).__name__!r}, not a report")
        return report

    def _stop(self, cell: Cell, process: subprocess.Popen[str]) -> None:
        """Stop the run of a cell once it has shown something, unless its client ends before."""
        until_s = time.monotonic() + CLIENT_S
        while process.poll() is None and time.monotonic() < until_s:
            for run in self._asked("GET", "/v1/runs?state=owned")["runs"]:
                if run["agent"] != cell.row.agent or run["events"] < SEEN_EVENTS:
                    continue
                path = f"/v1/runs/{run['run_id']}"
                if self._asked("GET", path)["prompt"] == cell.prompt:
                    self._asked("POST", f"{path}/cancel", {})
                    return
            time.sleep(LOOK_S)

    def _asked(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401 (JSON terms)
        split = urlsplit(self._url)
        connection = http.client.HTTPConnection(split.hostname or "", split.port, timeout=CLIENT_S)
        said = None if body is None else json.dumps(body)
        try:
            connection.request(method, path, said, {"content-type": "application/json"})
            response = connection.getresponse()
            answered = response.read().decode()
            if response.status >= 400:
                raise CallFailedError(f"{method} {path} was answered {response.status}: {answered}")
            return json.loads(answered)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise CallFailedError(f"{method} {path} was not answered: {error}") from error
        finally:
            connection.close()


def _placed(word: str, places: Mapping[str, str]) -> str:
    for place, name in places.items():
        word = word.replace(place, name)
    return word
