"""The book of calls, one fact a test. A fragment is written (index, id, name, arguments)."""

from typing import Any

import pytest

from treadle.kernel.call_book import MAX_CALLS, NEVER_NAMED, TOO_MANY, UNCLEAR_OWNER, CallBook
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, CallNamed

Fragment = tuple[int | None, str | None, str | None, str | None]


def _told(book: CallBook, *fragments: Fragment) -> list[Any]:
    return [
        item
        for index, provider_id, name, arguments in fragments
        for item in book.fragment(index=index, provider_id=provider_id, name=name, arguments=arguments)
    ]


def _finished(*fragments: Fragment) -> tuple[tuple[ToolRequest, ...], str | None]:
    book = CallBook()
    _told(book, *fragments)
    return book.finish()


def _calls(*fragments: Fragment) -> list[tuple[str, str, Any]]:
    """Id, name and arguments of each call of a turn that can be told apart; its raw text where it is damaged."""
    requests, damage = _finished(*fragments)
    assert damage is None
    return [
        (request.provider_id, request.name, request.raw_arguments if request.damage else dict(request.arguments))
        for request in requests
    ]


@pytest.mark.requirement("BR-031")
def test_two_calls_with_one_index_are_two_calls() -> None:
    """A new id with a name never joins an older call, even at its index (field report)."""
    assert _calls((0, "A", "lookup", '{"q":1}'), (0, "B", "lookup", '{"q":2}')) == [
        ("A", "lookup", {"q": 1}),
        ("B", "lookup", {"q": 2}),
    ]


@pytest.mark.requirement("BR-032")
def test_the_tail_of_a_call_may_have_another_index_than_its_head() -> None:
    """The older call is no longer open when another has taken its index (field report)."""
    fragments = [(0, "A", "f", '{"x":'), (0, None, None, "1}"), (0, "B", "g", ""), (1, None, None, '{"y":2}')]
    assert _calls(*fragments) == [("A", "f", {"x": 1}), ("B", "g", {"y": 2})]


@pytest.mark.requirement("BR-034")
def test_without_an_index_each_new_id_opens_a_call_and_bare_pieces_go_on_with_it() -> None:
    """Gateways leave the index out, altogether or here and there (field report)."""
    bare = [(None, "A", "f", '{"a":1}'), (None, "B", "g", ""), (None, None, None, '{"b":'), (None, None, None, "2}")]
    assert _calls(*bare) == [("A", "f", {"a": 1}), ("B", "g", {"b": 2})]
    assert _calls((0, "C", "f", '{"c":'), (None, None, None, "3}"), (None, "D", "g", '{"d":4}')) == [
        ("C", "f", {"c": 3}),
        ("D", "g", {"d": 4}),
    ]


@pytest.mark.requirement("BR-035")
def test_a_fresh_index_without_an_id_belongs_to_the_only_open_call() -> None:
    """There is nobody else it could belong to (field report)."""
    assert _calls((0, "A", "f", '{"p":'), (1, None, None, '"v"'), (2, None, None, "}")) == [("A", "f", {"p": "v"})]


@pytest.mark.requirement("BR-035")
def test_with_two_open_calls_a_fresh_index_without_an_id_damages_the_turn() -> None:
    """An owner is never guessed (field report)."""
    requests, damage = _finished((0, "A", "f", '{"p":'), (1, "B", "g", '{"q":'), (2, None, None, '"v"}'))
    assert damage == UNCLEAR_OWNER
    assert [request.name for request in requests] == ["f", "g"]


def test_a_piece_that_says_nothing_has_no_owner_to_be_unclear_of() -> None:
    """Blanks under a fresh index damage nothing (ours)."""
    assert _calls((0, "A", "f", "{}"), (1, "B", "g", "{}"), (2, None, None, " "), (3, None, None, "")) == [
        ("A", "f", {}),
        ("B", "g", {}),
    ]


@pytest.mark.requirement("BR-037")
def test_id_and_name_in_every_delta_are_not_glued() -> None:
    """They are told anew, not continued (field report)."""
    fragments = [(0, "A", "f", "{"), (0, "A", "f", '"k":1'), (0, "A", "f", "}")]
    assert _calls(*fragments) == [("A", "f", {"k": 1})]


