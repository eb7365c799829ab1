"""Rows: what they look like, what is refused, and the forms that were ever written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import CALL, OUTCOME, RUN, SAMPLES, event
from tests.values.fact_samples import FACT_SAMPLES, RULES, TURN, TURN_REQUEST
from treadle.adapters.models.openai_chat.payload import ChatPayload, dump_payload, load_payload
from treadle.codec import records
from treadle.codec.records import ENTRIES, REQUEST, RecordCodec, Row
from treadle.codec.upcast import FORM_VERSION
from treadle.errors import MisuseError, RecordFormatError
from treadle.values import events as ev
from treadle.values import facts as fa
from treadle.values.model import ARGUMENTS, TEXT, THINKING, ModelTurn
from treadle.values.requests import TurnMessage, TurnRequest
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

CODEC = RecordCodec()
GOLDEN = Path(__file__).parents[1] / "golden" / "records"
FORMS = sorted(GOLDEN.glob("form_*.txt"))


class ChatPayloads:
    """The payloads of one adapter."""

    dump = staticmethod(dump_payload)
    load = staticmethod(load_payload)


def speech(*texts: str, kind: str = TEXT, key: Any = 1) -> SpeechStretch:  # noqa: ANN401 (by kind: a number, an id)
    """A stretch of speech at one place."""
    return SpeechStretch(seq=3, index=2, kind=kind, key=key, texts=texts, at_s=1.5, epoch=1)


def of_entries(*entries: Any) -> EntryStretch:  # noqa: ANN401 (events and facts)
    """A stretch of entries at the same place."""
    return EntryStretch(seq=3, index=2, entries=entries, at_s=1.5, epoch=1)


def row(kind: str, body: bytes, version: int = FORM_VERSION) -> Row:
    """A row of that place."""
    return Row(seq=3, index=2, epoch=1, at_s=1.5, kind=kind, version=version, body=body)


STORED: tuple[Stretch, ...] = (
    speech("It"),
    speech("It", " is", " 3."),
    speech("hm", ", é", kind=THINKING, key=2),
    speech('{"a":', "1}", kind=ARGUMENTS, key=CALL),
    *map(of_entries, (*SAMPLES, *FACT_SAMPLES)),
)


def written() -> list[str]:
    """Each of `STORED`, and a request, as a line: kind and body."""
    rows = map(CODEC.dump_stretch, STORED)
    lines = [f"{one.kind} {one.body.decode()}" for one in rows]
    return [*lines, f"{REQUEST} {CODEC.dump_request(TURN_REQUEST, RULES).decode()}"]


def golden_rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """The kinds and bodies of a golden file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, _, body = line.partition(" ")
        yield kind, body.encode()


@pytest.mark.parametrize(
    ("stretch", "kind", "body"),
    [
        (speech(" hello"), "text", b'{"key":1,"text":" hello"}'),
        (speech("It", " is", "é"), "text", '{"key":1,"text":"It isé","ends":[2,5,6]}'.encode()),
        (speech("{", kind=ARGUMENTS, key=CALL), "arguments", b'{"key":"r1.c1","text":"{"}'),
        (
            of_entries(fa.RoundOpened(round=1, attempt=2), event(ev.ToolAnnounced, call_id=CALL, name="add")),
            "entries",
            (
                b'[{"kind":"round_opened","round":1,"attempt":2},{"kind":"tool_announced","index":0,"run_id":"r1",'
                b'"call_id":"r1.c1","name":"add"}]'
            ),
        ),
        (of_entries(), "entries", b"[]"),
    ],
)
@pytest.mark.requirement("REC-row")
def test_a_row_is_one_stretch(stretch: Stretch, kind: str, body: bytes) -> None:
    """ADR 0014: speech is its texts joined and their ends, entries are objects by kind; the place is the stretch's."""
    stored = CODEC.dump_stretch(stretch)
    assert stored == row(kind, body)
    assert CODEC.load_stretch(stored) == stretch


