"""Kernel events said in other vocabularies: one folder each, and none is made from another."""
