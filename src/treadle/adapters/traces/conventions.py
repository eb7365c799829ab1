"""Names of OpenTelemetry's GenAI semantic conventions, and our own beside them.

The conventions are unstable: their version stands here once, and nothing else in the project spells a name of them.

Source: OpenTelemetry semantic conventions, attributes of `gen_ai` and `error` (docs/traces.md).
"""

from __future__ import annotations

from typing import Final

SEMCONV: Final = "1.44.0"
"""The release of the semantic conventions that lists these names."""
SCHEMA_URL: Final = f"https://opentelemetry.io/schemas/{SEMCONV}"

OPERATION_NAME: Final = "gen_ai.operation.name"
AGENT_NAME: Final = "gen_ai.agent.name"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
ERROR_TYPE: Final = "error.type"

USAGE: Final = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_creation_tokens": "gen_ai.usage.cache_creation.input_tokens",
    "reasoning_tokens": "gen_ai.usage.reasoning.output_tokens",
}
"""Counts by our names for them. The conventions have none for a provider's own total."""

INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"
FUNCTION: Final = "function"
"""The type of a tool that the agent's own side runs."""
OTHER: Final = "_OTHER"
"""The type of an error of which nothing is known."""

RUN_ID: Final = "treadle.run_id"
ROOT_RUN_ID: Final = "treadle.root_run_id"
PARENT_RUN_ID: Final = "treadle.parent_run_id"
SEGMENT: Final = "treadle.segment"
TAKEN_OVER: Final = "treadle.taken_over"
OUTCOME: Final = "treadle.outcome"
TERMINATION: Final = "treadle.termination"
ERROR_REFERENCE: Final = "treadle.error.reference"
ROUND: Final = "treadle.round"
ATTEMPT: Final = "treadle.attempt"
PIECES: Final = "treadle.pieces"
FIRST_SHOWN_S: Final = "treadle.first_shown_s"
TOTAL_TOKENS: Final = "treadle.usage.total_tokens"
UNMEASURED_ATTEMPTS: Final = "treadle.usage.unmeasured_attempts"