@pytest.mark.requirement("BR-038")
def test_an_empty_trailing_delta_announces_nothing() -> None:
    """A call ends with its turn, not when its text happens to parse (field report)."""
    book = CallBook()
    assert _told(book, (0, "A", "f", '{"q":1}')) == [
        CallNamed(slot=0, name="f", provider_id="A"),
        (ARGUMENTS, '{"q":1}'),
    ]
    assert _told(book, (0, None, None, ""), (0, None, None, None), (0, "A", "f", ""), (0, "A", None, None)) == []
    assert len(book.finish()[0]) == 1


@pytest.mark.requirement("BR-041")
def test_calls_without_ids_are_told_apart_by_index_or_by_their_names_coming_again() -> None:
    """A second whole object under the same name can only be a second call (field report)."""
    two = [("", "f", {"a": 1}), ("", "f", {"a": 2})]
    for no_id in (None, ""):
        assert _calls((0, no_id, "f", '{"a":1}'), (1, no_id, "f", '{"a":2}')) == two
        assert _calls((0, no_id, "f", '{"a":1}'), (0, no_id, "f", '{"a":2}')) == two
        assert _calls((None, no_id, "f", '{"a":1}'), (None, no_id, "g", "")) == [("", "f", {"a": 1}), ("", "g", {})]


def test_a_name_repeated_without_an_id_goes_on_with_an_unfinished_call() -> None:
    """The same head, told in each delta (ours)."""
    assert _calls((0, None, "f", '{"a":'), (0, None, "f", '{"b":1}'), (0, None, "f", "}")) == [
        ("", "f", {"a": {"b": 1}})
    ]


@pytest.mark.requirement("BR-043")
@pytest.mark.parametrize("arguments", ["", None, "  \n", "null"])
def test_a_call_without_argument_text_has_empty_arguments(arguments: str | None) -> None:
    """Tools without parameters run (field report)."""
    assert _calls((0, "A", "ping", arguments)) == [("A", "ping", {})]


@pytest.mark.requirement("BR-044", "BR-046")
def test_a_damaged_call_keeps_its_text_and_says_why() -> None:
    """A tail that repeats what was sent is not cut off; the call beside it is sound (field report)."""
    fragments = [(0, "A", "f", '{"q": "teapot'), (0, None, None, '"}'), (0, None, None, 'ot"}')]
    (broken, sound), damage = _finished(*fragments, (1, "B", "g", '{"q":2}'))
    assert damage is None
    assert (broken.raw_arguments, dict(broken.arguments)) == ('{"q": "teapot"}ot"}', {})
    assert "not one JSON object" in (broken.damage or "")
    assert (sound.damage, sound.raw_arguments, dict(sound.arguments)) == (None, None, {"q": 2})


@pytest.mark.requirement("BR-047")
def test_pieces_that_go_over_to_another_call_name_it_again() -> None:
    """A reader knows whose a piece is: the call last named (ours)."""
    book = CallBook()
    first, second = CallNamed(slot=0, name="f", provider_id="A"), CallNamed(slot=1, name="g", provider_id="B")
    heads = [(0, "A", "f", '{"a":'), (1, "B", "g", '{"b":')]
    tails = [(0, None, None, "1}"), (1, None, None, "2"), (1, None, None, "}")]
    assert _told(book, *heads) == [first, (ARGUMENTS, '{"a":'), second, (ARGUMENTS, '{"b":')]
    assert _told(book, *tails) == [first, (ARGUMENTS, "1}"), second, (ARGUMENTS, "2"), (ARGUMENTS, "}")]
    assert [dict(request.arguments) for request in book.finish()[0]] == [{"a": 1}, {"b": 2}]


def test_a_known_id_wins_over_an_index_that_shifts() -> None:
    """Also over one that another call holds (field report)."""
    shifting = [(0, "A", "f", '{"k":'), (1, "A", None, "1"), (2, "A", "f", "}")]
    assert _calls(*shifting) == [("A", "f", {"k": 1})]
    crossed = [(0, "A", "f", '{"a":'), (1, "B", "g", '{"b":'), (1, "A", None, "1}"), (0, "B", None, "2}")]
    assert _calls(*crossed) == [("A", "f", {"a": 1}), ("B", "g", {"b": 2})]


