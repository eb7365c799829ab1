"""Models behind a server that speaks OpenAI's chat completions: OpenAI's own and every compatible one."""

from treadle.adapters.models.openai_chat.model import OpenAIChat

__all__ = ["OpenAIChat"]
