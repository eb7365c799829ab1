"""Where the name of a model becomes a model.

A name is `SCHEME` or `SCHEME:REST`, such as `local`, `scripted:FILE`, `openai-chat:gpt-5`. The adapter's module is
loaded when its scheme is first named, so nobody pays for a library they do not use.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

from treadle.errors import PlanError
from treadle.ports.model import Model

ModelMaker = Callable[[str, str | None], Model]


def _local(rest: str, base_url: str | None) -> Model:
    if rest:
        raise PlanError((f"model 'local' takes no name, came {rest!r}",))
    _refuse_base_url("local", base_url)
    made: Model = _adapter("local", "LocalModel")()
    return made


def _scripted(rest: str, base_url: str | None) -> Model:
    if not rest:
        raise PlanError(("model 'scripted' needs a file: scripted:FILE",))
    _refuse_base_url("scripted", base_url)
    made: Model = _adapter("scripted", "ScriptedModel").from_file(rest)
    return made


def _openai_chat(rest: str, base_url: str | None) -> Model:
    if not rest:
        raise PlanError(("model 'openai-chat' needs a name: openai-chat:NAME, such as openai-chat:gpt-5",))
    made: Model = _adapter("openai_chat", "OpenAIChat", extra="openai")(rest, base_url=base_url)
    return made


def _refuse_base_url(scheme: str, base_url: str | None) -> None:
    if base_url is not None:
        raise PlanError((f"model {scheme!r} has no server, came base URL {base_url!r}; only openai-chat takes one",))


SCHEMES: Final[dict[str, ModelMaker]] = {"local": _local, "scripted": _scripted, "openai-chat": _openai_chat}


def model_named(spec: str, *, base_url: str | None = None) -> Model:
    """The model with this name.

    Raises:
        PlanError: There is no such scheme, something is missing in the name, or the extra is not installed.
    """
    scheme, _, rest = spec.partition(":")
    maker = SCHEMES.get(scheme)
    if maker is None:
        known = ", ".join(SCHEMES)
        raise PlanError((f"model {spec!r} has no known scheme; expected one of {known}",))
    return maker(rest, base_url)


def _adapter(module: str, name: str, *, extra: str | None = None) -> Any:  # noqa: ANN401 (a class of an adapter)
    try:
        loaded = importlib.import_module(f"treadle.adapters.models.{module}")
    except ModuleNotFoundError as missing:
        if extra is None or (missing.name or "").startswith("treadle"):
            raise
        fix = f"python -m pip install 'treadle[{extra}]'"
        raise PlanError((f"this model needs the package {missing.name!r}; install it with: {fix}",)) from missing
    return getattr(loaded, name)
