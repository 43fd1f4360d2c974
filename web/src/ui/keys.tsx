// Listens to single keys, which a person may switch off, and lists them.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const kName = 'benzer-keys';
const isOn = (): boolean => localStorage.getItem(kName) !== 'off';

// The names of keys as a browser gives them, with Shift+ in front of those that are no character.
export type KeyActions = Record<string, () => void>;

const kKeyless = new Set(['checkbox', 'button', 'submit', 'file']);
const kArrowsOnly = new Set(['radio', 'range']);

// Keys that a focused part of the page needs itself are left to it.
function isTaken(target: EventTarget | null, key: string): boolean {
  if (document.querySelector('dialog[open]')) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches('textarea, select')) return true;
  if (target instanceof HTMLInputElement && !kKeyless.has(target.type))
    return key.includes('Arrow') || !kArrowsOnly.has(target.type);
  return key.includes('Arrow') && target.matches('.scroll, [role=region]');
}

export function useKeys(actions: KeyActions): { areOn: boolean; setOn: (on: boolean) => void } {
  const [areOn, setAreOn] = useState(isOn);
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!areOn) return;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      const key = event.key.length > 1 && event.shiftKey ? `Shift+${event.key}` : event.key.toLowerCase();
      const name = event.key.length > 1 && !event.shiftKey ? event.key : key;
      const action = latest.current[name];
      if (!action || event.repeat || isTaken(event.target, name)) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [areOn]);
  const setOn = (on: boolean): void => {
    if (on) localStorage.removeItem(kName);
    else localStorage.setItem(kName, 'off');
    setAreOn(on);
  };
  return { areOn, setOn };
}

export function KeyHelp(props: {
  areOn: boolean;
  setOn: (on: boolean) => void;
  keys: readonly { keys: string[]; does: string }[];
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="key-help" role="group" aria-label="Keys">
      <label class="choice">
        <input type="checkbox" checked={props.areOn} onChange={(event) => props.setOn(event.currentTarget.checked)} />
        <span>Use keys</span>
      </label>
      {props.areOn && (
        <ul>
          {props.keys.map((one) => (
            <li key={one.does}>
              {one.keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}{' '}
              {one.does}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
