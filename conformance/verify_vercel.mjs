#!/usr/bin/env node
// Holds responses in the UI message stream against the AI SDK's own chunk schema and message reducer, in one process.
//
//   node verify_vercel.mjs [FOLDER] < CASES.jsonl > VERDICTS.jsonl
//
// A line in:  {"responses": [[chunk as JSON text, ...], ...]}, the responses of one message in order; a plain list of
//             chunks is one response. Between two responses the page answers: what asks for leave gets what "leave" says
//             of its approval id, true or false, or stays as it is; what waits for an output gets null.
// A line out: {"ok", "violations": [{by, rule, detail}], "text", "reasoning", "tools": {call: {name, state, input, output,
//             error, preliminary}},
//             "data", "ending": finish | abort | error | null, "reason", "metadata", "sends": whether a page with
//             `sendAutomaticallyWhen` would post again by itself}
//
// `ai` is taken from the node_modules of FOLDER, or from beside this script.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

function located(name) {
  const clients = process.argv[2];
  if (!clients) return name;
  const folder = join(clients, 'node_modules', name);
  const entry = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).exports['.'];
  return pathToFileURL(join(folder, entry.import)).href;
}

const ai = await import(located('ai'));

function complaint(err) {
  const rules = { AI_TypeValidationError: 'schema', AI_JSONParseError: 'not-json', AI_UIMessageStreamError: 'order' };
  return { by: 'client', rule: rules[err.name] ?? 'other', detail: `${err.name}: ${err.message}`.slice(0, 400) };
}

// The page between two responses.
function answered(part, leave) {
  if (!ai.isToolUIPart(part)) return part;
  const approved = leave[part.approval?.id];
  if (part.state === 'approval-requested' && approved !== undefined) return { ...part, state: 'approval-responded', approval: { ...part.approval, approved } };
  if (part.state === 'input-available' && !part.providerExecuted) return { ...part, state: 'output-available', output: null };
  return part;
}

// What the client does not look at: every part is ended, every step closed, nothing comes behind the end.
class Brackets {
  constructor(report) {
    this.report = report;
    this.open = new Set();
    this.steps = 0;
    this.ending = null;
  }

  take(chunk) {
    if (this.ending !== null) this.report('after-the-end', `${chunk.type} after ${this.ending}`);
    const [, kind, edge] = /^(text|reasoning)-(start|delta|end)$/.exec(chunk.type) ?? [];
    const name = `${kind} ${chunk.id}`;
    if (edge === 'start' && this.open.has(name)) this.report('opened-twice', name);
    if (edge === 'start') this.open.add(name);
    if (edge === 'end') this.open.delete(name);
    if (chunk.type === 'start-step') this.steps++;
    if (chunk.type === 'finish-step') this.steps--;
    if (chunk.type === 'reset-step') this.open.clear();
    if (this.steps < 0 || this.steps > 1) this.report('steps', `${this.steps} steps are open at ${chunk.type}`);
    if (['finish', 'abort', 'error'].includes(chunk.type)) this.end(chunk.type);
  }

  end(type) {
    this.ending = type;
    for (const name of this.open) this.report('unclosed', name);
    if (this.steps !== 0) this.report('unclosed', `${this.steps} steps`);
  }
}

async function read(chunks, message, report) {
  const brackets = new Brackets((rule, detail) => report({ by: 'kit', rule, detail }));
  let told = '';
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) {
        brackets.take(chunk);
        if (chunk.type === 'error') told = chunk.errorText;
        if (chunk.type === 'abort') told = chunk.reason ?? '';
        if (chunk.type === 'finish') told = chunk.finishReason ?? '';
        controller.enqueue(chunk);
      }
      controller.close();
    },
  });
  let last = message;
  const onError = err => (brackets.ending === 'error' && err.message === told ? undefined : report(complaint(err)));
  for await (const next of ai.readUIMessageStream({ message, stream, onError })) last = next;
  if (brackets.ending === null) report({ by: 'kit', rule: 'no-end', detail: 'neither finish, abort nor error' });
  return { message: last, ending: brackets.ending, reason: told };
}

async function parsed(texts, report) {
  const body = new Response(texts.map(text => `data: ${text}\n\n`).join('')).body;
  const chunks = [];
  for await (const result of ai.parseJsonEventStream({ stream: body, schema: ai.uiMessageChunkSchema })) {
    if (result.success) chunks.push(result.value);
    else report(complaint(result.error));
  }
  return chunks;
}

async function verify(given) {
  const responses = Array.isArray(given) ? [given] : given.responses;
  const violations = [];
  const report = violation => violations.push(violation);
  let held = { message: undefined, ending: null, reason: '' };
  for (const texts of responses) {
    const before = held.message && { ...held.message, parts: held.message.parts.map(part => answered(part, given.leave ?? {})) };
    held = await read(await parsed(texts, report), before, report);
  }
  const parts = held.message?.parts ?? [];
  const tools = {};
  for (const part of parts.filter(ai.isToolUIPart)) {
    if (part.toolCallId in tools) report({ by: 'kit', rule: 'tool-part-twice', detail: part.toolCallId });
    tools[part.toolCallId] = { name: ai.getToolName(part), state: part.state, input: part.input, output: part.output, error: part.errorText, preliminary: part.preliminary };
    if (held.ending !== 'error' && part.state === 'input-streaming') report({ by: 'kit', rule: 'unclosed', detail: `call ${part.toolCallId}` });
  }
  for (const part of parts) if (part.state === 'streaming') report({ by: 'kit', rule: 'unclosed', detail: `${part.type} '${part.text.slice(0, 40)}'` });
  const messages = held.message ? [held.message] : [];
  if (messages.length) {
    const kept = await ai.safeValidateUIMessages({ messages });
    if (!kept.success) report({ by: 'client', rule: 'kept-message', detail: String(kept.error.cause ?? kept.error.message).slice(0, 1000) });
  }
  const joined = type => parts.filter(part => part.type === type).map(part => part.text).join('');
  return {
    ok: violations.length === 0,
    violations,
    id: held.message?.id,
    text: joined('text'),
    reasoning: joined('reasoning'),
    tools,
    data: parts.filter(part => part.type.startsWith('data-')).map(part => ({ type: part.type, id: part.id, data: part.data })),
    ending: held.ending,
    reason: held.reason,
    metadata: held.message?.metadata ?? null,
    sends: held.ending !== 'error' && (ai.lastAssistantMessageIsCompleteWithToolCalls({ messages }) || ai.lastAssistantMessageIsCompleteWithApprovalResponses({ messages })),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim()) process.stdout.write(`${JSON.stringify(await verify(JSON.parse(line)))}\n`);
}
