#!/bin/bash
# L1: one fresh process per contender, in each contender's own virtual environment.
# PERF_VENVS names the folder that setup.sh filled (default: .venvs here).
set -u
cd "$(dirname "$0")"
V="${PERF_VENVS:-$PWD/.venvs}"
for pair in floor:main prototype:main treadle_:treadle pydantic_ai_:pydantic langgraph_:langgraph openai_agents_:openai adk_:adk \
            strands_:strands maf_:maf symfonic_:symfonic loom_:loom a2a_sdk_:main; do
  mod="${pair%%:*}"; env="${pair##*:}"
  [ -x "$V/$env/bin/python" ] || { echo "no $env"; continue; }
  case ",${ONLY:-$mod}," in *",$mod,"*) ;; *) continue;; esac
  "$V/$env/bin/python" -W ignore l1_loop.py --only "$mod" --n "${N:-5000}" --runs "${RUNS:-7}" \
      --workloads "${WORKLOADS:-text,tools,think,text+yield,once,rounds,rounds100}" ${EXTRA---scale} 2>>"$V/l1.err"
done
