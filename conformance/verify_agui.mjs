#!/usr/bin/env node
// Threads of AG-UI runs through the official client, in one process: what it refuses, and what it holds in the end.
//
//   node verify_agui.mjs [FOLDER] < threads.jsonl > verdicts.jsonl
//
// FOLDER has the node_modules with @ag-ui/client and rxjs; without it TREADLE_CLIENTS names it, else the folder of this
// file. A line is a list of frames (one run, each frame an object or its JSON), or {"messages": [...], "runs": [{"frames":
// [...], "run_id", "resume"}]}: runs of one thread, one after the other, by one client. Each line is answered by one:
//
//   verdict    done | paused | cancelled | error | truncated | rejected, of the last run
//   refused    why the client threw a run away, with the number of the run; null where it did not
//   warnings   what it stripped or could not apply
//   endings    per run: the verdict, its interrupts, pending calls, result and error
//   messages, text, thinking, tools, state: what it holds
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? process.env.TREADLE_CLIENTS ?? dirname(fileURLToPath(import.meta.url));
const require = createRequire(resolve(folder, 'package.json'));
const { AbstractAgent } = require('@ag-ui/client');
const { from } = require('rxjs');

let warnings = [];
const told = part => (part instanceof Error ? `${part.name}: ${part.message}` : typeof part === 'string' ? part : JSON.stringify(part));
for (const level of ['warn', 'error']) console[level] = (...parts) => warnings.push(parts.map(told).join(' ').replace(/\s+/g, ' ').slice(0, 400));

class Played extends AbstractAgent {
  play(frames) {
    this.frames = frames;
    return this;
  }
  run() {
    return from(this.frames);
  }
}

function reading() {
  const ending = { verdict: 'truncated', interrupts: [], pending: [], result: null, error: null, usage: null };
  return {
    ending,
    onRunFinishedEvent({ event, outcome, interrupts, pendingToolCallIds }) {
      ending.verdict = outcome === 'interrupt' ? 'paused' : outcome === 'cancelled' ? 'cancelled' : 'done';
      ending.interrupts = interrupts ?? [];
      ending.pending = pendingToolCallIds ?? [];
      ending.result = event.result ?? null;
      ending.usage = event.usage ?? null;
    },
    onRunErrorEvent({ event }) {
      ending.verdict = 'error';
      ending.error = { code: event.code ?? null, message: event.message };
      ending.usage = event.usage ?? null;
    },
  };
}

async function judge(line) {
  const thread = Array.isArray(line) ? { runs: [{ frames: line }] } : line;
  const agent = new Played({ threadId: thread.thread_id ?? 't1', initialMessages: thread.messages ?? [] });
  const endings = [];
  let refused = null;
  warnings = [];
  for (const [number, one] of thread.runs.entries()) {
    const subscriber = reading();
    endings.push(subscriber.ending);
    try {
      const frames = one.frames.map(frame => (typeof frame === 'string' ? JSON.parse(frame) : frame));
      if (one.say) agent.messages = [...agent.messages, ...one.say];
      await agent.play(frames).runAgent({ runId: one.run_id ?? `run-${number}`, ...(one.resume ? { resume: one.resume } : {}) }, subscriber);
    } catch (error) {
      subscriber.ending.verdict = 'rejected';
      refused = `run ${number}: ${told(error)}`.replace(/\s+/g, ' ').slice(0, 600);
      break;
    }
  }
  const of = role => agent.messages.filter(message => message.role === role);
  const results = Object.fromEntries(of('tool').map(message => [message.toolCallId, message]));
  return {
    verdict: endings.at(-1)?.verdict ?? 'truncated',
    refused,
    warnings: warnings.filter(said => !said.startsWith('Agent execution failed')),
    endings,
    messages: agent.messages,
    text: of('assistant').map(message => message.content ?? '').join(''),
    thinking: of('reasoning').map(message => message.content).join(''),
    tools: of('assistant').flatMap(message => message.toolCalls ?? []).map(call => ({
      id: call.id,
      name: call.function.name,
      args: call.function.arguments,
      result: results[call.id]?.content ?? null,
      metadata: results[call.id]?.metadata ?? null,
    })),
    state: agent.state,
  };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line.trim()) process.stdout.write(JSON.stringify(await judge(JSON.parse(line))) + '\n');
}
