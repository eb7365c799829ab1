"""One cell tried for real, with small programs in the place of clients."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conformance.kits import cell
from treadle.cli.conformance.calling import SEEN_EVENTS, Calls
from treadle.cli.conformance.cells import Doing
from treadle.cli.conformance.installing import Kit
from treadle.cli.conformance.lap import CallFailedError

SAYS_ITS_WORDS = "import json, sys\nprint(json.dumps({'verdict': 'done', 'words': sys.argv[1:]}))\n"


class _Runs(BaseHTTPRequestHandler):
    """A server of runs that says what its test wants."""

    answers: Callable[[str, str], tuple[int, str]]
    asked: list[str]

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.asked.append(f"{self.command} {self.path}")
        status, said = type(self).answers(self.command, self.path)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(said.encode())

    do_GET = do_POST = _answer  # noqa: N815 (names of the standard library)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def runs() -> Iterator[tuple[str, type[_Runs]]]:
    """A server, and what it answers with."""
    handler = type("Handler", (_Runs,), {"answers": staticmethod(lambda _m, _p: (500, "no")), "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()
        thread.join()


def _calls(folder: Path, program: str, url: str = "http://nowhere", **more: Any) -> Calls:  # noqa: ANN401 (what calls take)
    (folder / "one.py").write_text(program)
    return Calls(Kit(scripts=folder), url, **more)


@pytest.mark.requirement("CONF-judged")
def test_a_client_is_given_its_words_and_its_report_is_read_and_kept(tmp_path: Path) -> None:
    """docs/cli.md: `--reports` keeps what each client printed."""
    one = cell(doing=Doing(words=("--key", "{key}"), before=("--first",)))
    calls = _calls(tmp_path, SAYS_ITS_WORDS, reports=tmp_path)
    told = calls(one)
    assert told["words"] == [
        "http://nowhere/text", "--message", one.prompt, "--key", one.key, "--timeout", "40",
    ]  # fmt: skip
    assert json.loads((tmp_path / f"{one.key}.json").read_text()) == told


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('[]')", "printed 'list', not a report"),
        ("raise SystemExit('it crashed')", "printed no report: it crashed"),
        ("", "printed no report: nothing"),
    ],
)
def test_a_client_that_prints_no_report_is_told_with_its_last_words(tmp_path: Path, program: str, said: str) -> None:
    """Ours: whoever mends it needs them."""
    with pytest.raises(CallFailedError, match=said):
        _calls(tmp_path, program)(cell())


def test_a_run_may_be_started_beforehand(tmp_path: Path, runs: tuple[str, type[_Runs]]) -> None:
    """Ours: what only reads needs a run to read."""
    url, handler = runs
    handler.answers = staticmethod(lambda _m, _p: (201, '{"run_id": "r_1"}'))
    told = _calls(tmp_path, SAYS_ITS_WORDS, url)(cell(starts=True, address="{url}/v1/runs/{run}/events"))
    assert told["words"][0] == f"{url}/v1/runs/r_1/events"
    assert handler.asked == ["POST /v1/runs"]
    handler.answers = staticmethod(lambda _m, _p: (429, "full"))
    with pytest.raises(CallFailedError, match="was answered 429: full"):
        _calls(tmp_path, SAYS_ITS_WORDS, url)(cell(starts=True))
    with pytest.raises(CallFailedError, match="was not answered"):
        _calls(tmp_path, SAYS_ITS_WORDS, "http://127.0.0.1:1")(cell(starts=True))


def test_the_run_of_a_cell_is_stopped_once_it_has_shown_something(
    tmp_path: Path, runs: tuple[str, type[_Runs]]
) -> None:
    """docs/matrix.md: stopped by the server, while its client reads."""
    url, handler = runs
    one = cell(doing=Doing(is_stopped=True))
    events = iter(range(SEEN_EVENTS - 1, SEEN_EVENTS + 3))
    stopped = tmp_path / "stopped"

    def answers(method: str, path: str) -> tuple[int, str]:
        if method == "POST":
            stopped.touch()
            return 202, "{}"
        if path == "/v1/runs/mine":
            return 200, json.dumps({"prompt": one.prompt})
        if path == "/v1/runs/other":
            return 200, json.dumps({"prompt": "another"})
        so_far = next(events)
        listed = [("none", "another", 99), ("other", "text", 99), ("mine", "text", so_far)]
        keys = ("run_id", "agent", "events")
        return 200, json.dumps({"runs": [dict(zip(keys, run, strict=True)) for run in listed]})

    handler.answers = staticmethod(answers)
    # It reads for as long as its run goes on.
    program = f"import os\nwhile not os.path.exists({str(stopped)!r}): pass\n{SAYS_ITS_WORDS}"
    assert _calls(tmp_path, program, url)(one)["verdict"] == "done"
    assert handler.asked[-2:] == ["GET /v1/runs/mine", "POST /v1/runs/mine/cancel"]
    assert handler.asked.count("GET /v1/runs?state=owned") == 2


def test_a_client_that_ends_before_its_run_is_stopped_says_what_it_saw(
    tmp_path: Path, runs: tuple[str, type[_Runs]]
) -> None:
    """Ours: that is a verdict, and not a wait without an end."""
    url, handler = runs
    handler.answers = staticmethod(lambda _m, _p: (200, '{"runs": []}'))
    assert _calls(tmp_path, SAYS_ITS_WORDS, url)(cell(doing=Doing(is_stopped=True)))["verdict"] == "done"
