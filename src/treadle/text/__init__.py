"""Text of the model to text that is shown: filters, and the close state that holds them."""

from treadle.text.automaton import Automaton, StreamFilter
from treadle.text.close_state import CloseState
from treadle.text.pieces import EXTRACTED, TEXT, THINKING, Extraction, Piece

__all__ = [
    "EXTRACTED",
    "TEXT",
    "THINKING",
    "Automaton",
    "CloseState",
    "Extraction",
    "Piece",
    "StreamFilter",
]