@pytest.mark.requirement("REC-size")
def test_a_passage_at_rest_takes_few_bytes_a_delta() -> None:
    """Design: one row a passage at rest, 20 bytes a delta."""
    deltas = ["token"] * 5000
    size_bytes = len(CODEC.dump_stretch(speech(*deltas)).body)
    assert size_bytes / len(deltas) < 20


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("image", b"{}", "unknown kind 'image'"),
        (ENTRIES, b'[{"kind":"round_opened","round":1,"attempt":2},{"kind":"wish"}]', "1: unknown kind 'wish'"),
        (ENTRIES, b'[{"round":1}]', "0: expected a mapping with a kind, not 'dict'"),
        (ENTRIES, b'[{"kind":["a"]}]', "0: expected a mapping with a kind, not 'dict'"),
        (ENTRIES, b'{"kind":"x"}', "expected a sequence, not 'dict'"),
        (ENTRIES, b"[", "the bytes are no JSON"),
        (ENTRIES, b"[" * 100_000, "the bytes are no JSON"),
        (
            ENTRIES,
            b'[{"kind":"round_opened","round":"secret","attempt":2}]',
            "0: round_opened: round: expected a whole number, not 'str'",
        ),
        (
            ENTRIES,
            b'[{"kind":"round_opened","round":1,"colour":2}]',
            "0: round_opened: fields are missing: ['attempt'], or unknown: ['colour']",
        ),
        (
            ENTRIES,
            b'[{"kind":"dropped","index":0,"run_id":"r","dropped_kind":"x","count":0,"first":1,"last":1}]',
            "0: dropped: the fields make no legal Dropped",
        ),
        (TEXT, b'{"key":1,"text":""}', "ends: expected places that rise"),
        (TEXT, b'{"key":1,"text":"abc","ends":[]}', "ends: expected places that rise"),
        (TEXT, b'{"key":1,"text":"abc","ends":[1,2]}', "ends: expected places that rise"),
        (TEXT, b'{"key":1,"text":"abc","ends":[2,1,3]}', "ends: expected places that rise"),
        (TEXT, b'{"key":1,"text":"abc","ends":[-1,3]}', "ends: expected places that rise"),
        (TEXT, b'{"key":1,"text":"abc","ends":[9,3]}', "ends: expected places that rise"),
        (TEXT, b'{"key":"r1.c1","text":"abc"}', "key: expected 'int', not 'str'"),
        (ARGUMENTS, b'{"key":1,"text":"abc"}', "key: expected 'str', not 'int'"),
        (TEXT, b'{"key":1,"text":"abc","more":1}', "the bytes are no speech"),
        (TEXT, b"\xff", "the bytes are no speech"),
    ],
)
@pytest.mark.requirement("REC-damage")
def test_what_cannot_be_read_is_told_with_its_place_and_without_its_content(kind: str, body: bytes, words: str) -> None:
    """Ours: an operator finds the row, and a log of errors holds nothing of what a run remembers."""
    with pytest.raises(RecordFormatError) as refused:
        CODEC.load_stretch(row(kind, body))
    assert refused.value.version == FORM_VERSION
    assert str(refused.value).startswith(f"row of kind {kind!r} at seq 3: {words}")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("kind", [TEXT, ENTRIES])
@pytest.mark.parametrize("version", [FORM_VERSION + 1, 0, -1])
@pytest.mark.requirement("REC-version")
def test_a_version_that_is_not_known_is_refused_by_its_number(kind: str, version: int) -> None:
    """Ours: what a newer version of this library wrote is not guessed at."""
    stored = CODEC.dump_stretch(speech("a") if kind == TEXT else of_entries())
    with pytest.raises(RecordFormatError, match="form version") as refused:
        CODEC.load_stretch(row(stored.kind, stored.body, version))
    assert refused.value.version == version


@pytest.mark.parametrize("field", ["seq", "index", "epoch", "at_s", "version", "kind", "body"])
@pytest.mark.requirement("REC-damage")
def test_a_row_with_a_column_of_another_class_is_refused(field: str) -> None:
    """Ours: a database gives back what is in it."""
    for stored in map(CODEC.dump_stretch, (speech("a"), of_entries())):
        with pytest.raises(RecordFormatError):
            CODEC.load_stretch(msgspec.structs.replace(stored, **{field: None}))


