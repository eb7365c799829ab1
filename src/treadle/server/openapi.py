"""placeholder"""

from typing import Any


def document(*, root_path: str) -> dict[str, Any]:
    return {}