def test_an_index_at_which_two_calls_spoke_says_nothing_of_a_bare_piece() -> None:
    """It is not guessed which of the two goes on (ours)."""
    fragments = [(0, "A", "f", '{"a":'), (0, "B", "g", '{"b":'), (0, "A", None, "1}"), (0, None, None, "2}")]
    assert _finished(*fragments)[1] == UNCLEAR_OWNER


def test_an_id_that_changes_in_mid_call_is_still_that_call() -> None:
    """Without a name it opens nothing, and the object is unfinished; the first id stays (field report)."""
    fragments = [(0, "A1", "f", '{"k":'), (0, "A2", None, "1"), (0, "A3", None, "}"), (5, "A2", None, " ")]
    assert _calls(*fragments) == [("A1", "f", {"k": 1})]


def test_a_changed_id_that_turns_out_to_have_another_name_damages_the_turn() -> None:
    """What came under it before may have been the other call's (ours)."""
    requests, damage = _finished((0, "A", "f", ""), (0, "B", None, '{"b":1}'), (0, "B", "g", ""))
    assert damage == UNCLEAR_OWNER
    assert len(requests) == 1


def test_a_new_id_after_a_whole_object_opens_a_call_whose_name_may_come_later() -> None:
    """Nothing is told of it until it has its name, then all at once (ours)."""
    book = CallBook()
    assert len(_told(book, (0, "A", "f", '{"a":1}'))) == 2
    assert _told(book, (0, "B", None, '{"b":'), (0, None, None, "2")) == []
    assert _told(book, (0, None, "g", "}")) == [
        CallNamed(slot=1, name="g", provider_id="B"),
        (ARGUMENTS, '{"b":2'),
        (ARGUMENTS, "}"),
    ]
    assert [dict(request.arguments) for request in book.finish()[0]] == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    "fragments",
    [
        [(0, "A", None, '{"a":'), (0, None, "f", "1}")],
        [(0, "A", None, '{"a":1}'), (0, "A", "f", None)],
        [(0, None, None, '{"a":1}'), (0, "A", "f", "")],
        [(0, None, "f", None), (0, "A", None, '{"a":1}')],
        [(0, None, "f", '{"a":'), (0, "A", None, "1}")],
        [(0, None, "f", None), (0, "A", "f", '{"a":1}')],
    ],
)
def test_id_name_and_arguments_may_come_in_any_order(fragments: list[Fragment]) -> None:
    """They are one call, told once (ours)."""
    assert _calls(*fragments) == [("A", "f", {"a": 1})]


def test_a_head_after_an_idless_call_that_has_spoken_is_a_further_call() -> None:
    """An id may come late for a call that said no more than its name (ours)."""
    assert _calls((0, None, "f", '{"a":1}'), (0, "B", "f", '{"b":2}')) == [("", "f", {"a": 1}), ("B", "f", {"b": 2})]


@pytest.mark.parametrize(
    "fragments",
    [
        [(0, "A", "f", '{"a":1}'), (1, "A", "f", '{"a":2}')],
        [(0, "A", "f", ""), (0, None, None, '{"a":1}'), (1, "A", "f", ""), (1, None, None, '{"a":2}')],
        [(0, "A", "f", ""), (1, "A", "f", ""), (0, None, None, '{"a":1}'), (1, None, None, '{"a":2}')],
        [
            (0, "A", "f", ""),
            (1, "A", "f", ""),
            (1, None, None, " "),
            (0, None, None, '{"a":1}'),
            (1, "A", "f", '{"a":2}'),
        ],
    ],
)
def test_one_id_at_two_indexes_with_an_object_each_is_two_calls(fragments: list[Fragment]) -> None:
    """Read as one call they could only be damage (ours)."""
    assert _calls(*fragments) == [("A", "f", {"a": 1}), ("A", "f", {"a": 2})]


def test_one_id_under_two_names_is_two_calls() -> None:
    """The index then tells their pieces apart (ours)."""
    fragments = [(0, "A", "f", ""), (1, "A", "g", ""), (0, "A", None, '{"a":1}'), (1, "A", None, '{"b":2}')]
    assert _calls(*fragments) == [("A", "f", {"a": 1}), ("A", "g", {"b": 2})]


