"""Where the keys of pause tokens come from.

In: what the environment says, and where the store is. Out: keys. There is no default: a store in a file has a key of
its own beside it, made when it is first needed and readable by its owner alone; what is kept in memory has one that
ends with the runner.

Source: docs/pauses.md, ADR 0032 (tokens of pauses).
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

from treadle.codec.pause_tokens import LEAST_SECRET_BYTES, TokenKeys
from treadle.errors import PlanError

VARIABLE: Final = "TREADLE_SECRET"
BEFORE: Final = "TREADLE_SECRET_BEFORE"
"""The secret before, whose tokens still hold until their pauses are over."""
_FILE: Final = "sqlite:///"
OTHERS: Final = 0o077
"""The bits of a file's mode that let others in."""


class PauseKeys:
    """The keys for the pauses in a store, by its name, or for a store object.

    Raises:
        PlanError: A secret is too short, or a previous one has no successor.
    """

    def __init__(self, store: object, environment: Mapping[str, str]) -> None:
        self._store = store
        now, before = environment.get(VARIABLE), environment.get(BEFORE)
        if before and not now:
            raise PlanError((f"{BEFORE} is for the secret before the one in {VARIABLE}, and there is none",))
        self._said = None if not now else TokenKeys(_secret(VARIABLE, now), _secret(BEFORE, before) if before else None)

    @cached_property
    def keys(self) -> TokenKeys:
        """The keys. A file is looked for, or made, when this is first asked.

        Raises:
            PlanError: The key file is open to others, damaged, or cannot be made.
        """
        if self._said is not None:
            return self._said
        if isinstance(self._store, str) and self._store.startswith(_FILE):
            return TokenKeys(_kept(key_path(Path(self._store.removeprefix(_FILE)))))
        return TokenKeys(secrets.token_bytes(LEAST_SECRET_BYTES))


def key_path(store: Path) -> Path:
    """Where the key of a store in a file is."""
    return store.with_name(f"{store.name}.key")


def _secret(name: str, text: str) -> bytes:
    secret = text.encode(errors="surrogateescape")
    if len(secret) < LEAST_SECRET_BYTES:
        raise PlanError((f"{name} needs {LEAST_SECRET_BYTES} bytes or more, and has {len(secret)}",))
    return secret


def _kept(path: Path) -> bytes:
    """The key in a file, which is made where it is not there yet."""
    try:
        if not path.exists():
            _make(path)
        if os.name == "posix" and path.stat().st_mode & OTHERS:
            raise PlanError((f"key file {str(path)!r} can be read by others; `chmod 600` it, or set {VARIABLE}",))
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it holds no key"
        raise PlanError((f"key file {str(path)!r} is of no use: {reason}; mend it, or set {VARIABLE}",)) from error
    if len(key) < LEAST_SECRET_BYTES:
        raise PlanError((f"key file {str(path)!r} holds no whole key; mend it, or set {VARIABLE}",))
    return key


def _make(path: Path) -> None:
    """Make a key file, whole or not at all; where another process was quicker, its key stands."""
    descriptor, made = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # mode 0600 from the beginning
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(LEAST_SECRET_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(made, path)
    finally:
        Path(made).unlink()
