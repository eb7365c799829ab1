"""The names of the conventions are those of the release that is pinned."""

from __future__ import annotations

from opentelemetry.semconv._incubating.attributes import error_attributes, gen_ai_attributes
from opentelemetry.semconv.schemas import Schemas

from treadle.adapters.traces import conventions as conv


def test_the_pinned_release_is_the_newest_that_the_locked_package_knows() -> None:
    """Ours: a new release of the conventions is a change that is read and made here."""
    assert list(Schemas)[-1].value == conv.SCHEMA_URL


def test_every_name_of_theirs_stands_in_that_release() -> None:
    """Ours: no name of ours looks like theirs."""
    known = {
        value
        for module in (gen_ai_attributes, error_attributes)
        for value in vars(module).values()
        if isinstance(value, str)
    }
    ours = {value for value in vars(conv).values() if isinstance(value, str)} | set(conv.USAGE.values())
    theirs = {name for name in ours if name.startswith(("gen_ai.", "error."))}
    assert len(theirs) == 18
    assert theirs <= known
    operations = {one.value for one in gen_ai_attributes.GenAiOperationNameValues}
    assert {conv.INVOKE_AGENT, conv.CHAT, conv.EXECUTE_TOOL} <= operations
