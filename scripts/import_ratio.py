"""How long `import treadle` takes, in units of `import asyncio, json, dataclasses`.

In: the interpreter that runs this. Out: one number, the ratio of the medians of nine, taken in turn.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

ROUNDS = 9


def seconds(statement: str) -> float:
    """Time an import in an interpreter of its own, without the interpreter's own start."""
    program = f"import time; t = time.perf_counter()\n{statement}\nprint(time.perf_counter() - t)"
    return float(
        subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True).stdout
    )


def ratio() -> float:
    """Take both in turn, so that what else the machine does falls on both."""
    pairs = [(seconds("import treadle"), seconds("import asyncio, json, dataclasses")) for _ in range(ROUNDS)]
    return statistics.median(ours for ours, _ in pairs) / statistics.median(theirs for _, theirs in pairs)


if __name__ == "__main__":
    print(f"{ratio():.3f}")
