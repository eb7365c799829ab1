/**
 * Runs of a Treadle server, in a page or in Node 20 and later: start, follow, stop, answer.
 *
 * Nothing but `fetch`. A run lives on the server and a reader only reads it: `follow` gives each event once and in
 * order, over as many connections as that takes, and to leave it stops nothing. Types: `treadle.d.ts`, made of this.
 */

/**
 * @typedef {"run_started" | "resumed" | "stage" | "round_started" | "round_ended" | "thinking" | "text_delta" |
 *   "tool_announced" | "tool_arguments" | "tool_call" | "tool_progress" | "tool_result" | "retracted" | "extracted" |
 *   "extension" | "dropped" | "ask_user" | "interrupt" | "done" | "error" | "cancelled"} EventKind
 */
/**
 * What a run says; `kind` tells which fields there are (docs/events.md). `cursor` is the place behind it.
 * @typedef {{ kind: EventKind, index: number, run_id: string, cursor: string, [field: string]: any }} RunEvent
 */
/** @typedef {"ready" | "owned" | "waiting" | "done" | "error" | "cancelled"} RunState */
/** @typedef {{ run_id: string, thread_id: string, state: RunState }} StartedRun */
/**
 * What is asked of whom. Without a `key` one is made, so that a start which is sent again starts nothing twice.
 * @typedef {{
 *   agent: string, prompt: string, thread_id?: string, key?: string,
 *   on_disconnect?: string, on_busy?: "reject" | "queue" | "cancel_previous",
 * }} StartRequest
 */
/**
 * `after`: only what lies behind this cursor. `follow`: `segment` ends with a pause too. `integers`: `text` gives those
 * beyond 2^53 as text, `exact` as numbers, which JavaScript rounds. `onRetry` is told of each connection that broke.
 * @typedef {{
 *   after?: string | null, follow?: "segment" | "run", integers?: "text" | "exact", signal?: AbortSignal,
 *   onRetry?: (failure: unknown, wait_ms: number) => void,
 * }} FollowOptions
 */
/**
 * @typedef {{
 *   interrupt_id: string, token: string, decision: "approve" | "deny" | "edit" | "answer" | "cancel",
 *   arguments?: Record<string, unknown>, value?: unknown, reason?: string,
 * }} Answer
 */
/**
 * @typedef {{
 *   interrupt_id: string, kind: string, call_id: string | null, request: any, response_schema: any,
 *   expires_at: number | null, on_expiry: string, token: string, [field: string]: any,
 * }} Pause
 */
/** @typedef {Record<string, string>} HeaderTable */
/**
 * `headers` go with each request, or are made for it: a token that is renewed. `attempts` are those in a row that come
 * to nothing before it is given up, `first_ms` and `longest_ms` the waits between them, `silence_ms` how long a connection
 * may say nothing: the server breaks the silence every 3 seconds.
 * @typedef {{
 *   headers?: HeaderTable | (() => HeaderTable | Promise<HeaderTable>), fetch?: typeof globalThis.fetch,
 *   attempts?: number, first_ms?: number, longest_ms?: number, silence_ms?: number,
 * }} ClientOptions
 */

const FINAL = new Set(["done", "error", "cancelled"]);
const PAUSES = new Set(["ask_user", "interrupt"]);
const PASSING = new Set([408, 425, 429]);
const LONGEST_LINE = 16 * 1024 * 1024;

/** What a server refused: its `code` is stable, `reference` is what whoever runs it finds the rest under. */
export class TreadleError extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, message?: string, reference?: string, [detail: string]: any }} body
   * @param {number | null} retry_after_s
   */
  constructor(status, body, retry_after_s) {
    super(body.message ?? `the server answered ${status}`);
    this.name = "TreadleError";
    this.status = status;
    this.code = body.code ?? `http_${status}`;
    this.reference = body.reference ?? null;
    this.details = body;
    this.retry_after_s = retry_after_s;
  }

  /** Whether the same request may be granted later. */
  get mayPass() {
    return this.status >= 500 || PASSING.has(this.status);
  }
}

/** A connection that ended before the run did. */
export class BrokenError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "BrokenError";
  }
}

