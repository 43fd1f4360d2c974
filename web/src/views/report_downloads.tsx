// Downloads the report of a deduplication, in each of its formats.
import type { JSX } from 'preact';
import * as calls from '../api/calls';
import type { Task } from '../api/types';
import { useAction } from '../ui/app_state';
import { ProblemNote } from '../ui/parts';
import { save } from '../ui/save';

const kFormats = [
  { value: 'html', name: 'HTML' },
  { value: 'json', name: 'JSON' },
  { value: 'ndjson', name: 'NDJSON' },
] as const;

export function ReportDownloads({ task }: { task: Task }): JSX.Element {
  const action = useAction();
  const download = (format: string): Promise<boolean> =>
    action.run(async () => save(await calls.taskReport(task.id, format), `${task.index}-dedup-${task.id}.${format}`));
  return (
    <>
      <span class="buttons">
        <span class="quiet small">Download it as</span>
        {kFormats.map((one) => (
          <button
            key={one.value}
            type="button"
            class="button small"
            disabled={action.busy}
            onClick={() => void download(one.value)}
          >
            {one.name}
          </button>
        ))}
      </span>
      <ProblemNote problem={action.problem} />
    </>
  );
}
