/**
 * The client against a real server: `node drive.mjs BASE WHAT ...`. What comes is printed, a line of JSON each.
 * Run by test_ts_client.py.
 */

import { Treadle, TreadleError } from "../../clients/ts/treadle.js";

const [base, what, ...words] = process.argv.slice(2);
const treadle = new Treadle(base, { first_ms: 1, longest_ms: 50 });
const say = (terms) => process.stdout.write(`${JSON.stringify(terms)}\n`);
const onRetry = (failure) => say({ retry: failure.name });

async function follow(run_id, options = {}) {
  let cursor = options.after ?? null;
  for await (const event of treadle.follow(run_id, { onRetry, ...options })) {
    say(event);
    cursor = event.cursor;
  }
  return cursor;
}

const WHATS = {
  /** Start, read to the end, and ask once more. */
  async whole(agent, prompt) {
    const { run_id } = await treadle.start({ agent, prompt });
    say({ started: run_id });
    const cursor = await follow(run_id);
    await follow(run_id, { after: cursor });
    say({ text: (await treadle.run(run_id)).text });
  },
  /** Start, and stop at the first piece of text. */
  async stop(agent, prompt) {
    const { run_id } = await treadle.start({ agent, prompt });
    for await (const event of treadle.follow(run_id)) {
      say(event);
      if (event.kind === "text_delta") say(await treadle.stop(run_id, { reason: "enough" }));
    }
  },
  /** Start, read to the pause, approve it, read on. */
  async answer(agent, prompt) {
    const { run_id } = await treadle.start({ agent, prompt });
    const after = await follow(run_id);
    const pauses = await treadle.pauses(run_id);
    say({ pauses: pauses.map(({ kind, request }) => ({ kind, request })) });
    const answers = pauses.map(({ interrupt_id, token }) => ({ interrupt_id, token, decision: "approve" }));
    say(await treadle.answer(run_id, answers));
    await follow(run_id, { after });
  },
  /** Ask for what is not there. */
  async missing() {
    try {
      await follow("r_of_nobody");
    } catch (error) {
      say({ code: error instanceof TreadleError && error.code, status: error.status });
    }
  },
};

await WHATS[what](...words);
