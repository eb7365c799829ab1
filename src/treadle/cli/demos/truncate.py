"""The demonstration of a cut: what a provider that breaks off in mid-answer has said is kept, and the end is an error.

The next turn of the thread knows what was said.

In: nothing. Out: what the reader was shown, what is stored, and what the provider is asked next.

Source: docs/demos.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from treadle.cli.demos.cut_provider import MODEL, NAME, PARTIAL, SCENARIO, WHOLE
from treadle.cli.demos.outcome import Teller
from treadle.cli.demos.reader import Reader, asked
from treadle.cli.demos.server_process import ServerProcess
from treadle.testing.fault_thread import FaultThread
from treadle.testing.faults import Scenario

SERVER: Final = "treadle.cli.demos.cut_provider:server"
FIRST: Final = "How is a cloth woven?"
NEXT: Final = "You were cut off. Go on, please."
THREAD: Final = "cloth"
CODE: Final = "upstream_truncated"


def truncate(*, folder: Path, teller: Teller, served: str = SERVER, scenario: Scenario = SCENARIO) -> list[str]:
    """Be cut, ask again, and look. Gives what was broken, a line each.

    Args:
        served: What the server serves: the server of `cut_provider`.
        scenario: What the provider does.
    Raises:
        DemoFailedError: It cannot go on.
    """
    with FaultThread(scenarios={MODEL: scenario}) as provider:
        variables = {"OPENAI_BASE_URL": provider.base_url, "OPENAI_API_KEY": "offline"}
        with ServerProcess(served, folder=folder, variables=variables) as server:
            cut = _read(server.url, FIRST)
            stored = asked(server.url, f"/v1/runs/{cut.run_id}")
            after = _read(server.url, NEXT)
        bodies = provider.stats.bodies()
    ending = cut.heard[-1].event if cut.heard else {}
    code = ending.get("code")
    told = _messages(bodies)
    teller.tell(f"the provider broke off; the reader was shown {cut.folding.text!r} and then {ending.get('kind')!r}")
    teller.tell(f"the run is {stored['state']!r}, code {stored['error_code']!r}, and keeps {stored['text']!r}")
    teller.tell(f"the next request to the provider holds {told}")
    teller.tell(f"and its answer was {after.folding.text!r}")
    broken = _broken(cut, ending, stored)
    if code != CODE:
        broken.append(f"the reader was to be told {CODE!r}, and was told {code!r}")
    if {"role": "assistant", "content": PARTIAL} not in told:
        broken.append("the next request to the provider does not hold what was shown of the cut answer")
    if after.folding.text != WHOLE:
        broken.append(f"the next answer is {after.folding.text!r}, not {WHOLE!r}")
    kept = "kept" if not broken else "broken"
    teller.tell(
        f"found: the promise is {kept}",
        shown=cut.folding.text,
        ending=ending.get("kind"),
        code=code,
        state=stored["state"],
        stored=stored["text"],
        next_request=told,
        broken=broken,
    )
    return broken


def _read(url: str, prompt: str) -> Reader:
    reader = Reader(start={"agent": NAME, "prompt": prompt, "thread_id": THREAD})
    reader.connect(url)
    reader.read_on()
    return reader


def _broken(cut: Reader, ending: Mapping[str, Any], stored: Mapping[str, Any]) -> list[str]:
    broken = []
    if ending.get("kind") != "error":
        broken.append(f"the cut answer was to end 'error' for its reader, and ended {ending.get('kind')!r}")
    if cut.folding.text != PARTIAL:
        broken.append(f"the reader was to be shown {PARTIAL!r}, and was shown {cut.folding.text!r}")
    if stored["state"] != "error":
        broken.append(f"the run of the cut answer is {stored['state']!r}, not 'error'")
    if stored["text"] != PARTIAL:
        broken.append(f"the partial answer is not kept: what is stored is {stored['text']!r}")
    return broken


def _messages(bodies: list[dict[str, Any]]) -> list[Any]:
    """What the provider was told in the last request."""
    return list(bodies[-1].get("messages", [])) if len(bodies) > 1 else []
