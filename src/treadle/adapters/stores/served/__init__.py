"""A store that another process has open, asked through that process's server."""

from treadle.adapters.stores.served.store import ServedStore

__all__ = ["ServedStore"]
