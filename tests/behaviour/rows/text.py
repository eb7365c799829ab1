"""Shown text: filters and the close state."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

ROWS: dict[str, Requirement] = {}
