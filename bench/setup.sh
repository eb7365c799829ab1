#!/bin/bash
# One virtual environment per contender under PERF_VENVS (default: .venvs here).
# Needs only pip and its configured index. PYTHON picks the interpreter (default python3.11).
set -eu
cd "$(dirname "$0")"
V="${PERF_VENVS:-$PWD/.venvs}"
PY="${PYTHON:-python3.11}"
mkdir -p "$V"
COMMON="orjson msgspec uvloop httptools uvicorn granian psutil starlette"
mk() { name=$1; shift; [ -x "$V/$name/bin/python" ] || "$PY" -m venv "$V/$name"; "$V/$name/bin/pip" install -q "$@"; echo "ready: $name"; }
mk main $COMMON hypercorn h11 pydantic "ag-ui-protocol==1.0.0" "a2a-sdk==1.3.0" sse-starlette asyncpg "redis[hiredis]"
mk pydantic $COMMON "pydantic-ai-slim[ag-ui,ui]==2.68.0" "ag-ui-protocol==1.0.0"
mk langgraph $COMMON "langgraph==1.2.24" "langchain-core==1.8.3"
mk openai $COMMON "openai-agents==0.24.0"
mk adk $COMMON "google-adk==2.13.0"
mk strands $COMMON "strands-agents==1.62.0"
mk maf $COMMON "agent-framework-core==1.23.0" "agent-framework-ag-ui==1.7.0"
mk symfonic $COMMON "symfonic-core==9.12.0" "langgraph==1.2.24" "langchain-core==1.8.3" fastapi sse-starlette jinja2 "python-jose[cryptography]" aiosqlite
mk loom $COMMON "loom-kernel[rest,ai-pydantic,ai-a2a]==9.0.0" "pydantic-ai-slim==2.68.0" "a2a-sdk==1.3.0"
mk treadle $COMMON "..[openai]"
