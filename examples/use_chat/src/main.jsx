// A page with `useChat` on it. All that it knows of the agent is its address.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';

const api = '/agents/vercel/guide';
const transport = new DefaultChatTransport({ api });

// The chat is in the address of the page, so that loading it again comes back to it.
location.hash ||= crypto.getRandomValues(new Uint32Array(2)).join('');
const chat = location.hash.slice(1);

function Chat() {
  const [text, setText] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id: chat,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = event => {
    event.preventDefault();
    sendMessage({ text });
    setText('');
  };
  return (
    <main>
      {messages.map((message, at) => (
        <Message key={message.id} message={message} isAlone={messages[at - 1]?.role !== 'user'} decide={addToolApprovalResponse} />
      ))}
      <form onSubmit={send}>
        <input value={text} onChange={event => setText(event.target.value)} placeholder="Ask, or tell it to publish something" />
        <button disabled={status !== 'ready' || !text}>Send</button>
        {/* `stop` of useChat closes the connection, and the answer goes on. This ends it. */}
        <button type="button" onClick={() => fetch(`${api}/${chat}/stop`, { method: 'POST' })}>
          Stop
        </button>
      </form>
      <output>{error ? error.message : status}</output>
    </main>
  );
}

function Message({ message, isAlone, decide }) {
  return (
    <article className={message.role}>
      {message.role === 'assistant' && isAlone && <p className="question">{message.metadata?.prompt}</p>}
      {message.parts.map((part, at) => {
        if (part.type === 'text') return <p key={at}>{part.text}</p>;
        return isToolUIPart(part) ? <Call key={at} part={part} decide={decide} /> : null;
      })}
    </article>
  );
}

function Call({ part, decide }) {
  const answer = approved => decide({ id: part.approval.id, approved });
  return (
    <fieldset>
      <legend>{part.toolName ?? part.type}</legend>
      <code>{JSON.stringify(part.input)}</code> <em>{part.state}</em>
      {part.state === 'approval-requested' && (
        <>
          <button onClick={() => answer(true)}>Approve</button>
          <button onClick={() => answer(false)}>Deny</button>
        </>
      )}
    </fieldset>
  );
}

createRoot(document.getElementById('root')).render(<Chat />);
