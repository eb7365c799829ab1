"""The version of the distribution: the one place it stands in."""

__version__ = "0.1.0"