/** The runs of one server. */
export class Treadle {
  /** @type {string} */ #base;
  /** @type {Required<ClientOptions>} */ #options;

  /**
   * @param {string} base Where its application is: `https://api.example/agents`, or a path in a page.
   * @param {ClientOptions} [options]
   */
  constructor(base, options = {}) {
    this.#base = base.replace(/\/+$/, "");
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = {
      headers: {}, attempts: 10, first_ms: 500, longest_ms: 30_000, silence_ms: 15_000,
      fetch: (input, init) => globalThis.fetch(input, init), ...given,
    };
  }

  /**
   * Start a run, or join the one that its key began.
   * @param {StartRequest} request
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<StartedRun>}
   */
  async start(request, { signal } = {}) {
    const body = { key: newKey(), ...request };
    return await this.#again(() => this.#json("POST", "/v1/runs", body, signal), signal);
  }

  /**
   * The events of a run, each once and in order, to the end of the segment or of the run. To break off the loop leaves
   * the run and stops nothing of it.
   * @param {string} run_id
   * @param {FollowOptions} [options]
   * @returns {AsyncGenerator<RunEvent, void, undefined>}
   */
  async *follow(run_id, options = {}) {
    const { after = null, follow = "segment", integers = "text", signal, onRetry } = options;
    let cursor = after;
    for (let failures = 0; ; ) {
      const leaving = new AbortController();
      const leave = () => leaving.abort(signal?.reason);
      signal?.addEventListener("abort", leave, { once: true });
      try {
        const query = new URLSearchParams({ follow, integers, ...(cursor === null ? {} : { after: cursor }) });
        const path = `${runPath(run_id)}/events?${query}`;
        const response = await this.#request("GET", path, undefined, leaving.signal, { Accept: "application/x-ndjson" });
        if (response.status === 204) return; // All of it was read before.
        for await (const event of lines(response, leaving, this.#options.silence_ms)) {
          [cursor, failures] = [event.cursor, 0];
          yield event;
          if (FINAL.has(event.kind) || (follow === "segment" && PAUSES.has(event.kind))) return;
        }
        throw new BrokenError("the stream ended before the run did");
      } catch (failure) {
        signal?.throwIfAborted();
        failures += 1;
        if (!mayPass(failure) || failures >= this.#options.attempts) throw failure;
        const wait_ms = this.#wait_ms(failures, failure);
        onRetry?.(failure, wait_ms);
        await passed(wait_ms, signal);
      } finally {
        signal?.removeEventListener("abort", leave);
        leaving.abort();
      }
    }
  }

  /**
   * Ask a run to stop. It is over when its events say so; asking again changes nothing.
   * @param {string} run_id
   * @param {{ reason?: string, signal?: AbortSignal }} [options]
   * @returns {Promise<{ run_id: string, state: RunState, accepted: boolean }>}
   */
  async stop(run_id, { reason, signal } = {}) {
    const body = reason === undefined ? {} : { reason };
    return await this.#again(() => this.#json("POST", `${runPath(run_id)}/cancel`, body, signal), signal);
  }

  /**
   * What a run waits for people to say, for whoever may answer.
   * @param {string} run_id
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Pause[]>}
   */
  async pauses(run_id, { signal } = {}) {
    const told = await this.#again(() => this.#json("GET", `${runPath(run_id)}/pauses`, undefined, signal), signal);
    return told.pauses;
  }

  /**
   * Answer pauses of a run: all of them are taken, or none. It is sent once; after a connection that broke, `pauses`
   * says what is still open.
   * @param {string} run_id
   * @param {Answer[]} answers
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ run_id: string, taken: string[], open: string[] }>}
   */
  async answer(run_id, answers, { signal } = {}) {
    return await this.#json("POST", `${runPath(run_id)}/answers`, { answers }, signal);
  }

  /**
   * A run at a glance; follow it behind its `cursor`.
   * @param {string} run_id
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ run_id: string, thread_id: string, state: RunState, text: string, cursor: string | null,
   *   [field: string]: any }>}
   */
  async run(run_id, { signal } = {}) {
    const path = `${runPath(run_id)}?integers=text`;
    return await this.#again(() => this.#json("GET", path, undefined, signal), signal);
  }

  /**
   * @template T
   * @param {() => Promise<T>} ask
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<T>}
   */
  async #again(ask, signal) {
    for (let failures = 1; ; failures += 1) {
      try {
        return await ask();
      } catch (failure) {
        signal?.throwIfAborted();
        if (!mayPass(failure) || failures >= this.#options.attempts) throw failure;
        await passed(this.#wait_ms(failures, failure), signal);
      }
    }
  }

  /**
   * How long to wait: twice as long each time, less up to a half at random, and no shorter than the server asks for.
   * @param {number} failures
   * @param {unknown} failure
   */
  #wait_ms(failures, failure) {
    const most_ms = Math.min(this.#options.longest_ms, this.#options.first_ms * 2 ** (failures - 1));
    const asked_ms = failure instanceof TreadleError ? (failure.retry_after_s ?? 0) * 1000 : 0;
    return Math.max(asked_ms, most_ms * (1 - Math.random() / 2));
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<any>}
   */
  async #json(method, path, body, signal) {
    return await (await this.#request(method, path, body, signal, {})).json();
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   * @param {AbortSignal | undefined} signal
   * @param {HeaderTable} more
   */
  async #request(method, path, body, signal, more) {
    const { headers, fetch } = this.#options;
    const own = typeof headers === "function" ? await headers() : headers;
    /** @type {RequestInit} */
    const init = { method, headers: { ...own, ...more }, cache: "no-store" };
    if (signal !== undefined) init.signal = signal;
    if (body !== undefined) {
      init.headers = { ...init.headers, "Content-Type": "application/json" };
      init.body = JSON.stringify(body);
    }
    const response = await fetch(`${this.#base}${path}`, init);
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

/** Not `randomUUID`, which pages without TLS have not. */
function newKey() {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {string} run_id */
function runPath(run_id) {
  return `/v1/runs/${encodeURIComponent(run_id)}`;
}

/** @param {Response} response */
async function refusal(response) {
  const wait_s = Number(response.headers.get("Retry-After") ?? NaN);
  const body = await response.json().catch(() => ({})); // A proxy answers in words of its own.
  return new TreadleError(response.status, body ?? {}, Number.isFinite(wait_s) ? wait_s : null);
}

/**
 * Whether another attempt may do better: the network failed, or the server says so. A line that is no JSON, or what a
 * caller's own function throws, is no such thing. `fetch` says that the network failed by a TypeError.
 * @param {unknown} failure
 */
function mayPass(failure) {
  if (failure instanceof TreadleError) return failure.mayPass;
  return failure instanceof BrokenError || failure instanceof TypeError;
}

/**
 * The events of a response in lines of JSON; an empty line only breaks the silence.
 * @param {Response} response
 * @param {AbortController} leaving
 * @param {number} silence_ms
 * @returns {AsyncGenerator<RunEvent, void, undefined>}
 */
async function* lines(response, leaving, silence_ms) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  /** @type {string[]} */ let held = [];
  let size = 0;
  for (;;) {
    const { done, value } = await heard(reader, silence_ms);
    if (done) return; // What is held is a line that was cut: it comes again.
    let from = 0;
    for (let at; (at = value.indexOf("\n", from)) >= 0; from = at + 1) {
      const line = held.join("") + value.slice(from, at);
      [held, size] = [[], 0];
      if (line !== "") yield JSON.parse(line);
    }
    held.push(value.slice(from));
    size += value.length - from;
    if (size > LONGEST_LINE) {
      leaving.abort();
      throw new RangeError(`a line of more than ${LONGEST_LINE} characters`);
    }
  }
}

/**
 * The next piece. A connection that says nothing for so long is dead, whatever the system thinks of it.
 * @param {ReadableStreamDefaultReader<string>} reader
 * @param {number} silence_ms
 */
async function heard(reader, silence_ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
  try {
    return await Promise.race([
      reader.read(),
      new Promise((_, fail) => {
        timer = setTimeout(() => fail(new BrokenError(`nothing was heard for ${silence_ms} ms`)), silence_ms);
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {number} wait_ms
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
function passed(wait_ms, signal) {
  return new Promise((go, fail) => {
    const stop = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      go();
    }, wait_ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
