"""Error codes to sentences."""

from __future__ import annotations

import pytest

from treadle import errors
from treadle.cli.failures import SENTENCES, UNKNOWN_CODE, failure_line
from treadle.values.limits import Limit


def codes_of_the_tree(root: type[errors.TreadleError]) -> set[str]:
    """The codes of an exception and of all below it. What a wire refuses has a class of the wire's own."""
    ours = [kind for kind in root.__subclasses__() if kind.__module__ == errors.__name__]
    below = set[str]().union(*map(codes_of_the_tree, ours))
    return below | {root.code}


def test_every_code_a_run_can_end_with_has_its_sentence() -> None:
    """Ours: a code without a sentence tells a person nothing."""
    peers = codes_of_the_tree(errors.PeerError) - {errors.PeerError.code}
    refusals = (errors.AccessError, errors.AccessUnavailableError, errors.AgentNotFoundError, errors.CapError)
    for refused in (*refusals, errors.OutboundRefusedError):
        peers -= codes_of_the_tree(refused)  # what a server refuses is no end of a run
    limits = {limit.value for limit in Limit}
    assert (peers | limits) - set(SENTENCES) == set()


def test_a_line_holds_code_sentence_reference_and_hint() -> None:
    """Ours: the form of docs/cli.md."""
    line = failure_line("model_busy", reference="r1", hint="wait a little")
    sentence = "the model provider is overloaded or limits the rate of requests"
    assert line == f"error: model_busy: {sentence} (reference r1); wait a little"


def test_a_code_we_do_not_know_is_still_told() -> None:
    """Ours: a source or a plug-in may bring codes of its own."""
    assert failure_line("brand_new") == f"error: brand_new: {UNKNOWN_CODE}"


@pytest.mark.parametrize("sentence", SENTENCES.values())
def test_a_sentence_is_half_a_line_without_a_full_stop(sentence: str) -> None:
    """Ours: code, sentence and reference stand in one line."""
    assert sentence == sentence.strip().rstrip(".")
    assert len(sentence) <= 90
