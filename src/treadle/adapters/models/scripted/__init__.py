"""A model that says what a script says: for tests, examples and demos without a network."""

from treadle.adapters.models.scripted.model import ScriptedModel

__all__ = ["ScriptedModel"]
