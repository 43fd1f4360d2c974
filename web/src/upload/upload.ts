// Sends the documents of files to an index, a few MiB in each request, and counts those that were added, replaced and
// refused.
import * as calls from '../api/calls';
import { patiently } from '../api/patience';
import type { Index } from '../api/types';
import { entriesOf } from './entries';
import type { Source } from './sources';

// A step of the server, which stores each as a whole.
const kLinesAtOnce = 2000;
const kCharactersAtOnce = 3_000_000;
const kPlaces = 3; // that are named for each reason
const kReasons = 100; // that are told apart
const kTries = 6;

export interface Reason {
  reason: string;
  count: number;
  places: string[];
}

export interface Progress {
  bytes: number;
  allBytes: number;
  inserted: number;
  replaced: number;
  refused: number;
  reasons: Reason[];
}

export interface Upload {
  index: Index;
  sources: readonly Source[];
  columns: Record<string, string>;
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

export async function upload({ index, sources, columns, signal, onProgress }: Upload): Promise<void> {
  const counts = new Counts(sources.reduce((sum, source) => sum + source.file.size, 0));
  let lines: string[] = [];
  let places: string[] = [];
  let size = 0;
  const send = async (): Promise<void> => {
    if (lines.length > 0) {
      // The same lines may be sent again, since their ids make the same state.
      const body = lines.join('\n') + '\n';
      const { summary, refused } = await patiently(() => calls.addDocuments(index.name, body, signal), kTries, signal);
      counts.inserted += summary?.inserted ?? 0;
      counts.replaced += summary?.replaced ?? 0;
      for (const row of refused) counts.refuse(places[row.line - 1] ?? row.id ?? '', row.problem?.detail ?? 'refused');
    }
    lines = [];
    places = [];
    size = 0;
    onProgress(counts.now());
  };
  for (const source of sources) {
    const settings = { schema: index.schema, columns, onRead: (bytes: number) => void (counts.bytes += bytes) };
    for await (const entry of entriesOf(source, settings)) {
      signal.throwIfAborted();
      if ('reason' in entry) {
        counts.refuse(entry.place, entry.reason);
        continue;
      }
      // A line that would make a request too large begins the next one.
      if (size + entry.line.length > kCharactersAtOnce) await send();
      lines.push(entry.line);
      places.push(entry.place);
      size += entry.line.length;
      if (lines.length >= kLinesAtOnce) await send();
    }
  }
  await send();
}

class Counts {
  bytes = 0;
  inserted = 0;
  replaced = 0;
  private refused = 0;
  private readonly reasons = new Map<string, Reason>();

  constructor(private readonly allBytes: number) {}

  refuse(place: string, reason: string): void {
    this.refused++;
    const named = this.reasons.size < kReasons || this.reasons.has(reason) ? reason : 'other reasons';
    const known = this.reasons.get(named);
    if (!known) this.reasons.set(named, { reason: named, count: 1, places: [place] });
    else {
      known.count++;
      if (known.places.length < kPlaces) known.places.push(place);
    }
  }

  now(): Progress {
    const { bytes, allBytes, inserted, replaced, refused } = this;
    const reasons = [...this.reasons.values()].sort((a, b) => b.count - a.count);
    return { bytes, allBytes, inserted, replaced, refused, reasons };
  }
}
