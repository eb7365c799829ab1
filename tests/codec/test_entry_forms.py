"""The table of forms is total: every class, every field."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from tests.values.event_samples import SAMPLE_OF
from tests.values.fact_samples import FACT_SAMPLE_OF
from treadle.codec import entry_forms
from treadle.codec.entry_forms import EVENT_FORMS, entry_form, fact_forms
from treadle.codec.payloads import PLAIN_PAYLOADS
from treadle.errors import MisuseError
from treadle.values.events import EVENT_TYPES
from treadle.values.facts import FACT_TYPES
from treadle.values.outcome import InvocationOutcome

UNSTORED: dict[type, set[str]] = {InvocationOutcome: {"messages", "tool_outcomes"}}
FORM = entry_form(PLAIN_PAYLOADS)


def unwritten(value: Any, terms: Any) -> list[str]:  # noqa: ANN401 (a value and its terms)
    """Fields of a value, and of the values in it, that its terms do not hold."""
    if is_dataclass(value):
        names = {field.name for field in fields(value)} - UNSTORED.get(type(value), set())
        here = [f"{type(value).__name__}.{name}" for name in sorted(names - terms.keys())]
        return here + [told for name in names & terms.keys() for told in unwritten(getattr(value, name), terms[name])]
    if isinstance(value, tuple):
        return [told for part, item in zip(value, terms, strict=True) for told in unwritten(part, item)]
    return []


@pytest.mark.requirement("REC-total")
def test_the_tables_have_every_class() -> None:
    """Ours: an entry without a stored form is found here and not when a run loses it."""
    assert set(EVENT_FORMS) == set(EVENT_TYPES)
    assert set(fact_forms(PLAIN_PAYLOADS)) == set(FACT_TYPES)


@pytest.mark.parametrize("kind", [*EVENT_TYPES, *FACT_TYPES], ids=lambda kind: kind.kind)
@pytest.mark.requirement("REC-total")
def test_every_field_of_every_class_is_written(kind: type) -> None:
    """Ours: a field that is not stored is a field that a restart loses."""
    sample = {**SAMPLE_OF, **FACT_SAMPLE_OF}[kind]
    terms = FORM.dump(sample)
    assert terms["kind"] == sample.kind
    assert unwritten(sample, terms) == []


def test_a_field_that_is_not_written_is_found() -> None:
    """Ours: the rule can fail, in the value itself and in one that it holds."""
    sample = FACT_SAMPLE_OF[FACT_TYPES[0]]
    terms = FORM.dump(sample)
    del terms["rules"]["limits"]["tokens"]
    del terms["request"]["history"][1]["cut"]
    assert sorted(unwritten(sample, terms)) == ["Limits.tokens", "TurnMessage.cut"]


def test_what_has_no_row_is_refused() -> None:
    """Ours: a class that is not in the union is a bug, and is named."""
    with pytest.raises(MisuseError, match="ModelTurn"):
        FORM.dump(entry_forms.ModelTurn())
