"""Pieces of calls, as a provider streams them, to the calls of a turn.

In: fragments, each with an index, an id, a name and argument text, any of which may be missing, repeated or wrong.
Out: at once, what may be told of the calls; at the end, the requests. Knows no provider and no wire.

Whose a fragment is, first rule that fits:
    its id is known      that call's, whatever the index says; under another name it is a further call with that id
    its id is new        a further call's. Not so at the index of a call that has no id yet (the id came late), and not
                         when it has no name and the call at its index is unfinished (the id changed in mid call)
    it has a name alone  the call's at its index, if that has the same name or none yet; else a further call's
    it has neither       the call's at its index; where none is there, the only open call's; where none is open, one
                         whose name is still to come. Where two are open nobody can tell: the turn is damaged
A call is open until another takes the index it was opened at; having no index counts as an index. An object that has
ended takes no more: a head that brings a second object to it (same name, no id or the same id at another index) is a
further call, because read as one call it could only be damage. In every other doubt texts are joined as they came, and
what is not one JSON object is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from treadle.framing.surrogates import whole_text
from treadle.kernel.call_arguments import ObjectExtent, begins_object, is_blank, read_arguments
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, CallNamed, Piece

MAX_CALLS: Final = 128
"""Calls that one turn may hold. A turn with more is damaged."""

UNCLEAR_OWNER: Final = "a piece of arguments came that could belong to more than one call of this turn"
TOO_MANY: Final = f"the turn holds more than {MAX_CALLS} calls"
NEVER_NAMED: Final = "the call names no tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fragment:
    index: int | None
    provider_id: str
    name: str
    text: str


class _Call:
    __slots__ = ("_extent", "_scanned", "half", "home", "is_open", "name", "pieces", "provider_id", "slot")

    def __init__(self, *, home: int | None, provider_id: str) -> None:
        self.home = home
        self.provider_id = provider_id
        self.name = ""
        self.slot = -1  # given with the name
        self.pieces: list[str] = []
        self.half = ""  # the first half of a surrogate pair, until its other half comes
        self.is_open = True
        self._extent = ObjectExtent()
        self._scanned = 0

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are an object that has ended. Asked seldom, so pieces are looked through then."""
        for at in range(self._scanned, len(self.pieces)):
            self._extent.feed(self.pieces[at])
        self._scanned = len(self.pieces)
        return self._extent.whole

    def add(self, text: str) -> str:
        """Keep a piece; give what may be told of it now."""
        if self.half or not text.isascii():
            text = self.half + text
            self.half = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
            text = whole_text(text[:-1] if self.half else text)
        if text:
            self.pieces.append(text)
        return text

    def request(self) -> ToolRequest:
        """The call as it stands, without a call id."""
        text = "".join(self.pieces) + ("\ufffd" if self.half else "")
        arguments, damage = read_arguments(text)
        if not self.name:
            damage = NEVER_NAMED
        return ToolRequest(
            name=self.name,
            arguments={} if damage else arguments,
            provider_id=self.provider_id,
            raw_arguments=text if damage else None,
            damage=damage,
        )


