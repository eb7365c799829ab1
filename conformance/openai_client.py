#!/usr/bin/env python3
"""Drives an OpenAI-compatible server with the official openai client and prints what it saw.

  python openai_client.py BASE_URL [--api chat|responses] [--message TEXT] [--model M]
      [--raw]              responses: iterate the raw stream instead of the accumulating helper
      [--no-stream]        one plain request
      [--no-usage]         chat: do not ask for stream_options.include_usage
      [--drop-after N]     responses: leave after N events, then retrieve(stream, starting_after)
      [--cancel-after N]   responses: POST /responses/{id}/cancel after N events
      [--answer TEXT]      answer pending function calls with TEXT, approvals with yes, and go on (once)
      [--deny [--reason T]] with --answer: approvals with no
      [--retries N] [--header 'K: V']... [--timeout S] [--expect VERDICT]

BASE_URL is what a user would set as base_url, so it ends with /v1 on most servers.
"""

from __future__ import annotations

import argparse
import json
import threading
from typing import Any

import openai
from openai.lib.streaming.chat import ChatCompletionStreamState

from common import Report, headers_of, squeeze, try_json

RESPONSE_TERMINAL = {"response.completed", "response.failed", "response.incomplete"}
KNOWN_FINISH = {"stop", "length", "tool_calls", "content_filter", "function_call"}


def chat(client: openai.OpenAI, r: Report, a: argparse.Namespace, messages: list[Any]) -> Any:
    state = ChatCompletionStreamState()
    kwargs: dict[str, Any] = {} if a.no_usage else {"stream_options": {"include_usage": True}}
    finish: str | None = None
    seen_id: str | None = None
    after_finish = 0
    with client.chat.completions.create(model=a.model, messages=messages, stream=True, **kwargs) as stream:
        r.http["content_type"] = stream.response.headers.get("content-type")
        r.http["status"] = stream.response.status_code
        for chunk in stream:
            r.frame("chunk")
            d = chunk.to_dict()
            if seen_id is None:
                seen_id = chunk.id
                r.ids = {"completion_id": chunk.id, "model": chunk.model}
                r.event("run_started", id=chunk.id)
            elif chunk.id != seen_id:
                r.violation("kit", "id", f"chunk id {chunk.id} is not {seen_id}")
            if d.get("object") != "chat.completion.chunk":
                r.violation("kit", "object", f"object is {d.get('object')!r}")
            for field in ("id", "created", "model", "choices"):
                if field not in d:
                    r.violation("kit", "missing-field", f"a chunk has no {field}")
            for key in d.keys() - {"id", "object", "created", "model", "choices", "usage", "system_fingerprint", "service_tier", "obfuscation", "moderation"}:
                r.custom.append({"on": "chunk", key: d[key]})
                r.event("custom", name=key, value=d[key])
            for _ in state.handle_chunk(chunk):
                pass
            if chunk.usage:
                r.usage = chunk.usage.to_dict()
                r.event("usage", usage=r.usage)
            for c in chunk.choices or []:
                if finish is not None:
                    after_finish += 1
                delta = c.delta
                extra = {k: v for k, v in delta.to_dict().items() if k not in ("role", "content", "tool_calls", "refusal", "function_call", "audio")}
                for k, v in extra.items():
                    if k in ("reasoning", "reasoning_content") and isinstance(v, str):
                        r.event("thinking", id="reasoning", d=v)
                    else:
                        r.event("custom", name=k, value=v)
                        r.custom.append({"on": "delta", k: v})
                if delta.content:
                    r.event("text", id=chunk.id, d=delta.content)
                for t in delta.tool_calls or []:
                    if t.id:
                        tool = r.tool(t.id)
                        tool["name"] = t.function.name if t.function else None
                        tool["index"] = t.index
                        tool["state"] = "called"
                        r.event("tool_started", id=t.id, name=tool["name"])
                    tool = next((x for x in r.tools.values() if x.get("index") == t.index), None)
                    if tool is None:
                        r.violation("kit", "tool-call-id", f"the first delta of tool call index {t.index} has no id")
                        continue
                    if t.function and t.function.arguments:
                        tool["args_raw"] += t.function.arguments
                        r.event("tool_args", id=tool["id"], d=t.function.arguments)
                if c.finish_reason:
                    finish = c.finish_reason
                    if finish not in KNOWN_FINISH:
                        r.violation("kit", "finish-reason", f"{finish!r} is not one of the API's")
    if after_finish:
        r.violation("kit", "after-finish", f"{after_finish} choice deltas after finish_reason")
    if seen_id is None:
        r.verdict = "truncated"
        r.violation("kit", "no-frames", "the stream held no chunk")
        return None
    for tool in r.tools.values():
        tool["args"] = try_json(tool["args_raw"] or "{}")
        if tool["args"] is None:
            r.violation("kit", "tool-args-json", f"arguments of {tool['id']} are not JSON: {tool['args_raw']}")
    if finish is None:
        r.verdict = "truncated"
        r.violation("kit", "no-terminal", "no finish_reason in the whole stream; the client does not notice")
        return None
    final = state.get_final_completion()
    message = final.choices[0].message
    r.extra["final"] = message.to_dict()
    if (message.content or "") != r.text:
        r.violation("client", "accumulate", f"the client accumulated {message.content!r}, the deltas say {r.text!r}")
    lost = [t["id"] for t in r.tools.values() if t["id"] not in [c.id for c in message.tool_calls or []]]
    if lost:
        r.violation("client", "accumulate", f"the client accumulated tool calls {[c.id for c in message.tool_calls or []]}, not {lost}: id and name belong in the first delta only")
    if r.usage is not None and final.usage is None:
        r.violation("client", "usage-lost", "usage came before the last chunk: the client keeps only the last chunk's")
    if not a.no_usage and r.usage is None:
        r.violation("kit", "usage", "include_usage was asked for, no chunk carried usage")
    if finish == "tool_calls":
        r.verdict = "paused"
        r.pause = {"kind": "ask", "items": [{"id": t["id"], "name": t["name"], "args": t["args"]} for t in r.tools.values()]}
        r.event("pause", kind="ask")
    else:
        r.verdict = "done"
        r.event("done", finish_reason=finish)
    return message


