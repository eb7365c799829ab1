"""`MODULE:NAME` to the agent, or to whatever it names; a module alone to all that it offers.

The module is looked for in the current directory first, as `python -m` does. Every way this can fail is the caller's
to mend, so each is told in one line that names what was looked for.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from functools import reduce
from types import ModuleType

from treadle.app.agent import Agent
from treadle.cli.exits import CommandMisuseError
from treadle.errors import PlanError


def load_agent(spec: str) -> Agent:
    """The agent that `spec` names: an `Agent`, or what a function without arguments returns if that is one.

    Shape: `package.module:name`, where the name may be dotted.
    Raises:
        CommandMisuseError: There is no such agent. Where the agent's own module failed, that is the cause.
    """
    return _agent(named(spec, what="--agent"), spec)


def named(spec: str, *, what: str) -> object:
    """What `spec` names, whatever that is. `what` is what the caller calls it.

    Raises:
        CommandMisuseError: There is nothing of that name.
    """
    module_name, separator, name = spec.partition(":")
    if not (separator and module_name and name):
        raise CommandMisuseError(f"{what} must be MODULE:NAME, as in 'my_agents:calc', not {spec!r}")
    if module_name.endswith(".py") or os.sep in module_name:
        raise CommandMisuseError(f"{what} takes the name of a module, not of a file: {_as_module(module_name)}:{name}")
    return _attribute(_module(module_name), name)


def module_named(name: str, *, what: str) -> ModuleType:
    """The module of this name. `what` is what the caller calls it.

    Raises:
        CommandMisuseError: There is no such module, or it fails.
    """
    if name.endswith(".py") or os.sep in name:
        raise CommandMisuseError(f"{what} takes the name of a module, not of a file: {_as_module(name)}")
    return _module(name)


def _as_module(path: str) -> str:
    return path.removesuffix(".py").removeprefix(f".{os.sep}").strip(os.sep).replace(os.sep, ".")


def _module(name: str) -> ModuleType:
    here = os.getcwd()  # noqa: PTH109 (sys.path holds text)
    if here not in sys.path[:1]:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise CommandMisuseError(
                f"no module named {error.name!r} here or on the path of {sys.executable}"
            ) from None
        raise CommandMisuseError(_failed(f"importing {name!r}", error)) from error
    except (Exception, SystemExit) as error:
        # The module is the user's: it may raise anything.
        raise CommandMisuseError(_failed(f"importing {name!r}", error)) from error


def _attribute(module: object, name: str) -> object:
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError:
        agents = [key for key, value in vars(module).items() if isinstance(value, Agent)]
        known = f"; agents in it: {', '.join(agents)}" if agents else ""
        raise CommandMisuseError(f"module {getattr(module, '__name__', '?')!r} has no {name!r}{known}") from None


def _agent(found: object, spec: str) -> Agent:
    if isinstance(found, Agent):
        return found
    if not is_factory(found):
        raise CommandMisuseError(
            f"{spec!r} must be an Agent, or a function without arguments that returns one, not {kind_of(found)}"
        )
    made = called(found, spec)
    if isinstance(made, Agent):
        return made
    if inspect.iscoroutine(made):
        made.close()
    raise CommandMisuseError(f"{spec!r} must return an Agent, not {kind_of(made)}")


def called(found: object, spec: str) -> object:
    """What a function of the user's returns.

    Raises:
        CommandMisuseError: It failed, and what it raised is the cause.
    """
    try:
        return found()  # type: ignore[operator] # a factory is callable
    except (Exception, SystemExit) as error:
        # The function is the user's: it may raise anything.
        raise CommandMisuseError(_failed(f"calling {spec!r}", error)) from error


def is_factory(found: object) -> bool:
    """Whether it can be called without arguments."""
    if not callable(found):
        return False
    try:
        inspect.signature(found).bind()
    except (TypeError, ValueError):
        return False
    return True


def _failed(doing: str, error: BaseException) -> str:
    said = "; ".join(error.problems) if isinstance(error, PlanError) else f"{type(error).__name__}: {error}"
    return f"{doing} failed: {said}"


def kind_of(found: object) -> str:
    """The class of something, with its article."""
    name = type(found).__name__
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"
