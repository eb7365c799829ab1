#!/usr/bin/env python3
"""Follows one run over the plain wire, kernel events as SSE, and prints what it saw. Standard library only.

  python plain_client.py BASE --agent NAME [--message TEXT] [--thread ID]
      [--drop-after N]     drop the connection after N events, come back with Last-Event-ID
      [--cancel-after N]   ask for a stop by another request after N events, keep reading
      [--again]            come back when all is read: 204
      [--approve | --deny [--reason TEXT] | --answer JSON | --dismiss]
                           answer everything that the run waits for, and follow its next segment (once)
      [--header 'K: V']... [--timeout S] [--expect VERDICT]

BASE is the address of the server. The bytes are held against the rules of sse_probe.py, the events against those of a
run: indexes dense from 0, one closing event, last; a result for every call; what is retracted is taken back; the text of
the outcome is the text that was told.
"""

from __future__ import annotations

import argparse
import http.client
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from common import Report, headers_of, squeeze
from sse_probe import Parser, exchange

CLOSING = {"done": "done", "error": "error", "cancelled": "cancelled", "ask_user": "paused", "interrupt": "paused"}
FINAL = {"done", "error", "cancelled"}


class Live(Parser):
    """The parser of the probe, which says each event as soon as it is whole."""

    def __init__(self, r: Report, on_event: Callable[[dict[str, Any]], None]) -> None:
        super().__init__(r, "any")
        self.on_event = on_event

    def dispatch(self) -> None:
        data = "\n".join(self.data)
        before = len(self.events)
        super().dispatch()
        if len(self.events) > before:
            # The probe shortens what it keeps.
            try:
                self.on_event({**self.events[-1], "data": json.loads(data)})
            except ValueError:
                return


class Run:
    """Folds the events of one run, and holds them against its rules."""

    def __init__(self, r: Report) -> None:
        self.r = r
        self.run_id = ""
        self.index = -1
        self.closed: dict[str, Any] | None = None
        self.mark = (0, 0)
        self.open: set[str] = set()
        self.counted = 0
        self.after: dict[int, Callable[[], None]] = {}

    def feed(self, event: dict[str, Any]) -> None:
        body = event["data"]
        kind = body.get("kind")
        if body.get("index") != self.index + 1:
            self.r.violation("kit", "index", f"{kind} has index {body.get('index')}, the one before it {self.index}")
        if not str(event["id"]).endswith(f":{body.get('index')}"):
            self.r.violation("kit", "cursor", f"id {event['id']!r} does not stand on index {body.get('index')}")
        if event["event"] != kind:
            self.r.violation("kit", "event-name", f"event: {event['event']} on {kind}")
        if self.closed and (self.closed["kind"] in FINAL or kind != "resumed"):
            self.r.violation("kit", "after-terminal", f"{kind} after {self.closed['kind']}")
        self.index = body.get("index", self.index)
        self.run_id = body.get("run_id", self.run_id)
        self.tell(str(kind), body)
        self.counted += 1
        if self.counted in self.after:
            self.after.pop(self.counted)()

    def tell(self, kind: str, e: dict[str, Any]) -> None:
        r = self.r
        match kind:
            case "run_started":
                r.ids = {"run_id": e["run_id"], "thread_id": e["thread_id"]}
                r.event("run_started", run=e["run_id"], agent=e["agent"])
            case "resumed":
                self.closed = None
                r.event("resumed", resolutions=e["resolutions"])
            case "round_started":
                self.mark = (len(r.text), len(r.thinking))
                r.event("step_started", round=e["round"], attempt=e["attempt"])
            case "round_ended":
                r.event("step_finished", round=e["round"], outcome=e["outcome"])
            case "text_delta":
                r.event("text", id=str(e["passage"]), d=e["text"])
            case "thinking":
                r.event("thinking", id=str(e["passage"]), d=e["text"])
            case "retracted":
                r.text, r.thinking = r.text[: self.mark[0]], r.thinking[: self.mark[1]]
                self.open.clear()
                r.event("retracted", reason=e["reason"])
            case "tool_announced" | "tool_arguments" | "tool_call" | "tool_progress" | "tool_result":
                self.call(kind, e)
            case "extension" | "extracted" | "stage":
                r.event("custom", name=kind, value=e)
            case "dropped":
                r.event("dropped", count=e["count"])
            case "done" | "error" | "cancelled" | "ask_user" | "interrupt":
                self.close(kind, e)
            case _:
                r.violation("kit", "unknown-kind", kind)

    def call(self, kind: str, e: dict[str, Any]) -> None:
        r = self.r
        said = e.get("request") or e.get("outcome") or e
        tool = r.tool(said["call_id"])
        match kind:
            case "tool_announced":
                tool.update(name=e["name"], state="streaming")
                self.open.add(e["call_id"])
                r.event("tool_started", id=e["call_id"], name=e["name"])
            case "tool_arguments":
                tool["args_raw"] += e["text"]
                r.event("tool_args", id=e["call_id"], d=e["text"])
            case "tool_call":
                tool.update(name=said["name"], args=said["arguments"], state="called")
                self.open.add(said["call_id"])
                r.event("tool_call", id=said["call_id"], name=said["name"], args=said["arguments"])
            case "tool_progress":
                r.event("tool_progress", id=e["call_id"], progress=e["payload"])
            case _:
                tool.update(result=said["content"], error=said["error"], state="answered")
                if said["call_id"] not in self.open:
                    r.violation("kit", "result-unknown", f"a result for {said['call_id']}, which is not open")
                self.open.discard(said["call_id"])
                r.event("tool_result", id=said["call_id"], result=said["content"], error=said["error"])

    def close(self, kind: str, e: dict[str, Any]) -> None:
        r = self.r
        self.closed = e
        r.verdict = CLOSING[kind]
        r.usage = e["outcome"]["usage"]
        if e["outcome"]["text"] != r.text:
            r.violation("kit", "outcome-text", f"the outcome says {e['outcome']['text']!r}, the events {r.text!r}")
        waiting = {one["call_id"] for one in e.get("pending") or []}
        if lost := self.open - waiting:
            r.violation("kit", "result-missing", f"{kind} while {sorted(lost)} have no result")
        if kind == "error":
            r.error = {"from": "server", "code": e["code"]}
        if waiting:
            r.pause = {"kind": "ask" if kind == "ask_user" else "approval", "items": e["pending"]}
        told = {"paused": "pause"}.get(r.verdict, r.verdict)
        r.event(told, **({"code": e["code"]} if kind == "error" else {}))


