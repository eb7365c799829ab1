"""Names of models, and the models they become."""

from __future__ import annotations

import sys

import pytest

from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.registry import SCHEMES, model_named
from treadle.errors import PlanError


def test_a_script_is_a_model(tmp_path):
    """`scripted:FILE` plays a file."""
    script = tmp_path / "s.txt"
    script.write_text("text: hi\n")
    assert isinstance(model_named(f"scripted:{script}"), ScriptedModel)


def test_an_openai_compatible_server_is_a_model():
    """`openai-chat:NAME`, at any base URL, keeps colons in its name."""
    model = model_named("openai-chat:org/m:latest", base_url="http://127.0.0.1:9/v1")
    assert isinstance(model, OpenAIChat)
    assert model.name == "org/m:latest"


def test_naming_the_local_model_loads_no_engine():
    """Ours: a name costs nothing until the model is asked."""
    assert model_named("local").name == "local"


@pytest.mark.parametrize("spec", ["gpt-5", "", "nobody:x"])
def test_an_unknown_scheme_is_told_with_those_there_are(spec):
    """Bad input gets a clear error: what came, what was expected."""
    with pytest.raises(PlanError, match="expected one of local, scripted, openai-chat") as refused:
        model_named(spec)
    assert repr(spec) in str(refused.value)


@pytest.mark.parametrize("spec", ["scripted", "scripted:", "openai-chat", "openai-chat:"])
def test_a_missing_name_is_told(spec):
    """Bad input: the form that is needed is in the error."""
    with pytest.raises(PlanError, match="needs a"):
        model_named(spec)


def test_a_missing_extra_is_told_with_the_line_that_installs_it(monkeypatch):
    """A newcomer's error says what to do."""
    monkeypatch.setitem(sys.modules, "openai", None)
    for name in [name for name in sys.modules if name.startswith("treadle.adapters.models.openai_chat")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(PlanError, match=r"python -m pip install 'treadle\[openai\]'"):
        model_named("openai-chat:gpt-5")


@pytest.mark.parametrize("spec", ["local", "scripted:x.txt"])
def test_a_base_url_is_refused_where_there_is_no_server(spec):
    """Bad input: a URL that would be ignored is a mistake somebody should hear of."""
    with pytest.raises(PlanError, match="only openai-chat takes one"):
        model_named(spec, base_url="http://127.0.0.1:9/v1")


def test_the_local_model_takes_no_name():
    """Bad input: there is one local model."""
    with pytest.raises(PlanError, match="takes no name"):
        model_named("local:big")


def test_every_scheme_names_a_maker():
    """The one registry."""
    assert list(SCHEMES) == ["local", "scripted", "openai-chat"]
