"""The scenarios a fault server knows by name."""

from treadle.testing.faults.catalogue.calls import CALLS
from treadle.testing.faults.catalogue.damaged_calls import DAMAGED_CALLS
from treadle.testing.faults.catalogue.endings import ENDINGS
from treadle.testing.faults.catalogue.failures import FAILURES
from treadle.testing.faults.catalogue.speech import SPEECH
from treadle.testing.faults.catalogue.usage import USAGE
from treadle.testing.faults.catalogue.wire import WIRE
from treadle.testing.faults.scenario import Scenario

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for group in (SPEECH, CALLS, DAMAGED_CALLS, ENDINGS, FAILURES, USAGE, WIRE)
    for scenario in group
}

__all__ = ["SCENARIOS"]