class CallBook:
    """The calls of one turn, written down as they are told.

    Shape:  slots are counted from 0 in the order in which calls were named. Work is linear in the text.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._named: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        # None: two calls spoke at this index, so it says nothing of a fragment without an id.
        self._by_index: dict[int | None, _Call | None] = {}
        self._twins: set[int | None] = set()  # indexes at which only a repeated head of a call has come
        self._lent: set[int] = set()  # indexes whose text went to the only open call
        self._current: _Call | None = None
        self._damage: str | None = None
        self._items: list[CallNamed | Piece] = []

    def fragment(
        self, *, index: int | None, provider_id: str | None, name: str | None, arguments: str | None
    ) -> list[CallNamed | Piece]:
        """Take in one fragment; give what to tell of it.

        Shape:  a `CallNamed` when a call gets its name and when pieces go over to another call, argument pieces after
                it; nothing for a call without a name yet. Empty is as good as missing.
        """
        self._items = []
        text = arguments or ""
        if provider_id or name:
            fragment = _Fragment(
                index=index,
                provider_id=whole_text(provider_id or ""),
                name=whole_text(name or ""),
                text=text,
            )
            call = self._owner_of_head(fragment)
            if call is not None and fragment.name and not call.name:
                self._give_name(call, fragment.name)
        elif text:
            call = self._owner_of_bare(index, text)
        else:
            return self._items
        if call is not None and text:
            self._add(call, text)
        return self._items

    def finish(self) -> tuple[tuple[ToolRequest, ...], str | None]:
        """The calls in the order of their slots, and why they cannot be told apart (then none of them may run) or None.

        Shape:  requests have no call id. A damaged one says why and keeps its text. Calls that were never named come
                last, and only those of which something was said.
        """
        nameless = [call for call in self._calls if not call.name and (call.pieces or call.half)]
        return tuple(call.request() for call in [*self._named, *nameless]), self._damage

    def _owner_of_head(self, head: _Fragment) -> _Call | None:
        at = self._by_index.get(head.index)
        if not head.provider_id:
            return self._owner_by_name(head, at)
        known = self._by_id.get(head.provider_id)
        if at is not None and at.provider_id == head.provider_id:
            known = at  # two calls may have one id; then the index tells them apart
        if known is not None:
            return self._owner_by_id(head, known)
        return self._owner_of_new_id(head, at)

    def _owner_by_id(self, head: _Fragment, known: _Call) -> _Call | None:
        if head.name and known.name and head.name != known.name:
            if head.provider_id != known.provider_id:
                # The id was taken for a changed one; what came under it before may have been another call's.
                self._damaged(UNCLEAR_OWNER)
                return None
            return self._open(head, provider_id=head.provider_id)
        elsewhere = head.index != known.home
        if elsewhere and head.name and begins_object(head.text) and known.is_whole:
            return self._open(head, provider_id=head.provider_id)
        known.is_open = True
        if head.index not in self._by_index:
            self._by_index[head.index] = known
            if elsewhere and head.name and is_blank(head.text):
                self._twins.add(head.index)
        elif self._by_index[head.index] is not known:
            self._by_index[head.index] = None
        return known

    def _owner_of_new_id(self, head: _Fragment, at: _Call | None) -> _Call | None:
        if at is None:
            return self._open(head, provider_id=head.provider_id)
        if not at.provider_id:
            if head.name and at.name and (head.name != at.name or at.pieces):
                return self._open(head, provider_id=head.provider_id)
            at.provider_id = head.provider_id
        elif head.name or (at.is_whole and (is_blank(head.text) or begins_object(head.text))):
            return self._open(head, provider_id=head.provider_id)
        self._by_id[head.provider_id] = at
        return at

    def _owner_by_name(self, head: _Fragment, at: _Call | None) -> _Call | None:
        if at is None or (at.name and head.name != at.name):
            return self._open(head, provider_id="")
        if at.name and begins_object(head.text) and at.is_whole:
            return self._open(head, provider_id="")
        return at

    def _owner_of_bare(self, index: int | None, text: str) -> _Call | None:
        at = self._by_index.get(index)
        if at is not None:
            if index in self._twins:
                return self._twin_or_call(index, at, text)
            return at
        if is_blank(text):
            return None
        still_open = [call for call in self._calls if call.is_open]
        if not still_open:
            return self._open(_Fragment(index=index, provider_id="", name="", text=text), provider_id="")
        if len(still_open) > 1:
            self._damaged(UNCLEAR_OWNER)
            return None
        if index is not None:
            self._lent.add(index)
        return still_open[0]

    def _twin_or_call(self, index: int | None, at: _Call, text: str) -> _Call | None:
        """A head came twice under one id, at two indexes. An object under the second one makes it a call of its own."""
        if is_blank(text):
            return at
        self._twins.discard(index)
        if not begins_object(text):
            return at
        head = _Fragment(index=index, provider_id=at.provider_id, name=at.name, text=text)
        call = self._open(head, provider_id=at.provider_id)
        if call is not None:
            self._give_name(call, at.name)
        return call

    def _open(self, head: _Fragment, *, provider_id: str) -> _Call | None:
        if len(self._calls) >= MAX_CALLS:
            self._damaged(TOO_MANY)
            return None
        if head.index in self._lent:
            # Text that came here went to another call, and may have been the beginning of this one.
            self._damaged(UNCLEAR_OWNER)
        before = self._by_index.get(head.index)
        if before is not None and before.home == head.index:
            before.is_open = False
        call = _Call(home=head.index, provider_id=provider_id)
        self._calls.append(call)
        self._by_index[head.index] = call
        self._twins.discard(head.index)
        if provider_id:
            self._by_id[provider_id] = call
        return call

    def _give_name(self, call: _Call, name: str) -> None:
        call.name = name
        call.slot = len(self._named)
        self._named.append(call)
        self._tell_name(call)
        if call.pieces:
            self._items.append((ARGUMENTS, "".join(call.pieces)))

    def _add(self, call: _Call, text: str) -> None:
        told = call.add(text)
        if told and call.name:
            if self._current is not call:
                self._tell_name(call)
            self._items.append((ARGUMENTS, told))

    def _tell_name(self, call: _Call) -> None:
        self._current = call
        self._items.append(CallNamed(slot=call.slot, name=call.name, provider_id=call.provider_id))

    def _damaged(self, why: str) -> None:
        if self._damage is None:
            self._damage = why
