"""The memory store."""

from treadle.adapters.stores.memory.store import MemoryStore

__all__ = ["MemoryStore"]