def test_one_call_sent_twice_under_its_id_and_index_never_runs_twice() -> None:
    """Joined it is damage, and the model is told (ours)."""
    assert _calls((0, "A", "f", '{"a":1}'), (0, "A", "f", '{"a":1}')) == [("A", "f", '{"a":1}{"a":1}')]


def test_a_repeated_head_at_a_fresh_index_whose_piece_goes_on_is_the_same_call() -> None:
    """A piece that begins no object cannot begin a call (ours)."""
    fragments = [(0, "A", "f", '{"a":'), (1, "A", "f", ""), (1, None, None, "1"), (1, None, None, "}")]
    assert _calls(*fragments) == [("A", "f", {"a": 1})]


def test_a_head_at_an_index_whose_text_was_given_to_another_call_damages_the_turn() -> None:
    """The text may have been the beginning of this one (ours)."""
    fragments = [(0, "A", "ping", ""), (1, None, None, '{"b":1}'), (1, "B", "g", "")]
    assert _finished(*fragments)[1] == UNCLEAR_OWNER


def test_a_call_without_a_name_is_damaged_and_comes_last() -> None:
    """Slots are those of the named; of a call nothing was said of, nothing is told (ours)."""
    (named, nameless), damage = _finished((0, "A", None, "{}"), (1, "B", "g", "{}"), (2, "C", None, ""))
    assert damage is None
    assert (named.name, named.damage) == ("g", None)
    assert nameless == ToolRequest(name="", provider_id="A", raw_arguments="{}", damage=NEVER_NAMED)


def test_text_before_any_head_waits_for_one() -> None:
    """And is kept as damage if none comes (ours)."""
    ((request,), damage) = _finished((0, None, None, '{"a":1}'))
    assert (request.damage, request.raw_arguments, damage) == (NEVER_NAMED, '{"a":1}', None)


def test_a_turn_holds_a_bounded_number_of_calls() -> None:
    """One more damages the turn; what was told stays told (ours)."""
    heads: list[Fragment] = [(at, f"id{at}", "f", "{}") for at in range(MAX_CALLS)]
    assert _finished(*heads)[1] is None
    requests, damage = _finished(*heads, (MAX_CALLS, "more", "f", "{}"), (0, "id0", "f", ""), (0, "more", "f", ""))
    assert (len(requests), damage) == (MAX_CALLS, TOO_MANY)


def test_one_id_at_one_index_too_many_damages_the_turn() -> None:
    """The bound holds for a call that is opened by its arguments too (ours)."""
    heads: list[Fragment] = [(at, f"id{at}", "f", "{}") for at in range(MAX_CALLS)]
    twin: list[Fragment] = [(MAX_CALLS, "id0", "f", ""), (MAX_CALLS, None, None, "{}")]
    assert _finished(*heads, *twin)[1] == TOO_MANY


@pytest.mark.requirement("BR-186")
def test_half_a_surrogate_pair_waits_for_its_other_half_or_is_replaced() -> None:
    """Nothing that cannot be encoded is told, in pieces and in requests alike (field report)."""
    book = CallBook()
    head = CallNamed(slot=0, name="f\ufffd", provider_id="A\ufffd")
    assert _told(book, (0, "A\ud83d", "f\ud83d", '{"a":"\ud83d')) == [head, (ARGUMENTS, '{"a":"')]
    assert _told(book, (0, None, None, "\ude00\ud83d"), (0, None, None, "é")) == [
        (ARGUMENTS, "😀"),
        (ARGUMENTS, "\ufffdé"),
    ]
    assert _told(book, (0, None, None, "\ude00"), (0, None, None, '"}')) == [(ARGUMENTS, "\ufffd"), (ARGUMENTS, '"}')]
    assert dict(book.finish()[0][0].arguments) == {"a": "😀\ufffdé\ufffd"}


def test_half_a_surrogate_pair_at_the_end_is_replaced() -> None:
    """It stays readable in the text that is kept (ours)."""
    (request,), _ = _finished((0, "A", "f", '{"a":"\ud83d'))
    assert request.raw_arguments == '{"a":"\ufffd'
    (nameless,), _ = _finished((0, "A", None, "\ud83d"))
    assert nameless.raw_arguments == "\ufffd"