# A form that never was: kinds and fields had other names, and a call was its name alone.
OLD = 0


def _step(kind: str, terms: Any) -> tuple[str, Any]:  # noqa: ANN401 (JSON terms)
    if kind == "say":
        return TEXT, {"key": terms["part"], "text": "".join(terms["said"]), "ends": terms["ends"]}
    if kind == REQUEST:
        return kind, {"request": terms["asked"], "rules": terms["rules"]}
    return kind, [{"round": 1, "attempt": item.pop("try"), **item} for item in terms]


@pytest.mark.requirement("REC-version")
def test_rows_and_requests_of_an_old_form_are_read_through_its_step() -> None:
    """Ours: what was written once can be read for ever; here by a form that is made up."""
    codec = RecordCodec(steps={OLD: _step})
    said = codec.load_stretch(row("say", b'{"part":1,"said":["It"," is"],"ends":[2,5]}', OLD))
    opened = codec.load_stretch(row(ENTRIES, b'[{"kind":"round_opened","try":2}]', OLD))
    asked = msgspec.json.decode(CODEC.dump_request(TURN_REQUEST, RULES))
    old = msgspec.json.encode({"version": OLD, "asked": asked["request"], "rules": asked["rules"]})
    assert said == speech("It", " is")
    assert opened == of_entries(fa.RoundOpened(round=1, attempt=2))
    assert codec.load_request(old) == (TURN_REQUEST, RULES)


@pytest.mark.parametrize(
    ("kind", "body"), [("say", b"{}"), ("say", b'{"part":1,"said":["a"],"ends":["x"]}'), (ENTRIES, b"[1]")]
)
@pytest.mark.requirement("REC-version")
def test_damage_in_an_old_form_is_told_with_its_version(kind: str, body: bytes) -> None:
    """Ours: a step is not to check what it takes; whatever it trips over is damage."""
    with pytest.raises(RecordFormatError) as refused:
        RecordCodec(steps={OLD: _step}).load_stretch(row(kind, body, OLD))
    assert refused.value.version == OLD


@pytest.mark.parametrize(
    ("body", "version"),
    [
        (b"{}", None),
        (b"[]", None),
        (b"", None),
        (b'{"version":"1"}', None),
        (b'{"version":9}', 9),
        (b'{"version":1}', 1),
    ],
)
@pytest.mark.requirement("REC-damage")
def test_a_request_that_cannot_be_read_is_refused(body: bytes, version: int | None) -> None:
    """Ours: it carries its version in itself."""
    with pytest.raises(RecordFormatError, match=r"^stored request: ") as refused:
        CODEC.load_request(body)
    assert refused.value.version == version


@pytest.mark.requirement("REC-payload")
def test_a_payload_is_stored_by_the_adapter_that_made_it() -> None:
    """Design: carried, never read, and stored through that adapter's own dump and load."""
    payload = ChatPayload(reasoning_field="reasoning", call_seals={"0": "s1"})
    turn = ModelTurn(text="3", payload=payload)
    asked = TurnRequest(prompt="", history=(TurnMessage(turn=turn),), run_id=RUN, root_run_id=RUN)
    codec = RecordCodec(ChatPayloads())
    kept = of_entries(fa.TurnKept(round=1, attempt=1, turn=turn), fa.RequestKept(request=asked, rules=RULES))
    stored = codec.dump_stretch(kept)
    assert stored.body.count(b'"payload":{"reasoning_field":"reasoning","call_seals":{"0":"s1"}}') == 2
    assert codec.load_stretch(stored) == kept
    assert codec.load_request(codec.dump_request(asked, RULES)) == (asked, RULES)


@pytest.mark.requirement("REC-payload")
def test_a_payload_that_is_not_json_needs_its_adapter() -> None:
    """Ours: to write an adapter's object by its fields would be to guess what it is."""
    turn = ModelTurn(payload=ChatPayload(reasoning_field="reasoning"))
    with pytest.raises(MisuseError, match="ChatPayload"):
        CODEC.dump_stretch(of_entries(fa.TurnKept(round=1, attempt=1, turn=turn)))


