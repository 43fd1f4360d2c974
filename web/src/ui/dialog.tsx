// Shows a dialog over the page. The browser's own dialog keeps the focus inside and closes with Escape.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { unsendableIn } from '../logic/key_text';

export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <h2 id={id}>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

// Confirms an action that cannot be undone: the button is enabled once the name has been typed.
export function TypedConfirmation(props: {
  title: string;
  word: string;
  action: string;
  children: ComponentChildren;
  onClose: () => void;
  onConfirm: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState('');
  const id = useId();
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === props.word) props.onConfirm();
        }}
      >
        {props.children}
        <div class="field">
          <label for={id}>
            Type <code>{props.word}</code> to confirm
          </label>
          <input
            id={id}
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
        <div class="buttons end">
          <button type="button" class="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={typed !== props.word}>
            {props.action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function KeyDialog(props: {
  asked: boolean; // the server asked for a key; false: the user opened the dialog
  refused: boolean;
  onAnswer: (key: string | null) => void;
}): JSX.Element {
  const [typed, setKey] = useState('');
  const id = useId();
  const key = typed.trim();
  const wrong = unsendableIn(key);
  return (
    <Dialog title={props.asked ? 'This server asks for a key' : 'Use a key'} onClose={() => props.onAnswer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key !== '' && wrong === null) props.onAnswer(key);
        }}
      >
        {props.refused && (
          <p class="note note-problem" role="alert">
            The server does not know the last key. Is it whole, and still in the keys file?
          </p>
        )}
        <p>
          The person who runs the server makes keys with <code>benzer serve --new-key read</code> (or <code>write</code>
          , <code>admin</code>). This page keeps the key until the tab is closed, and sends it to this server only.
        </p>
        <div class="field">
          <label for={id}>Key</label>
          <input
            id={id}
            type="password"
            autocomplete="off"
            value={typed}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          {wrong !== null && (
            <p class="note note-problem" role="alert">
              This is not a key: it has the character {wrong}. Keys have letters from a to z, digits and _ only. Copy it
              again.
            </p>
          )}
        </div>
        <div class="buttons end">
          <button type="button" class="button" onClick={() => props.onAnswer(null)}>
            Not now
          </button>
          <button type="submit" class="button primary" disabled={key === '' || wrong !== null}>
            Use this key
          </button>
        </div>
      </form>
    </Dialog>
  );
}
