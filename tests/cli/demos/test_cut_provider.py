"""The agent of a provider that breaks off."""

from __future__ import annotations

from pathlib import Path

import pytest

from treadle.cli.demos import cut_provider
from treadle.cli.demos.server_process import STORE
from treadle.errors import RunFailedError
from treadle.testing import FaultServer


async def test_the_first_answer_is_cut_and_the_next_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/demos.md: the fault server ends the connection in the middle, once."""
    async with FaultServer(scenarios={cut_provider.MODEL: cut_provider.SCENARIO}) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "offline")
        agent = cut_provider.agent()
        with pytest.raises(RunFailedError) as failed:
            await agent.run("how?")
        whole = await agent.run("how?")
        await agent.model.aclose()
    assert failed.value.result.text == cut_provider.PARTIAL
    assert whole.text == cut_provider.WHOLE


def test_its_server_has_the_store_of_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: nothing is opened before the server is entered."""
    monkeypatch.setenv(STORE, str(tmp_path / "runs.db"))
    monkeypatch.setenv("OPENAI_API_KEY", "offline")
    assert cut_provider.server().readers == 0
    assert list(tmp_path.iterdir()) == []
