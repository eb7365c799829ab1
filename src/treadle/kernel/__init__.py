"""The machine that decides what a run does next. Pure: it is told, it never asks."""
