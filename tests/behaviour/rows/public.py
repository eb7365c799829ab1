"""The public face: Agent, tool, run, stream, events."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

ROWS: dict[str, Requirement] = {}