def one_event(r: Report, ev: Any, track: dict[str, Any]) -> None:
    t = ev.type
    r.frame(t)
    seq = getattr(ev, "sequence_number", None)
    if seq is None:
        if not r.has("sequence"):
            r.violation("kit", "sequence", f"{t} has no sequence_number")
    elif track.get("seq") is not None and seq <= track["seq"]:
        r.violation("kit", "sequence", f"sequence_number {seq} after {track['seq']}")
    track["seq"] = seq if seq is not None else track.get("seq")
    if track.get("over") and t != "error":
        r.violation("kit", "after-terminal", f"{t} after {track['over']}")
    match t:
        case "response.created":
            r.ids = {"response_id": ev.response.id, "model": ev.response.model}
            r.event("run_started", id=ev.response.id, status=ev.response.status)
        case "response.output_item.added":
            item = ev.item
            track.setdefault("items", {})[ev.output_index] = item
            if item.type == "function_call":
                tool = r.tool(item.call_id)
                tool.update(name=item.name, state="streaming", item_id=item.id)
                r.event("tool_started", id=item.call_id, name=item.name)
            elif item.type == "mcp_call":
                r.tool(item.id).update(name=item.name, state="streaming", item_id=item.id, server=item.server_label)
                r.event("tool_started", id=item.id, name=item.name)
        case "response.output_text.delta":
            item = track.get("items", {}).get(ev.output_index)
            if item is None or getattr(item, "id", None) != ev.item_id:
                r.violation("kit", "item-id", f"text delta names item {ev.item_id}, output {ev.output_index} is {getattr(item, 'id', None)}")
            r.event("text", id=ev.item_id, d=ev.delta)
        case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
            r.event("thinking", id=ev.item_id, d=ev.delta)
        case "response.mcp_call.in_progress":
            r.event("tool_executing", id=ev.item_id)
        case "response.function_call_arguments.delta" | "response.mcp_call_arguments.delta":
            tool = next((x for x in r.tools.values() if x.get("item_id") == ev.item_id), None)
            if tool:
                tool["args_raw"] += ev.delta
                r.event("tool_args", id=tool["id"], d=ev.delta)
            else:
                r.violation("kit", "item-id", f"argument delta names item {ev.item_id}, which is no function call")
        case "response.output_item.done":
            item = ev.item
            if item.type == "function_call":
                tool = r.tool(item.call_id)
                tool.update(name=item.name, args_raw=item.arguments, args=try_json(item.arguments or "{}"), state=item.status or "completed")
                if tool["args"] is None:
                    r.violation("kit", "tool-args-json", f"arguments of {item.call_id} are not JSON: {item.arguments}")
                r.event("tool_call", id=item.call_id, name=item.name, args=tool["args"])
            elif item.type == "mcp_call":
                tool = r.tool(item.id)
                tool.update(args_raw=item.arguments, args=try_json(item.arguments or "{}"), result=item.output, error=item.error, state="failed" if item.error else "answered")
                r.event("tool_result", id=item.id, result=item.output, error=item.error)
            elif item.type == "function_call_output":
                r.tool(item.call_id).update(result=item.output, state="answered")
                r.event("tool_result", id=item.call_id, result=item.output)
            elif item.type == "mcp_approval_request":
                track.setdefault("approvals", []).append({"id": item.id, "name": item.name, "args": try_json(item.arguments), "server": item.server_label})
                r.event("pause", kind="approval", id=item.id)
        case "response.completed" | "response.failed" | "response.incomplete":
            track["over"] = t
            resp = ev.response
            if resp.usage:
                r.usage = resp.usage.to_dict()
                r.event("usage", usage=r.usage)
            if t == "response.failed":
                r.verdict = "error"
                r.error = {"from": "server", "message": resp.error and resp.error.message, "code": resp.error and resp.error.code}
                r.event("error", **{k: v for k, v in r.error.items() if k != "from"})
            elif t == "response.incomplete":
                reason = resp.incomplete_details and resp.incomplete_details.reason
                r.verdict = "cancelled" if resp.status == "cancelled" or reason not in ("max_output_tokens", "content_filter", "max_messages", "steered") else "done"
                r.event("cancelled" if r.verdict == "cancelled" else "done", incomplete=reason, status=resp.status)
            elif resp.status == "cancelled":
                r.verdict = "cancelled"
                r.event("cancelled")
            else:
                calls = [i for i in resp.output or [] if i.type == "function_call" and not any(o.type == "function_call_output" and o.call_id == i.call_id for o in resp.output)]
                if calls or track.get("approvals"):
                    r.verdict = "paused"
                    r.pause = {
                        "kind": "approval" if track.get("approvals") else "ask",
                        "items": [{"id": c.call_id, "name": c.name, "args": try_json(c.arguments)} for c in calls] + track.get("approvals", []),
                        "resume_with": {"previous_response_id": resp.id},
                    }
                    r.event("pause", kind=r.pause["kind"])
                else:
                    r.verdict = "done"
                    r.event("done", status=resp.status)
                if resp.status != "completed":
                    r.violation("kit", "status", f"response.completed with status {resp.status!r}")
        case "error":
            r.verdict = "error"
            track["over"] = t
            r.error = {"from": "server", "message": ev.message, "code": ev.code}
            r.event("error", message=ev.message, code=ev.code)
        case "response.in_progress" | "response.queued" | "response.content_part.added" | "response.content_part.done" | "response.output_text.done" | "response.function_call_arguments.done" | "response.mcp_call_arguments.done" | "response.mcp_call.completed" | "response.mcp_call.failed" | "response.reasoning_summary_part.added" | "response.reasoning_summary_part.done" | "response.reasoning_summary_text.done" | "response.reasoning_text.done":
            pass
        case _:
            d = ev.to_dict()
            r.event("custom", name=t, value={k: v for k, v in d.items() if k not in ("type", "sequence_number")})
            r.custom.append({"type": t, **{k: v for k, v in d.items() if k != "type"}})


