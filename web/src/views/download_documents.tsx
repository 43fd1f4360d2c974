// Downloads the documents of an index as JSON lines.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Index } from '../api/types';
import * as format from '../logic/format';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote } from '../ui/parts';
import { save } from '../ui/save';

const kAtOnce = 1000;

export function DownloadDocuments(props: { index: Index; isSmall?: boolean }): JSX.Element {
  const { index } = props;
  const { announce } = useApp();
  const action = useAction();
  const [read, setRead] = useState(0);
  const download = (): Promise<boolean> =>
    action.run(async () => {
      setRead(0);
      // The browser may write the parts to its disk, so that not all of them are in memory.
      const parts: Blob[] = [];
      let count = 0;
      let after: string | undefined;
      do {
        const { lines, next } = await calls.documentsToSave(index, kAtOnce, after, (more) =>
          setRead((old) => old + more),
        );
        parts.push(new Blob(lines.map((line) => line + '\n')));
        count += lines.length;
        after = next ?? undefined;
      } while (after !== undefined);
      save(new Blob(parts, { type: 'application/x-ndjson' }), `${index.name}.jsonl`);
      announce(`${format.counted(count, 'document')} downloaded.`);
    });
  return (
    <>
      <button
        type="button"
        class={props.isSmall ? 'button small' : 'button'}
        disabled={action.busy}
        onClick={() => void download()}
      >
        {action.busy ? `${format.count(read)} read …` : 'Download the documents'}
      </button>
      <ProblemNote problem={action.problem} />
    </>
  );
}
