"""What is served, by its name, on a socket, until a stop signal.

In: `MODULE` or `MODULE:NAME`, where to listen, where runs are kept. Out: a line with the address, what the operator
should know, and an end in good order: the first signal drains, the second ends the process.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import socket
from collections.abc import Callable, Sequence
from typing import Final, TypeGuard

from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.app.serving import listening, serve
from treadle.cli.exits import CommandMisuseError
from treadle.cli.loading import called, is_factory, kind_of, module_named, named
from treadle.cli.stopping import stop_signals
from treadle.errors import UnguardedError

OFFERS: Final = ("server", "app", "agents", "agent")
"""What of a module is served where only the module is named: the first of these that it has."""
_WANTED: Final = "an Agent, a list of them, a Server, or a function without arguments that returns one"


def served(spec: str, *, store: str | None) -> Server:
    """The server that `spec` names, or one for the agents that it names.

    Shape: `package.module:name`; an `Agent`, a list of them, a `Server`, or what a function without arguments returns
        if that is one. `package.module` alone is what the module offers: the first of `OFFERS` that it has and that can
        be one of these, else all agents at its top.
    Args:
        store: Where the runs of agents are kept; None: where nothing was said. A `Server` has a store of its own.
    Raises:
        CommandMisuseError: There is no such thing, or a store was named for a server that has its own.
    """
    found, spec = _found(spec)
    made = called(found, spec) if not isinstance(found, Agent | Server) and is_factory(found) else found
    if isinstance(made, Server):
        if store is not None:
            raise CommandMisuseError(f"{spec!r} is a Server and has a store of its own; leave --db out")
        return made
    agents = [made] if isinstance(made, Agent) else made
    if _are_agents(agents):
        return Server(agents, store=store or "sqlite:///runs.db")
    if inspect.iscoroutine(made):
        made.close()
    raise CommandMisuseError(f"{spec!r} must be {_WANTED}, not {kind_of(made)}")


def _found(spec: str) -> tuple[object, str]:
    """What `spec` names, and under which name it was found."""
    if ":" in spec:
        return named(spec, what="what is served"), spec
    module = module_named(spec, what="what is served")
    for name in OFFERS:
        offered = vars(module).get(name)
        # A name such as `app` may stand for something else here, as for the application that agents are mounted in.
        if _can_be_served(offered):
            return offered, f"{spec}:{name}"
    named_agents = {name: value for name, value in vars(module).items() if isinstance(value, Agent) and name[0] != "_"}
    agents = list({id(agent): agent for agent in named_agents.values()}.values())
    if not agents:
        offers = ", ".join(f"`{name}`" for name in OFFERS)
        raise CommandMisuseError(
            f"module {spec!r} offers nothing to serve: it needs an Agent at its top, or {offers} that is {_WANTED}; "
            f"{spec}:NAME serves something of another name"
        )
    return agents, spec


def _can_be_served(found: object) -> bool:
    return isinstance(found, Agent | Server) or _are_agents(found) or (found is not None and is_factory(found))


def _are_agents(found: object) -> TypeGuard[Sequence[Agent]]:
    return isinstance(found, list | tuple) and bool(found) and all(isinstance(one, Agent) for one in found)


def serve_until_asked(server: Server, *, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until a stop signal, and then in good order to the end.

    Args:
        say: Is given lines for people.
    Raises:
        CommandMisuseError: Nobody can listen there, or nobody should.
        StoreOwnedError: Another process has the store.
    """
    listener = _listening(host, port)

    _show_logs()

    async def until_asked() -> None:
        with stop_signals() as stop:

            async def asked() -> None:
                await stop.wait()
                say("stopping: live runs have their time to end; the same signal again stops at once")

            await serve(server, listener, told=_tell_address, asked=asked)

    try:
        asyncio.run(until_asked())
    except UnguardedError as unguarded:
        raise CommandMisuseError(str(unguarded)) from None
    finally:
        listener.close()


def _tell_address(url: str) -> None:
    """Where it answers, on stdout: a script that starts a server reads it there."""
    with contextlib.suppress(OSError, ValueError):
        print(f"serving at {url}", flush=True)


def _show_logs() -> None:
    """What goes wrong stands on stderr, also without `--debug`: whoever runs a server reads it there."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    for name in ("treadle", "uvicorn"):
        logging.getLogger(name).addHandler(handler)


def _listening(host: str, port: int) -> socket.socket:
    try:
        return listening(host, port)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CommandMisuseError(
            f"nobody can listen on {host!r}, port {port}: {why}; --port 0 takes a free one"
        ) from None