def responses(client: openai.OpenAI, r: Report, a: argparse.Namespace, **params: Any) -> Any:
    track: dict[str, Any] = {}
    n = 0

    def follow(stream: Any) -> bool:
        nonlocal n
        for ev in stream:
            one_event(r, ev, track)
            n += 1
            if a.cancel_after and n == a.cancel_after:
                threading.Thread(target=cancel, daemon=True).start()
            if a.drop_after and n == a.drop_after and "dropped_after" not in r.extra:
                r.extra["dropped_after"] = n
                return False
        return True

    def cancel() -> None:
        try:
            r.extra["cancel"] = {"status": client.responses.cancel(r.ids["response_id"]).status}
        except openai.APIError as e:
            r.extra["cancel"] = {"error": type(e).__name__, "message": squeeze(e)}

    if a.raw or a.drop_after:
        with client.responses.create(model=a.model, stream=True, **params, **({"background": True} if a.drop_after else {})) as stream:
            r.http.update(content_type=stream.response.headers.get("content-type"), status=stream.response.status_code)
            whole = follow(stream)
        if not whole:
            r.extra["before_drop"] = {"text": r.text, "sequence": track["seq"]}
            with client.responses.retrieve(r.ids["response_id"], stream=True, starting_after=track["seq"]) as stream:
                follow(stream)
    else:
        with client.responses.stream(model=a.model, **params) as stream:
            r.http.update(content_type=stream._response.headers.get("content-type"), status=stream._response.status_code)  # noqa: SLF001
            follow(stream)
            if track.get("over") == "response.completed":
                final = stream.get_final_response()
                r.extra["final_text"] = final.output_text
                if final.output_text != r.text:
                    r.violation("client", "accumulate", f"the final response says {final.output_text!r}, the deltas {r.text!r}")
    if r.verdict is None:
        r.verdict = "truncated"
        r.violation("kit", "no-terminal", "no response.completed, .failed, .incomplete or error; iterating the client ends all the same")
    return track


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("url")
    p.add_argument("--api", default="chat", choices=["chat", "responses"])
    p.add_argument("--message", default="hello")
    p.add_argument("--model", default="agent")
    p.add_argument("--raw", action="store_true")
    p.add_argument("--no-stream", action="store_true")
    p.add_argument("--no-usage", action="store_true")
    p.add_argument("--drop-after", type=int, default=0)
    p.add_argument("--cancel-after", type=int, default=0)
    p.add_argument("--answer", default="")
    p.add_argument("--deny", action="store_true")
    p.add_argument("--reason", default="")
    p.add_argument("--retries", type=int, default=0)
    p.add_argument("--header", action="append", default=[])
    p.add_argument("--timeout", type=float, default=30)
    p.add_argument("--expect", default="")
    a = p.parse_args()
    r = Report("openai-" + a.api, {"name": "openai", "version": openai.__version__}, a.url)
    client = openai.OpenAI(base_url=a.url, api_key="test", max_retries=a.retries, timeout=a.timeout, default_headers=headers_of(a.header))
    watchdog = threading.Timer(a.timeout, lambda: (r.violation("kit", "timeout", f"no end after {a.timeout} s"), setattr(r, "verdict", "truncated"), _exit(r, a.expect)))
    watchdog.daemon = True
    watchdog.start()
    try:
        if a.no_stream:
            if a.api == "chat":
                c = client.chat.completions.create(model=a.model, messages=[{"role": "user", "content": a.message}])
                r.extra["final"] = c.to_dict()
                r.verdict = "paused" if c.choices[0].finish_reason == "tool_calls" else "done"
                r.text = c.choices[0].message.content or ""
                r.usage = c.usage and c.usage.to_dict()
            else:
                res = client.responses.create(model=a.model, input=a.message)
                r.extra["final"] = res.to_dict()
                waits = any(item.type in ("function_call", "mcp_approval_request") for item in res.output)
                ends = {"failed": "error", "cancelled": "cancelled"}
                r.verdict = ends.get(res.status or "") or ("paused" if waits else "done")
                r.text = res.output_text
                r.usage = res.usage and res.usage.to_dict()
        elif a.api == "chat":
            messages: list[Any] = [{"role": "user", "content": a.message}]
            message = chat(client, r, a, messages)
            if r.verdict == "paused" and a.answer:
                r.extra["first_run"] = {"verdict": "paused", "pause": r.pause}
                items, r.pause, r.verdict, r.text = r.pause["items"], None, None, ""
                r.event("resumed", answers=len(items))
                messages += [message.to_dict()] + [{"role": "tool", "tool_call_id": i["id"], "content": a.answer} for i in items]
                r.tools.clear()
                chat(client, r, a, messages)
        else:
            responses(client, r, a, input=a.message)
            if r.verdict == "paused" and a.answer:
                r.extra["first_run"] = {"verdict": "paused", "pause": r.pause}
                pause, r.pause, r.verdict, r.text = r.pause, None, None, ""
                r.event("resumed", answers=len(pause["items"]))
                answers = [
                    {"type": "mcp_approval_response", "approval_request_id": i["id"], "approve": not a.deny, **({"reason": a.reason} if a.deny and a.reason else {})}
                    if "server" in i
                    else {"type": "function_call_output", "call_id": i["id"], "output": a.answer}
                    for i in pause["items"]
                ]
                r.tools.clear()
                responses(client, r, a, input=answers, previous_response_id=pause["resume_with"]["previous_response_id"])
    except openai.APIConnectionError as e:
        r.error = {"from": "client", "name": type(e).__name__, "message": squeeze(e), "cause": squeeze(e.__cause__ or "")}
        if isinstance(e, openai.APITimeoutError):
            r.verdict = "truncated"
            r.violation("client", "read-timeout", e)
        elif r.frames or "incomplete" in r.error["cause"] or "RemoteProtocol" in type(e.__cause__).__name__:
            r.verdict = "truncated"
            r.violation("client", "broken-body", e.__cause__ or e)
        else:
            r.verdict = "unreachable"
    except openai.APIStatusError as e:
        r.verdict = "error"
        r.error = {"from": "server", "name": type(e).__name__, "status": e.status_code, "message": squeeze(e), "body": e.body}
        r.event("error", http=e.status_code)
    except openai.APIError as e:  # an SSE frame with a truthy top-level "error"
        r.verdict = "error"
        r.error = {"from": "server", "name": type(e).__name__, "message": squeeze(e), "body": e.body}
        r.event("error", message=squeeze(e))
    except json.JSONDecodeError as e:
        r.verdict = "rejected"
        r.error = {"from": "client", "name": "JSONDecodeError", "message": squeeze(e)}
        r.violation("client", "not-json", f"{e}" + (" (an empty data field: a bare id:/retry:/event: block, or a comment block after an id: was sent)" if e.doc == "" else f": {e.doc[:80]}"))
    except Exception as e:  # noqa: BLE001 - whatever the client lets through is the finding
        r.verdict = "rejected"
        r.error = {"from": "client", "name": type(e).__name__, "message": squeeze(e)}
        r.violation("client", "order" if isinstance(e, RuntimeError | AssertionError | IndexError) else "frame", f"{type(e).__name__}: {e}")
    watchdog.cancel()
    if r.http.get("content_type") and not r.http["content_type"].startswith("text/event-stream"):
        r.violation("kit", "content-type", r.http["content_type"])
    r.finish(a.expect or None)


def _exit(r: Report, expect: str) -> None:
    import os

    try:
        r.finish(expect or None)
    except SystemExit as e:
        os._exit(int(e.code or 0))


main()
