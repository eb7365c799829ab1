/** The client against a server that is a function: what no real one does on demand. Run by test_ts_client.py. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BrokenError, Treadle, TreadleError } from "../../clients/ts/treadle.js";

const FAST = { first_ms: 1, longest_ms: 2 };
const event = (index, kind, more = {}) => ({ kind, index, run_id: "r", ...more, cursor: `1:${index}` });
const RUN = [event(0, "run_started"), event(1, "text_delta", { text: "ä\u2028 €😀" }), event(2, "done")];
const line = (one) => `${JSON.stringify(one)}\n`;

/** A body of these pieces; then it ends, breaks, or says nothing more. */
function body(pieces, { then = "end" } = {}) {
  const left = [...pieces];
  return new ReadableStream({
    pull(controller) {
      if (left.length) return controller.enqueue(left.shift());
      if (then === "end") return controller.close();
      if (then === "break") return controller.error(new TypeError("terminated"));
      return new Promise(() => {});
    },
  });
}

/** A client whose server gives these answers, one after the other. What was asked is kept. */
function client(answers, options = {}) {
  const asked = [];
  const fetch = async (url, init) => {
    asked.push([init.method, url, init]);
    const answer = answers.shift();
    assert.ok(answer, `nothing was to be asked any more: ${url}`);
    return answer();
  };
  return [new Treadle("/agents/", { ...FAST, fetch, ...options }), asked];
}

const stream = (pieces, how) => () => new Response(body(pieces, how), { status: 200 });
const refused = (status, said, headers = {}) => () => new Response(said, { status, headers });

async function all(events) {
  const found = [];
  for await (const one of events) found.push(one);
  return found;
}

test("events are the same however the bytes are cut", async () => {
  const bytes = new TextEncoder().encode(`\n${RUN.map(line).join("\n")}`);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
    const [treadle, asked] = client([stream(pieces)]);
    assert.deepEqual(await all(treadle.follow("r/1")), RUN);
    assert.equal(asked[0][1], "/agents/v1/runs/r%2F1/events?follow=segment&integers=text");
    assert.equal(asked[0][2].headers.Accept, "application/x-ndjson");
  }
});

test("a stream that breaks, ends early or falls silent is taken up behind the last whole event", async () => {
  const bytes = (...events) => [new TextEncoder().encode(events.map(line).join(""))];
  const half = [...bytes(RUN[1]), new TextEncoder().encode(line(RUN[2]).slice(0, 9))];
  const retries = [];
  const [treadle, asked] = client(
    [stream(bytes(RUN[0]), { then: "break" }), stream(half), stream([], { then: "hang" }), stream(bytes(RUN[2]))],
    { silence_ms: 20 },
  );
  const onRetry = (failure) => retries.push(failure.constructor);
  assert.deepEqual(await all(treadle.follow("r", { follow: "run", onRetry })), RUN);
  assert.deepEqual(retries, [TypeError, BrokenError, BrokenError]);
  assert.deepEqual(asked.map(([, url]) => new URLSearchParams(url.split("?")[1]).get("after")), [null, "1:0", "1:1", "1:1"]);
});

test("204 ends it, and so does a pause, unless the run is followed", async () => {
  const pause = event(1, "interrupt");
  const text = (...events) => [new TextEncoder().encode(events.map(line).join(""))];
  assert.deepEqual(await all(client([refused(204, null)])[0].follow("r", { after: "1:2" })), []);
  assert.deepEqual(await all(client([stream(text(RUN[0], pause))])[0].follow("r")), [RUN[0], pause]);
  const [treadle] = client([stream(text(RUN[0], pause, RUN[2]))]);
  assert.deepEqual(await all(treadle.follow("r", { follow: "run" })), [RUN[0], pause, RUN[2]]);
});

test("what is refused for good is raised at once, with all that was said", async () => {
  const said = { code: "bad_cursor", message: "it is ahead", reference: "e_1", reset_to: "1:3" };
  const [treadle, asked] = client([refused(400, JSON.stringify(said))]);
  await assert.rejects(all(treadle.follow("r")), (error) => {
    assert.ok(error instanceof TreadleError);
    assert.deepEqual([error.status, error.code, error.reference, error.details.reset_to], [400, "bad_cursor", "e_1", "1:3"]);
    return true;
  });
  assert.equal(asked.length, 1);
});

test("what may pass is tried again, not sooner than the server says, and not for ever", async () => {
  const waits = [];
  const busy = refused(503, "<html>", { "Retry-After": "0.01" });
  const [treadle, asked] = client([busy, busy, busy], { attempts: 3 });
  await assert.rejects(all(treadle.follow("r", { onRetry: (_, wait_ms) => waits.push(wait_ms) })), { code: "http_503" });
  assert.equal(asked.length, 3);
  assert.ok(waits.every((wait_ms) => wait_ms >= 10));
});

test("a line that is no JSON is raised and not asked for again", async () => {
  const [treadle, asked] = client([stream([new TextEncoder().encode("oh no\n")])]);
  await assert.rejects(all(treadle.follow("r")), SyntaxError);
  assert.equal(asked.length, 1);
});

test("a start that is sent again has the same key, and another start another", async () => {
  const started = () => new Response(JSON.stringify({ run_id: "r", thread_id: "t", state: "ready" }));
  const broken = () => Promise.reject(new TypeError("fetch failed"));
  const [treadle, asked] = client([broken, started, started]);
  const request = { agent: "a", prompt: "hi" };
  assert.equal((await treadle.start(request)).run_id, "r");
  await treadle.start(request);
  const keys = asked.map(([, , init]) => JSON.parse(init.body).key);
  assert.equal(keys[0], keys[1]);
  assert.notEqual(keys[1], keys[2]);
  assert.match(keys[0], /^[0-9a-f]{32}$/);
});

test("an answer is sent once", async () => {
  const [treadle, asked] = client([() => Promise.reject(new TypeError("fetch failed"))]);
  await assert.rejects(treadle.answer("r", []), TypeError);
  assert.equal(asked.length, 1);
});

test("headers may be made for each request", async () => {
  let number = 0;
  const headers = async () => ({ Authorization: `Bearer ${(number += 1)}` });
  const [treadle, asked] = client([stream([], { then: "break" }), refused(204, null)], { headers });
  await all(treadle.follow("r"));
  assert.deepEqual(asked.map(([, , init]) => init.headers.Authorization), ["Bearer 1", "Bearer 2"]);
});

test("to break off the loop, or to abort, closes the connection and asks for nothing more", async () => {
  const text = [new TextEncoder().encode(line(RUN[0]))];
  const [treadle, asked] = client([stream(text, { then: "hang" }), stream(text, { then: "break" })]);
  for await (const one of treadle.follow("r")) {
    assert.deepEqual(one, RUN[0]);
    break;
  }
  assert.ok(asked[0][2].signal.aborted);
  const leaving = new AbortController();
  const onRetry = () => leaving.abort(new Error("enough"));
  await assert.rejects(all(treadle.follow("r", { signal: leaving.signal, onRetry })), { message: "enough" });
  assert.equal(asked.length, 2);
});
