"""Calls as a model's adapter gives them to calls that may be checked: their arguments are JSON, or damage.

In: requests of a turn. Out: the same, where they are in order. An adapter hands on what a model wrote, which is JSON;
one that makes arguments itself may put anything into them. Log, tools and wires see one value, and no tool runs on
arguments that somebody changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from treadle.codec.foreign import json_terms
from treadle.values.calls import ToolRequest
from treadle.values.mappings import Json
from treadle.values.model import ModelTurn

NOT_TOLD = "the arguments hold values that JSON does not have, are too large, or nest too deep"


def turn_taken_in(turn: ModelTurn, checked: Callable[[ToolRequest], ToolRequest]) -> ModelTurn:
    """The turn with its requests taken in, and what `checked` finds of them."""
    requests = turn.tool_requests
    for slot, request in enumerate(turn.tool_requests):
        found = checked(taken_in(request))
        if found is not request:
            requests = (*requests[:slot], found, *requests[slot + 1 :])
    return turn if requests is turn.tool_requests else turn.calling(requests)


def taken_in(request: ToolRequest) -> ToolRequest:
    """The request with its arguments in JSON terms, and `damage` where they were not.

    Shape:  half a surrogate pair becomes U+FFFD and is no damage, as in argument text.
    """
    terms = json_terms(request.arguments)
    if terms is request.arguments:
        return request
    damage = request.damage or (None if _says_the_same(request.arguments, terms) else NOT_TOLD)
    return replace(request, arguments=terms, damage=damage)


def _says_the_same(given: object, terms: Json) -> bool:
    """Whether nothing but halves of surrogate pairs was changed."""
    if isinstance(given, str):
        return isinstance(terms, str)
    if isinstance(given, Mapping):
        return (
            isinstance(terms, Mapping)
            and len(terms) == len(given)
            and all(isinstance(key, str) for key in given)
            and all(map(_says_the_same, given.values(), terms.values()))
        )
    if isinstance(given, list | tuple):
        return isinstance(terms, Sequence) and len(terms) == len(given) and all(map(_says_the_same, given, terms))
    return type(given) is type(terms) and given == terms
