// A page on the official AG-UI client. All that it knows of the agent is its address; what it shows is what the client
// holds.
import { HttpAgent, randomUUID } from '@ag-ui/client';

const server = '/agents';
const byId = id => document.getElementById(id);
const [form] = document.forms;
const [input, send] = form;
const status = document.querySelector('output');

// The thread is in the address of the page, so that loading it again comes back to it.
const isNew = location.hash.length < 2;
if (isNew) location.hash = crypto.getRandomValues(new Uint32Array(2)).join('');
const agent = new HttpAgent({ url: `${server}/agui/guide`, threadId: location.hash.slice(1) });

let run = '';
let interrupts = [];

agent.subscribe({
  onRunStartedEvent: ({ event }) => {
    run = event.metadata?.treadle?.runId;
    interrupts = [];
  },
  onRunFinishedEvent: ({ outcome, interrupts: asked }) => void (interrupts = outcome === 'interrupt' ? asked : []),
  // The client gives its messages here as they are after each event.
  onMessagesChanged: ({ messages }) => show(messages),
});

async function follow(parameters = {}) {
  status.textContent = 'running';
  send.disabled = true;
  let said = 'ready';
  try {
    await agent.runAgent(parameters, { onRunErrorEvent: ({ event }) => void (said = event.message) });
  } catch (error) {
    // A refusal before the stream: of a thread that nobody has said anything in there is nothing to come back to.
    said = error.status === 400 && agent.messages.length === 0 ? 'ready' : (error.payload?.message ?? error.message);
  }
  send.disabled = false;
  show(agent.messages);
  status.textContent = said;
}

form.addEventListener('submit', event => {
  event.preventDefault();
  agent.addMessage({ id: randomUUID(), role: 'user', content: input.value });
  input.value = '';
  follow();
});

// `abortRun` of the client closes the connection, and the answer goes on. This ends it.
byId('stop').addEventListener('click', () => fetch(`${server}/v1/runs/${run}/cancel`, { method: 'POST' }));

function show(messages) {
  const results = new Map(messages.filter(one => one.role === 'tool').map(one => [one.toolCallId, one.content]));
  byId('messages').replaceChildren(...messages.filter(one => one.role !== 'tool').map(one => article(one, results)));
}

function article(message, results) {
  const text = message.content ? [element('p', message.content)] : [];
  const calls = (message.toolCalls ?? []).map(call => fieldset(call, results.get(call.id)));
  const shown = element('article', '', ...text, ...calls);
  shown.className = message.role;
  return shown;
}

function fieldset(call, result) {
  const asks = interrupts.find(one => one.toolCallId === call.id);
  const state = asks ? 'asks' : result === undefined ? 'called' : 'answered';
  const parts = [element('legend', call.function.name), element('code', call.function.arguments), element('em', state)];
  if (result !== undefined) parts.push(element('samp', result));
  if (asks) parts.push(button('Approve', asks, { approved: true }), button('Deny', asks, { approved: false }));
  return element('fieldset', '', ...parts);
}

function button(label, asks, payload) {
  const shown = element('button', label);
  shown.onclick = () => follow({ resume: [{ interruptId: asks.id, status: 'resolved', payload }] });
  return shown;
}

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.append(text, ...children);
  return made;
}

if (!isNew) follow();
