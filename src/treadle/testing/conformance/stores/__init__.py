"""The suite for stores: what the three ports promise, tried on any adapter.

    class TestMyStore(StoreConformance):
        harness = MyHarness

Source: docs/stores.md.
"""

from treadle.ports.store import Store
from treadle.testing.conformance.stores.harness import LostAcknowledgementError, StoreHarness
from treadle.testing.conformance.stores.suite import CHECKS, StoreConformance

__all__ = ["CHECKS", "LostAcknowledgementError", "Store", "StoreConformance", "StoreHarness"]
