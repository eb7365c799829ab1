"""Who sits at this machine, for what is remembered of their decisions.

In: nothing. Out: a name.
"""

from __future__ import annotations

import getpass


def user_name() -> str:
    """Who sits here, as the system knows them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "somebody"