@pytest.mark.requirement("REC-payload")
def test_a_payload_that_its_adapter_cannot_read_is_told_with_its_place() -> None:
    """Ours: a log can be read with the wrong adapter at hand."""
    stored = CODEC.dump_stretch(of_entries(fa.TurnKept(round=1, attempt=1, turn=TURN)))
    with pytest.raises(RecordFormatError, match="0: turn_kept: turn: payload: ") as refused:
        RecordCodec(ChatPayloads()).load_stretch(stored)
    assert refused.value.version == FORM_VERSION


@pytest.mark.requirement("REC-surrogates")
def test_half_a_surrogate_pair_in_a_fact_is_replaced() -> None:
    """Ours: a fact holds the raw turn, and UTF-8 has no form for half a pair."""
    turn = ModelTurn(text="a\ud83d", thinking="\ud83d\ude00", payload={"\ud800": "\udc00"})
    mended = ModelTurn(text="a\ufffd", thinking="\U0001f600", payload={"\ufffd": "\ufffd"})
    stored = CODEC.dump_stretch(of_entries(fa.TurnKept(round=1, attempt=1, turn=turn)))
    assert CODEC.load_stretch(stored) == of_entries(fa.TurnKept(round=1, attempt=1, turn=mended))


@pytest.mark.requirement("REC-unstored")
def test_what_an_outcome_holds_for_callers_in_process_is_not_stored() -> None:
    """Design: messages and tool outcomes are opaque and empty in the log."""
    told = msgspec.structs  # any object of a caller's
    filled = event(ev.Done, outcome=type(OUTCOME)(text="3", messages=(told,), tool_outcomes=(told,)))
    loaded = CODEC.load_stretch(CODEC.dump_stretch(of_entries(filled)))
    assert loaded == of_entries(event(ev.Done, outcome=type(OUTCOME)(text="3")))


@pytest.mark.requirement("REC-golden")
def test_the_form_that_is_written_is_the_golden_one() -> None:
    """Ours: a stored form changes in a diff that somebody reads, and with a version of its own."""
    path = GOLDEN / f"form_{FORM_VERSION}.txt"
    lines = written()
    if os.environ.get("TREADLE_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert path.read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.requirement("REC-golden")
def test_there_is_a_golden_file_of_every_form_that_ever_was() -> None:
    """Ours: a golden record of an old form is never deleted."""
    assert [path.name for path in FORMS] == [f"form_{version}.txt" for version in range(1, FORM_VERSION + 1)]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
@pytest.mark.requirement("REC-golden")
def test_every_golden_record_is_read(path: Path) -> None:
    """Ours: what was written once can be read for ever."""
    version = int(path.stem.removeprefix("form_"))
    *rows, (kind, request) = golden_rows(path)
    assert kind == REQUEST
    assert [CODEC.load_stretch(row(kind, body, version)) for kind, body in rows] == list(STORED)
    assert CODEC.load_request(request) == (TURN_REQUEST, RULES)


@given(st.text(st.characters(exclude_categories=())), st.dictionaries(st.text(), st.floats() | st.text(), max_size=1))
def test_whoever_wrote_a_request_reads_what_others_read(prompt: str, properties: dict[str, Any]) -> None:
    """Law 5: a run is the same wherever it is worked on; a codec that remembers a request remembers what is stored."""
    request = TurnRequest(prompt=prompt, run_id=RUN, root_run_id=RUN, properties=properties)
    codec = RecordCodec()
    body = codec.dump_request(request, RULES)
    stored = RecordCodec().load_request(body)
    # By what they say: one that is not a number is not equal to itself.
    assert repr(codec.load_request(body)) == repr(stored)
    assert repr(codec.load_request(body)) == repr(stored)


def test_a_codec_remembers_so_many_requests_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a request that is never read here, as where another process works on it, is not kept for ever."""
    monkeypatch.setattr(records, "MOST_FRESH", 2)
    codec = RecordCodec()
    asked = TurnRequest(prompt="", run_id=RUN, root_run_id=RUN)
    bodies = [codec.dump_request(replace(asked, prompt=str(number)), RULES) for number in range(5)]
    assert [codec.load_request(body)[0].prompt for body in bodies] == ["0", "1", "2", "3", "4"]
