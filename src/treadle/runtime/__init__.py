"""Runs in motion: the loop that drives one, the writer of its log, and those who read it."""

import logging

# Operators choose where the log goes. Unless they do it goes nowhere: it may hold what others wrote.
logging.getLogger("treadle").addHandler(logging.NullHandler())
