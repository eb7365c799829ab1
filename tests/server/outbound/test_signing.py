"""Signatures of what is sent."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from treadle.server.outbound.signing import signed


@pytest.mark.requirement("OUT-signed")
def test_a_body_is_signed_with_its_id_and_its_time() -> None:
    """Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`, base64, under `v1`."""
    said = signed(b'{"a":1}', message_id="r1.4", at_s=1_700_000_000.9, secret=b"k" * 32)
    mac = hmac.new(b"k" * 32, b'r1.4.1700000000.{"a":1}', hashlib.sha256).digest()
    assert said == {
        "webhook-id": "r1.4",
        "webhook-timestamp": "1700000000",
        "webhook-signature": f"v1,{base64.b64encode(mac).decode()}",
    }
