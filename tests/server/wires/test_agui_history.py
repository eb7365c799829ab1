"""What a client of AG-UI has not of its thread."""

from __future__ import annotations

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.wires.agui_posts import Page
from treadle.app.server import Server
from treadle.server.mounting import Mount
from treadle.server.wires import agui_history
from treadle.values.exposure import TEXT_ONLY

SCRIPT = 'think: hm\ntext: One.\ncall: add {"a": 1, "b": 2}\n---\ntext: Two.'


@pytest.mark.requirement("AGUI-attach")
@virtually
async def test_another_device_is_told_the_whole_thread() -> None:
    """A fault reported in the field (BR-172): of what the client holds nothing is said twice, nothing is missing."""
    async with Server([scripted(SCRIPT)]) as server:
        page = Page(server)
        for said in ("a", "b", "c"):
            await page.say(said)
        fresh = Page(server)
        await fresh.post()
        assert fresh.client.messages == page.client.messages
        everything = page.client.messages
        # A page whose newest message is a user's says it again.
        for held in [at for at in range(len(everything)) if not at or everything[at - 1]["role"] != "user"]:
            partly = Page(server)
            partly.client.messages = [dict(one) for one in everything[:held]]
            await partly.post()
            assert partly.client.messages == everything


@pytest.mark.requirement("AGUI-attach")
@virtually
async def test_a_message_that_was_cut_is_made_whole_and_nothing_comes_too_late() -> None:
    """Ours: what is older than all that a client holds would stand behind it, so it is not told."""
    async with Server([scripted(SCRIPT)]) as server:
        page = Page(server)
        for said in ("a", "b"):
            await page.say(said)
        cut, late = Page(server), Page(server)
        cut.client.messages = [dict(one) for one in page.client.messages[:3]]
        cut.client.messages[-1]["content"] = "On"
        late.client.messages = [dict(one) for one in page.client.messages[-1:]]
        await cut.post()
        await late.post()
    assert cut.client.messages == page.client.messages
    assert [one["content"] for one in late.client.messages if one["role"] == "user"] == ["b"]


@virtually
async def test_the_thread_is_told_as_its_mount_may() -> None:
    """Design §8: an exposure stands before every projection."""
    mounts = ["agui", Mount(wire="agui", path="/shy", exposure=TEXT_ONLY)]
    async with Server([scripted(SCRIPT)], mounts=mounts) as server:
        page, shy = Page(server), Page(server, mount="/shy")
        await page.say("a")
        await page.say("b")
        await shy.post()
    assert [one["role"] for one in shy.client.messages] == ["user", "assistant", "assistant"] * 2
    assert shy.client.text == page.client.text
    assert shy.client.calls == {}


@pytest.mark.requirement("AGUI-attach")
@virtually
async def test_a_thread_is_told_so_far_back_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: whatever a thread is long, coming back to it costs so much at most."""
    monkeypatch.setattr(agui_history, "RUNS", 1)
    async with Server([scripted(SCRIPT)]) as server:
        page = Page(server)
        for said in ("a", "b", "c"):
            await page.say(said)
        fresh = Page(server)
        await fresh.post()
    assert [one["content"] for one in fresh.client.messages if one["role"] == "user"] == ["b", "c"]
