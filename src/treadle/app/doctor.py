"""What this machine can do, as checks: what was looked at, whether it is fine, and how to mend it.

Looks and loads nothing: a package that would crash the process is found out before it can. Nothing is printed, and no
check says what a key is, only whether there is one.

Source: docs/cli.md.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from treadle._version import __version__
from treadle.adapters.models.local import presence

OLDEST_PYTHON: Final = (3, 11)
_KEY: Final = "OPENAI_API_KEY"
_EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {"cli": ("typer", "rich"), "openai": ("openai",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Shape: `says` is one line, whether fine or not. `fix` is one line, often a command, and None where nothing is to be
    done. Of an `essential` check that is not fine, nothing works; of another one, a part does not.
    """

    name: str
    ok: bool
    says: str
    fix: str | None = None
    essential: bool = False

    def __post_init__(self) -> None:
        if not self.ok and not self.fix:
            raise ValueError(f"check {self.name!r} is not fine and must say how to mend it")


def checks(environment: Mapping[str, str] | None = None) -> tuple[Check, ...]:
    """All checks of this machine, in the order in which they are told.

    Shape: `environment` is the process's own unless another is given.
    """
    variables = os.environ if environment is None else environment
    local = (_processor(), _engine(), _weights())
    openai = _extra("openai", "for models behind an OpenAI-compatible server")
    return (
        _python(),
        _core(),
        _extra("cli", "for the command `treadle`"),
        *local,
        openai,
        _key(variables),
        _some_model(local=all(check.ok for check in local), served=openai.ok),
    )


def _python() -> Check:
    oldest = ".".join(map(str, OLDEST_PYTHON))
    ok = sys.version_info >= OLDEST_PYTHON
    return Check(
        name="python",
        ok=ok,
        says=f"Python {platform.python_version()} on {sys.platform}, treadle {__version__}",
        fix=None if ok else f"use Python {oldest} or newer",
        essential=True,
    )


def _core() -> Check:
    return _packages("core", ("msgspec", "pydantic"), what="treadle itself", install="treadle", essential=True)


def _extra(name: str, what: str) -> Check:
    return _packages(name, _EXTRAS[name], what=what, install=f"treadle[{name}]", essential=False)


def _packages(name: str, modules: tuple[str, ...], *, what: str, install: str, essential: bool) -> Check:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    listed = ", ".join(missing) if missing else ", ".join(presence.installed(module) for module in modules)
    return Check(
        name=name,
        ok=not missing,
        says=f"{'missing: ' if missing else ''}{listed}, {what}",
        fix=shlex.join([sys.executable, "-m", "pip", "install", install]) if missing else None,
        essential=essential,
    )


def _processor() -> Check:
    missing = presence.missing_processor_flags()
    wanted = ", ".join(presence.NEEDED_FLAGS)
    return Check(
        name="local processor",
        ok=not missing,
        says=f"{platform.machine()}, missing: {', '.join(missing)}" if missing else f"{platform.machine()}, fit to run",
        fix=f"the local model needs a processor with {wanted}; use a served model here" if missing else None,
    )


def _engine() -> Check:
    requirement = presence.REQUIREMENTS[0]
    missing = requirement in presence.missing_packages()
    return Check(
        name="local engine",
        ok=not missing,
        says=f"missing: {requirement}" if missing else presence.installed(requirement),
        fix=presence.install_command() if missing else None,
    )


def _weights() -> Check:
    requirement = presence.REQUIREMENTS[1]
    if requirement in presence.missing_packages():
        return Check(name="local weights", ok=False, says=f"missing: {requirement}", fix=presence.install_command())
    found = presence.packaged_weights()
    if found is None or not presence.are_the_weights(found):
        return Check(
            name="local weights",
            ok=False,
            says=f"damaged or of another release: {presence.installed(requirement)}",
            fix=presence.reinstall_command(),
        )
    return Check(name="local weights", ok=True, says=f"{presence.installed(requirement)}, digest as expected")


def _key(variables: Mapping[str, str]) -> Check:
    has_key = bool(variables.get(_KEY))
    return Check(
        name="openai key",
        ok=has_key,
        says=f"{_KEY} is {'set' if has_key else 'not set'}",
        fix=None if has_key else f"set {_KEY}, unless your server takes none",
    )


def _some_model(*, local: bool, served: bool) -> Check:
    names = [name for name, there in (("local", local), ("openai-chat:NAME", served)) if there]
    return Check(
        name="a model to ask",
        ok=bool(names),
        says=" and ".join(names) if names else "none can be used here",
        fix=None if names else presence.install_command(),
        essential=True,
    )
