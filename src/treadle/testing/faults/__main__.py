"""Serve the scenarios from a shell: `python -m treadle.testing.faults --port 8009`.

Prints the base URL and serves until it is interrupted; `--list` prints the scenarios and serves nothing.
"""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import Sequence

from treadle.testing.faults.catalogue import SCENARIOS
from treadle.testing.faults.server import FaultServer


def listing() -> str:
    """The scenarios, one a line."""
    width = max(map(len, SCENARIOS))
    return "".join(f"{name:{width}}  {scenario.says}\n" for name, scenario in sorted(SCENARIOS.items()))


async def serve(port: int) -> None:
    """Print the base URL and serve until cancelled."""
    async with FaultServer(port=port) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().create_future()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(
        prog="python -m treadle.testing.faults", description="a provider that fails on demand"
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--list", action="store_true", help="print the scenarios and end")
    chosen = parser.parse_args(arguments)
    if chosen.list:
        sys.stdout.write(listing())
        return
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(chosen.port))


if __name__ == "__main__":
    main()