class Client:
    """Requests to one server."""

    def __init__(self, a: argparse.Namespace, r: Report) -> None:
        self.a, self.r = a, r
        self.headers = headers_of(a.header)
        self.base = a.url.rstrip("/")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        u = urlsplit(self.base + path)
        kind = http.client.HTTPSConnection if u.scheme == "https" else http.client.HTTPConnection
        connection = kind(u.hostname or "", u.port, timeout=self.a.timeout)
        headers = {**self.headers, "Content-Type": "application/json"}
        connection.request(method, u.path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        said = response.read().decode()
        connection.close()
        if response.status >= 400:
            raise SystemExit(f"{method} {path} was answered {response.status}: {squeeze(said)}")
        return json.loads(said)

    def follow(self, run: Run, parser: Live, *, body: Any = None, stop_after: int = 0) -> str:
        """Read to the end of a segment; a start, or from where the run was left."""
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store", **self.headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
            return exchange(self.a, self.r, parser, "POST", f"{self.base}/v1/runs", headers, json.dumps(body).encode(), stop_after)
        headers["Last-Event-ID"] = parser.last_id
        url = f"{self.base}/v1/runs/{run.run_id}/events"
        return exchange(self.a, self.r, parser, "GET", url, headers, None, stop_after)

    def say(self, run: Run) -> None:
        """Answer all that the run waits for."""
        a = self.a
        said: dict[str, Any] = {"decision": "approve"} if a.approve else {"decision": "deny"}
        if a.deny and a.reason:
            said["reason"] = a.reason
        if a.dismiss:
            said = {"decision": "cancel"}
        if a.answer:
            said = {"decision": "answer", "value": json.loads(a.answer)}
        pauses = self.ask("GET", f"/v1/runs/{run.run_id}/pauses")["pauses"]
        answers = [{"interrupt_id": one["interrupt_id"], "token": one["token"], **said} for one in pauses]
        self.ask("POST", f"/v1/runs/{run.run_id}/answers", {"answers": answers})


def lived(a: argparse.Namespace, r: Report) -> None:
    """One run, as the options want it."""
    client, run = Client(a, r), Run(r)
    if a.cancel_after:
        run.after[a.cancel_after] = lambda: client.ask("POST", f"/v1/runs/{run.run_id}/cancel", {})
    parser = Live(r, run.feed)
    start = {"agent": a.agent, "prompt": a.message, **({"thread_id": a.thread} if a.thread else {})}
    ended = client.follow(run, parser, body=start, stop_after=a.drop_after)
    if ended == "dropped":
        r.frames.append(["(reconnect)", 1])
        r.extra["reconnect"] = {"last_event_id": parser.last_id}
        again = Live(r, run.feed)
        again.last_id = parser.last_id
        ended = client.follow(run, again)
        parser = again
    if r.verdict == "paused" and (a.approve or a.deny or a.answer or a.dismiss):
        r.extra["first_run"] = {"verdict": "paused", "pause": r.pause}
        r.pause = r.verdict = None
        client.say(run)
        again = Live(r, run.feed)
        again.last_id = parser.last_id
        ended = client.follow(run, again)
    if a.again and r.verdict is not None:
        again = Live(r, run.feed)
        again.last_id = parser.last_id
        r.verdict, ended = None, client.follow(run, again)
    if r.verdict is None:
        r.verdict = ended if ended in ("error", "no_active_stream") else "truncated"
        if r.verdict == "truncated":
            r.violation("kit", "no-terminal", "the stream ended without a closing event")


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("url")
    p.add_argument("--agent", required=True)
    p.add_argument("--message", default="hello")
    p.add_argument("--thread", default="")
    p.add_argument("--drop-after", type=int, default=0)
    p.add_argument("--cancel-after", type=int, default=0)
    p.add_argument("--approve", action="store_true")
    p.add_argument("--deny", action="store_true")
    p.add_argument("--reason", default="")
    p.add_argument("--answer", default="")
    p.add_argument("--dismiss", action="store_true")
    p.add_argument("--again", action="store_true")
    p.add_argument("--header", action="append", default=[])
    p.add_argument("--heartbeat", type=float, default=5)
    p.add_argument("--timeout", type=float, default=30)
    p.add_argument("--expect", default="")
    a = p.parse_args()
    a.max_events = 0
    r = Report("plain", {"name": "plain_client", "version": "1"}, a.url)
    try:
        lived(a, r)
    except ConnectionRefusedError as e:
        r.verdict = "unreachable"
        r.error = {"from": "client", "name": type(e).__name__, "message": squeeze(e)}
    r.finish(a.expect or None)


if __name__ == "__main__":
    main()
