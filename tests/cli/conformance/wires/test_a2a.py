"""The columns of A2A."""

from __future__ import annotations

from treadle.cli.conformance.cells import Act, Doing, Needs
from treadle.cli.conformance.wires.a2a import PROBE, WIRE


def test_both_sdks_are_tried_over_both_bindings_and_answer_in_their_own_way() -> None:
    """conformance/README.md: only the Python SDK's script sends data; the other one says it in words."""
    clients = [client for client in WIRE.clients if client is not PROBE]
    bindings = {(client.needs, client.words[3], "0.3" in client.words) for client in clients}
    assert bindings == {
        (needs, how, is_old)
        for needs in (Needs.PYTHON, Needs.NODE)
        for how in ("JSONRPC", "HTTP+JSON")
        for is_old in (True, False)
    }
    for client in clients:
        answer = client.acts[Act.ANSWER]
        assert isinstance(answer, Doing)
        assert answer.words[0] == ("--reply-data" if client.needs is Needs.PYTHON else "--reply")
