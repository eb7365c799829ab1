"""Tickets for a browser's own EventSource."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import RUN
from treadle.errors import TicketError, TooManyTicketsError
from treadle.server.access.tickets import LIFE_S, Tickets
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId


@pytest.mark.requirement("ACCESS-ticket")
def test_a_ticket_opens_one_run_once() -> None:
    """Design: a single-use ticket for native EventSource."""
    tickets = Tickets[str](FakeClock())
    ticket = tickets.issue("alice", RUN)
    assert tickets.redeem(ticket, RUN) == "alice"
    with pytest.raises(TicketError):
        tickets.redeem(ticket, RUN)


def test_a_ticket_shown_for_another_run_is_spent() -> None:
    """Ours: whoever holds somebody's ticket does not get to try it on one run after the other."""
    tickets = Tickets[str](FakeClock())
    ticket = tickets.issue("alice", RUN)
    for run_id in (RunId("r_2"), RUN):
        with pytest.raises(TicketError):
            tickets.redeem(ticket, run_id)


def test_a_ticket_is_over_after_its_life() -> None:
    """Ours: an address stands in logs and histories, so what it opens must not last."""
    clock = FakeClock()
    tickets = Tickets[str](clock)
    late, spent = tickets.issue("alice", RUN), tickets.issue("alice", RUN)
    clock.advance(LIFE_S - 0.5)
    assert tickets.redeem(spent, RUN) == "alice"
    clock.advance(0.5)
    with pytest.raises(TicketError):
        tickets.redeem(late, RUN)
    assert len(tickets) == 0


def test_unspent_tickets_are_bounded_for_each_and_for_all() -> None:
    """Ours: one client cannot fill the memory, nor take the tickets of the others."""
    clock = FakeClock()
    tickets = Tickets[str](clock, per_holder=2, total=3)
    kept = [tickets.issue("alice", RUN), tickets.issue("alice", RUN)]
    with pytest.raises(TooManyTicketsError) as told:
        tickets.issue("alice", RUN)
    assert told.value.retry_after_s == LIFE_S
    tickets.issue("bob", RUN)
    with pytest.raises(TooManyTicketsError):
        tickets.issue("carol", RUN)
    tickets.redeem(kept[0], RUN)
    tickets.issue("alice", RUN)
    clock.advance(LIFE_S)
    assert [tickets.issue(name, RUN) for name in ("alice", "alice", "dave")]


@given(st.text() | st.text(alphabet=st.characters(categories=["Cs"])))
def test_a_text_that_is_no_ticket_is_refused_and_nothing_else(text: str) -> None:
    """Ours: what comes from an address is anything at all."""
    with pytest.raises(TicketError):
        Tickets[str](FakeClock()).redeem(text, RUN)


@pytest.mark.requirement("ACCESS-ticket")
def test_of_many_who_show_one_ticket_at_once_one_gets_in() -> None:
    """Ours: single use holds under threads too."""
    tickets = Tickets[int](FakeClock(), per_holder=100)
    readers = 8
    for _ in range(20):
        ticket, line = tickets.issue(1, RUN), threading.Barrier(readers)

        def show(ticket: str = ticket, line: threading.Barrier = line) -> int:
            line.wait(5)
            try:
                return tickets.redeem(ticket, RUN)
            except TicketError:
                return 0

        with ThreadPoolExecutor(readers) as pool:
            assert sum(future.result() for future in [pool.submit(show) for _ in range(readers)]) == 1
    assert len(tickets) == 0


@given(st.lists(st.tuples(st.sampled_from(["issue", "redeem", "wrong", "wait"]), st.integers(0, 7)), max_size=40))
def test_no_sequence_of_uses_loses_count(uses: list[tuple[str, int]]) -> None:
    """Ours: what is counted as held is what is unspent, whatever was done before."""
    clock = FakeClock()
    tickets = Tickets[int](clock, per_holder=3, total=5)
    unspent: list[tuple[str, int, float]] = []
    for use, number in uses:
        unspent = [ticket for ticket in unspent if ticket[2] > clock.monotonic_s()]
        holder = number % 3
        if use == "wait":
            clock.advance(float(number * 4))
        elif use == "issue":
            held = sum(whose == holder for _, whose, _ in unspent)
            if held < 3 and len(unspent) < 5:
                unspent.append((tickets.issue(holder, RUN), holder, clock.monotonic_s() + LIFE_S))
            else:
                with pytest.raises(TooManyTicketsError):
                    tickets.issue(holder, RUN)
        elif unspent:
            ticket, whose, _ = unspent.pop(number % len(unspent))
            if use == "redeem":
                assert tickets.redeem(ticket, RUN) == whose
            else:
                with pytest.raises(TicketError):
                    tickets.redeem(ticket, RunId("r_other"))
    assert len(tickets) == sum(until_s > clock.monotonic_s() for _, _, until_s in unspent)
