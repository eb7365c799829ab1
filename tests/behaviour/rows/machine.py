"""The machine: what is decided, and the rules EV of the kernel's events."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

ROWS: dict[str, Requirement] = {}
