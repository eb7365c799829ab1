"""Who may do what over HTTP, how much of it, and what they are told where they may not.

A request passes `AllowedHosts` and `SameOrigin`, then `Entrance.enter` (who asks), `authorize` (may they) and
`Admission` (is there room), in this order and before the status line. Whatever fails becomes a `refusal`.
"""

from __future__ import annotations

from treadle.server.access.admission import Caps
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.bearer_jwt import BearerJwt
from treadle.server.access.key_set import KeySet
from treadle.server.access.principal import Action, Authenticator, Principal

__all__ = ["Action", "Anonymous", "ApiKeys", "Authenticator", "BearerJwt", "Caps", "KeySet", "Principal"]
