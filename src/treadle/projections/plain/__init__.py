"""Kernel events in their own words, as JSON: the wire of whoever has no other protocol to speak."""
