"""What tests of agents need: scripts, fakes and checks. Part of the product, for its users as for its own tests.

Names are loaded when they are first used: importing this package imports nothing else.

Source: docs/testing.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treadle.testing.counted_ids import CountedIds
    from treadle.testing.counting_tools import CountingTools
    from treadle.testing.fake_clock import FakeClock
    from treadle.testing.fake_toolbox import HANG, FakeTool, FakeToolbox
    from treadle.testing.fault_thread import FaultThread
    from treadle.testing.faults import LEAK_MARK, SCENARIOS, FaultServer, Scenario
    from treadle.testing.scripts import ScriptedModel, parse_script, scripted
    from treadle.testing.stream_check import assert_stream, check_stream
    from treadle.testing.transcript_check import assert_transcript, check_transcript
    from treadle.testing.virtual_time import run_virtually

_HOMES = {
    "CountedIds": "treadle.testing.counted_ids",
    "CountingTools": "treadle.testing.counting_tools",
    "FakeClock": "treadle.testing.fake_clock",
    "FakeTool": "treadle.testing.fake_toolbox",
    "FakeToolbox": "treadle.testing.fake_toolbox",
    "FaultServer": "treadle.testing.faults",
    "FaultThread": "treadle.testing.fault_thread",
    "HANG": "treadle.testing.fake_toolbox",
    "LEAK_MARK": "treadle.testing.faults",
    "SCENARIOS": "treadle.testing.faults",
    "Scenario": "treadle.testing.faults",
    "ScriptedModel": "treadle.testing.scripts",
    "assert_stream": "treadle.testing.stream_check",
    "assert_transcript": "treadle.testing.transcript_check",
    "check_stream": "treadle.testing.stream_check",
    "check_transcript": "treadle.testing.transcript_check",
    "parse_script": "treadle.testing.scripts",
    "run_virtually": "treadle.testing.virtual_time",
    "scripted": "treadle.testing.scripts",
}

__all__ = [
    "HANG",
    "LEAK_MARK",
    "SCENARIOS",
    "CountedIds",
    "CountingTools",
    "FakeClock",
    "FakeTool",
    "FakeToolbox",
    "FaultServer",
    "FaultThread",
    "Scenario",
    "ScriptedModel",
    "assert_stream",
    "assert_transcript",
    "check_stream",
    "check_transcript",
    "parse_script",
    "run_virtually",
    "scripted",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 (whatever stands under that name)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'treadle.testing' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
