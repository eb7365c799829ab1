"""What goes with a body, so that whoever receives it knows who sent it, when, and whether it came before.

In: a body, its id, a time, a secret. Out: headers. The id stays the same however often the body is sent; the time does
not, so that an old request is known for one.

Source: Standard Webhooks 1.0.
"""

from __future__ import annotations

import base64
import hmac

ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


def signed(body: bytes, *, message_id: str, at_s: float, secret: bytes) -> dict[str, str]:
    """The headers that sign a body.

    Units: `at_s` is UTC seconds.
    """
    timestamp = str(int(at_s))
    mac = hmac.digest(secret, b".".join((message_id.encode(), timestamp.encode(), body)), "sha256")
    return {ID: message_id, TIMESTAMP: timestamp, SIGNATURE: f"v1,{base64.b64encode(mac).decode()}"}
