#!/bin/bash
# L2 and L4 in each contender's own virtual environment.
set -u
cd "$(dirname "$0")"
V="${PERF_VENVS:-$PWD/.venvs}"
for pair in floor:main protocols_:main prototype:main pydantic_ai_:pydantic langgraph_:langgraph openai_agents_:openai \
            adk_:adk strands_:strands maf_:maf symfonic_:symfonic loom_:loom; do
  mod="${pair%%:*}"; env="${pair##*:}"
  [ -x "$V/$env/bin/python" ] || { echo "no $env"; continue; }
  case ",${ONLY:-$mod}," in *",$mod,"*) ;; *) continue;; esac
  "$V/$env/bin/python" -W ignore l2_wire.py --only "$mod" --runs "${RUNS:-7}" 2>>"$V/l2.err"
done
for pair in floor:main treadle_:treadle symfonic_:symfonic pydantic_ai_:pydantic; do
  mod="${pair%%:*}"; env="${pair##*:}"
  case ",${ONLY:-$mod}," in *",$mod,"*) ;; *) continue;; esac
  [ -n "${L4:-1}" ] && "$V/$env/bin/python" -W ignore l4_filters.py --only "$mod" 2>>"$V/l4.err"
done
