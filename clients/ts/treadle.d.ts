/** What a server refused: its `code` is stable, `reference` is what whoever runs it finds the rest under. */
export class TreadleError extends Error {
    /**
     * @param {number} status
     * @param {{ code?: string, message?: string, reference?: string, [detail: string]: any }} body
     * @param {number | null} retry_after_s
     */
    constructor(status: number, body: {
        code?: string;
        message?: string;
        reference?: string;
        [detail: string]: any;
    }, retry_after_s: number | null);
    status: number;
    code: string;
    reference: string | null;
    details: {
        [detail: string]: any;
        code?: string;
        message?: string;
        reference?: string;
    };
    retry_after_s: number | null;
    /** Whether the same request may be granted later. */
    get mayPass(): boolean;
}
/** A connection that ended before the run did. */
export class BrokenError extends Error {
    /** @param {string} message */
    constructor(message: string);
}
/** The runs of one server. */
export class Treadle {
    /**
     * @param {string} base Where its application is: `https://api.example/agents`, or a path in a page.
     * @param {ClientOptions} [options]
     */
    constructor(base: string, options?: ClientOptions);
    /**
     * Start a run, or join the one that its key began.
     * @param {StartRequest} request
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<StartedRun>}
     */
    start(request: StartRequest, { signal }?: {
        signal?: AbortSignal;
    }): Promise<StartedRun>;
    /**
     * The events of a run, each once and in order, to the end of the segment or of the run. To break off the loop leaves
     * the run and stops nothing of it.
     * @param {string} run_id
     * @param {FollowOptions} [options]
     * @returns {AsyncGenerator<RunEvent, void, undefined>}
     */
    follow(run_id: string, options?: FollowOptions): AsyncGenerator<RunEvent, void, undefined>;
    /**
     * Ask a run to stop. It is over when its events say so; asking again changes nothing.
     * @param {string} run_id
     * @param {{ reason?: string, signal?: AbortSignal }} [options]
     * @returns {Promise<{ run_id: string, state: RunState, accepted: boolean }>}
     */
    stop(run_id: string, { reason, signal }?: {
        reason?: string;
        signal?: AbortSignal;
    }): Promise<{
        run_id: string;
        state: RunState;
        accepted: boolean;
    }>;
    /**
     * What a run waits for people to say, for whoever may answer.
     * @param {string} run_id
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<Pause[]>}
     */
    pauses(run_id: string, { signal }?: {
        signal?: AbortSignal;
    }): Promise<Pause[]>;
    /**
     * Answer pauses of a run: all of them are taken, or none. It is sent once; after a connection that broke, `pauses`
     * says what is still open.
     * @param {string} run_id
     * @param {Answer[]} answers
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<{ run_id: string, taken: string[], open: string[] }>}
     */
    answer(run_id: string, answers: Answer[], { signal }?: {
        signal?: AbortSignal;
    }): Promise<{
        run_id: string;
        taken: string[];
        open: string[];
    }>;
    /**
     * A run at a glance; follow it behind its `cursor`.
     * @param {string} run_id
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<{ run_id: string, thread_id: string, state: RunState, text: string, cursor: string | null,
     *   [field: string]: any }>}
     */
    run(run_id: string, { signal }?: {
        signal?: AbortSignal;
    }): Promise<{
        run_id: string;
        thread_id: string;
        state: RunState;
        text: string;
        cursor: string | null;
        [field: string]: any;
    }>;
    #private;
}
export type EventKind = "run_started" | "resumed" | "stage" | "round_started" | "round_ended" | "thinking" | "text_delta" | "tool_announced" | "tool_arguments" | "tool_call" | "tool_progress" | "tool_result" | "retracted" | "extracted" | "extension" | "dropped" | "ask_user" | "interrupt" | "done" | "error" | "cancelled";
/**
 * What a run says; `kind` tells which fields there are (docs/events.md). `cursor` is the place behind it.
 */
export type RunEvent = {
    kind: EventKind;
    index: number;
    run_id: string;
    cursor: string;
    [field: string]: any;
};
export type RunState = "ready" | "owned" | "waiting" | "done" | "error" | "cancelled";
export type StartedRun = {
    run_id: string;
    thread_id: string;
    state: RunState;
};
/**
 * What is asked of whom. Without a `key` one is made, so that a start which is sent again starts nothing twice.
 */
export type StartRequest = {
    agent: string;
    prompt: string;
    thread_id?: string;
    key?: string;
    on_disconnect?: string;
    on_busy?: "reject" | "queue" | "cancel_previous";
};
/**
 * `after`: only what lies behind this cursor. `follow`: `segment` ends with a pause too. `integers`: `text` gives those
 * beyond 2^53 as text, `exact` as numbers, which JavaScript rounds. `onRetry` is told of each connection that broke.
 */
export type FollowOptions = {
    after?: string | null;
    follow?: "segment" | "run";
    integers?: "text" | "exact";
    signal?: AbortSignal;
    onRetry?: (failure: unknown, wait_ms: number) => void;
};
export type Answer = {
    interrupt_id: string;
    token: string;
    decision: "approve" | "deny" | "edit" | "answer" | "cancel";
    arguments?: Record<string, unknown>;
    value?: unknown;
    reason?: string;
};
export type Pause = {
    interrupt_id: string;
    kind: string;
    call_id: string | null;
    request: any;
    response_schema: any;
    expires_at: number | null;
    on_expiry: string;
    token: string;
    [field: string]: any;
};
export type HeaderTable = Record<string, string>;
/**
 * `headers` go with each request, or are made for it: a token that is renewed. `attempts` are those in a row that come
 * to nothing before it is given up, `first_ms` and `longest_ms` the waits between them, `silence_ms` how long a connection
 * may say nothing: the server breaks the silence every 3 seconds.
 */
export type ClientOptions = {
    headers?: HeaderTable | (() => HeaderTable | Promise<HeaderTable>);
    fetch?: typeof globalThis.fetch;
    attempts?: number;
    first_ms?: number;
    longest_ms?: number;
    silence_ms?: number;
};
