"""Tools that are Python functions."""

from treadle.adapters.toolboxes.functions.toolbox import FunctionToolbox

__all__ = ["FunctionToolbox"]
