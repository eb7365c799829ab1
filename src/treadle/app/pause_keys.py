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
LEAST_VARIETY: Final = 6
"""Different characters of a secret: what has fewer was typed, not drawn."""
_HINT: Final = "`openssl rand -hex 32` gives one"
_FILE: Final = "sqlite:///"
OTHERS: Final = 0o077
"""The bits of a file's mode that let others in."""


class PauseKeys:
    """The keys for the pauses in a store, by its name, or for a store object.

    What is there already is looked at when this is made, so that nothing starts with a key that is of no use. A key
    file that is not there is made when a key is first asked for.

    Raises:
        PlanError: A secret is too short or too simple, or a previous one has no successor; or the key file that is
            there is open to others or damaged.
    """

    def __init__(self, store: object, environment: Mapping[str, str]) -> None:
        self._path = _path_of(store)
        now, before = environment.get(VARIABLE), environment.get(BEFORE)
        if before and not now:
            raise PlanError((f"{BEFORE} is for the secret before the one in {VARIABLE}, and there is none",))
        self._known: TokenKeys | None = None
        if now:
            self._known = TokenKeys(_secret(VARIABLE, now), _secret(BEFORE, before) if before else None)
        elif self._path is not None and os.path.lexists(self._path):
            self._known = TokenKeys(_kept(self._path))

    @property
    def known(self) -> TokenKeys | None:
        """The keys that were there already; None where there were none."""
        return self._known

    @cached_property
    def keys(self) -> TokenKeys:
        """The keys. A file that was not there is made when this is first asked.

        Raises:
            PlanError: The key file cannot be made.
        """
        if self._known is not None:
            return self._known
        if self._path is None:
            return TokenKeys(secrets.token_bytes(LEAST_SECRET_BYTES))
        return TokenKeys(_kept(self._path))


def _path_of(store: object) -> Path | None:
    """Where the key of this store is kept; None where it ends with its runner."""
    if not (isinstance(store, str) and store.startswith(_FILE)):
        return None
    return key_path(Path(store.removeprefix(_FILE)))


def key_path(store: Path) -> Path:
    """Where the key of a store in a file is."""
    return store.with_name(f"{store.name}.key")


def _secret(name: str, text: str) -> bytes:
    said = text.strip()  # Blanks around it are part of the key, and no secret.
    length = len(said.encode(errors="surrogateescape"))
    if length < LEAST_SECRET_BYTES:
        raise PlanError((f"{name} needs {LEAST_SECRET_BYTES} bytes or more, and has {length}; {_HINT}",))
    if len(set(said)) < LEAST_VARIETY:
        told = f"{name} needs {LEAST_VARIETY} different characters or more, and has {len(set(said))}; {_HINT}"
        raise PlanError((told,))
    return text.encode(errors="surrogateescape")


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
    if len(key) < LEAST_SECRET_BYTES or len(set(key)) < LEAST_VARIETY:
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
