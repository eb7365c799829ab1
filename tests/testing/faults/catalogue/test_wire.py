"""Sound streams in every form the format allows."""

from __future__ import annotations

import pytest

from tests.testing.faults.raw_client import RawClient
from treadle.testing.faults.catalogue.wire import WIRE
from treadle.testing.faults.server import FaultServer


def test_every_form_ends_well() -> None:
    """How bytes are cut and framed is no fault (ours)."""
    assert {scenario.expected.outcome for scenario in WIRE} == {"done"}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
async def test_writes_are_as_long_as_they_are_said_to_be(size: int) -> None:
    """So a reader meets a cut inside every character and every line end (ours)."""
    async with FaultServer() as server, RawClient(server.base_url) as client:
        answer = await client.ask(f"writes_of_{size}")
    assert {len(piece) for piece in answer.pieces[:-1]} == {size}
