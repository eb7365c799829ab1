"""The public names and their signatures, as text.

    python scripts/public_api.py          prints them
    python scripts/public_api.py write    writes tests/repo/public_api.txt

In: the installed project. Out: one line a name, sorted, the same on every supported Python. What is not listed here may
change without notice.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Iterator
from pathlib import Path

# The modules whose names users may rely on; docs/index.md tells them so.
PUBLIC_MODULES = (
    "treadle",
    "treadle.errors",
    "treadle.ports.model",
    "treadle.projections.typed.events",
    "treadle.server.access",
    "treadle.testing",
    "treadle.values.events",
)
SNAPSHOT = Path(__file__).resolve().parents[1] / "tests" / "repo" / "public_api.txt"


def public_api() -> str:
    """Say the whole public surface."""
    lines = [line for name in PUBLIC_MODULES if _exists(name) for line in _module_lines(name)]
    return "\n".join(lines) + "\n"


def lines_of(name: str, thing: object) -> Iterator[str]:
    """Say one public thing: itself, then what it offers."""
    if inspect.isclass(thing):
        yield f"class {name}{_bases(thing)}"
        yield from _member_lines(thing)
    elif inspect.isroutine(thing):
        yield f"{_word(thing)} {name}{_signature(thing)}"
    elif isinstance(thing, types.ModuleType):
        yield f"module {name}"
    else:
        yield f"name {name}"


def _exists(name: str) -> bool:
    top = name.split(".", maxsplit=1)[0]
    return importlib.util.find_spec(top) is not None and importlib.util.find_spec(name) is not None


def _module_lines(module_name: str) -> Iterator[str]:
    module = importlib.import_module(module_name)
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module_name]
    for name in sorted(getattr(module, "__all__", own)):
        if not name.startswith("_") or name == "__version__":
            yield from lines_of(f"{module_name}.{name}", getattr(module, name))


def _member_lines(thing: type) -> Iterator[str]:
    if issubclass(thing, enum.Enum):
        yield from (f"    {member.name} = {member.value!r}" for member in thing)
        return
    if dataclasses.is_dataclass(thing):
        yield from (
            f"    {field.name}: {_annotation(field.type)}{_default(field)}" for field in dataclasses.fields(thing)
        )
    elif "__init__" in vars(thing):
        yield f"    def __init__{_signature(thing.__init__)}"
    fields = {field.name for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()
    for member, value in sorted(vars(thing).items()):
        if member.startswith("_") and member not in {"__aenter__", "__aexit__", "__aiter__", "__call__"}:
            continue
        if member not in fields:
            yield f"    {_member(member, value)}"


def _member(name: str, value: object) -> str:
    if isinstance(value, property):
        return f"{name}: {_annotation(getattr(value.fget, '__annotations__', {}).get('return', ''))} (property)"
    if isinstance(value, staticmethod | classmethod):
        return f"{type(value).__name__} {name}{_signature(value.__func__)}"
    if inspect.isroutine(value):
        return f"{_word(value)} {name}{_signature(value)}"
    # A constant is part of the promise: the code of an error, for one.
    return f"{name} = {value!r}" if isinstance(value, str | bool | int) else name


def _word(thing: object) -> str:
    is_async = inspect.iscoroutinefunction(thing) or inspect.isasyncgenfunction(thing)
    return "async def" if is_async else "def"


def _bases(thing: type) -> str:
    bases = [base.__name__ for base in thing.__bases__ if base is not object]
    return f"({', '.join(bases)})" if bases else ""


def _signature(thing: object) -> str:
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]  # asked of whatever a class holds
    except (TypeError, ValueError):
        return "(...)"
    parameters = [
        parameter.replace(annotation=_Plain(parameter.annotation)) for parameter in signature.parameters.values()
    ]
    for number, parameter in enumerate(parameters):
        if parameter.default is not inspect.Parameter.empty:
            parameters[number] = parameter.replace(default=_Plain(_stable(parameter.default)))
    returned = signature.return_annotation
    return str(signature.replace(parameters=parameters, return_annotation=_Plain(returned)))


class _Plain:
    """An annotation or default that is shown as it is written, without quotes."""

    def __new__(cls, value: object) -> object:
        return value if value is inspect.Parameter.empty else super().__new__(cls)

    def __init__(self, value: object) -> None:
        self._text = _annotation(value)

    def __repr__(self) -> str:
        return self._text


def _annotation(value: object) -> str:
    return value if isinstance(value, str) else getattr(value, "__name__", repr(value))


def _stable(value: object) -> str:
    # The address of an object differs from run to run.
    return "..." if " at 0x" in repr(value) else repr(value)


def _default(field: dataclasses.Field[object]) -> str:
    if field.default is not dataclasses.MISSING:
        return f" = {_stable(field.default)}"
    return "" if field.default_factory is dataclasses.MISSING else " = ..."


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        SNAPSHOT.write_text(public_api(), encoding="utf-8")
    else:
        sys.stdout.write(public_api())
