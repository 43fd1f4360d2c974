// Shows the same search for other clients, to copy.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, hasKey } from '../api/client';
import type { Index, Subject } from '../api/types';
import { commandOf, cppOf, curlOf, type Search } from '../logic/snippets';
import { CopyButton, Segments } from '../ui/parts';

type Spelling = 'curl' | 'command' | 'cpp';

export function SameCall(props: {
  index: Index;
  subject: Subject;
  threshold: number;
  limit: number;
  where: string[];
}): JSX.Element {
  const [spelling, setSpelling] = useState<Spelling>('curl');
  const search: Search = { ...props, origin: addressOf('').replace(/\/$/, ''), withKey: hasKey() };
  const text = spelling === 'curl' ? curlOf(search) : spelling === 'command' ? commandOf(search) : cppOf(search);
  return (
    <details class="same-call">
      <summary>The same search with curl, on the command line, in C++</summary>
      <div class="same-call-head">
        <Segments
          label="Spelling"
          value={spelling}
          options={{ curl: 'curl', command: 'Command line', cpp: 'C++' }}
          onChange={setSpelling}
        />
        <CopyButton text={text} what="this call" />
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      {spelling !== 'curl' && <p class="field-note">ROOT is the folder that the program serves.</p>}
    </details>
  );
}
