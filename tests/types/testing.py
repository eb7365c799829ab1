"""Types of what tests are given: fakes fit their ports, checks take every vocabulary."""

from typing import assert_type

from treadle.codec.events import kernel_event_json
from treadle.ports.clock import Clock
from treadle.ports.ids import Ids
from treadle.ports.model import Model
from treadle.ports.toolbox import Toolbox
from treadle.projections.typed.events import StreamEvent
from treadle.testing.counted_ids import CountedIds
from treadle.testing.counting_tools import CountingTools
from treadle.testing.fake_clock import FakeClock
from treadle.testing.fake_toolbox import FakeTool, FakeToolbox
from treadle.testing.scripts import scripted
from treadle.testing.stream_check import check_stream
from treadle.testing.transcript_check import check_transcript
from treadle.values.events import KernelEvent

clock: Clock = FakeClock()
ids: Ids = CountedIds()
model: Model = scripted("text: hi")
toolbox: Toolbox = FakeToolbox(FakeTool(name="f"))


def checks(kernel: list[KernelEvent], typed: list[StreamEvent]) -> None:
    """Events as objects and as JSON; messages of a provider by name."""
    assert_type(check_stream(kernel), list[str])
    check_stream(typed)
    check_stream([kernel_event_json(event) for event in kernel])
    check_stream(["done"])  # type: ignore[list-item]  # a word is no event
    assert_type(check_transcript([{"role": "user", "content": "hi"}], "openai"), list[str])
    check_transcript([], "opnai")  # type: ignore[arg-type]  # nobody knows that provider


def counts(tools: CountingTools) -> int:
    """Counts by name."""
    return tools.runs["add"]
