"""`python -m treadle`: the same as the command `treadle`."""

from __future__ import annotations

import sys

from treadle.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
