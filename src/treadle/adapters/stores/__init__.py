"""Stores: the three ports of a run's log, one folder or file a store."""
