"""The values of one header, straight from an ASGI scope: for what looks at every request before anybody else does."""

from __future__ import annotations

from typing import Any

from starlette.types import Scope


def values_of(scope: Scope, name: bytes) -> list[str]:
    """All values of a header, in their order.

    Args:
        name: In small letters, as an ASGI server gives them.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    found: Any = [value for named, value in headers if named == name]
    return [value.decode("latin-1") for value in found] if found else found
