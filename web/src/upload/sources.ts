// Finds out what files to upload, and what each of them is.

export interface Source {
  file: File;
  path: string; // relative to the folder that was chosen; the id of a text or a picture
}

export type SourceKind = 'lines' | 'json' | 'csv' | 'picture' | 'text';

const kPictures: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
};

const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

export const pictureType = (path: string): string | undefined => kPictures[extensionOf(path)];

export function kindOfSource(path: string): SourceKind {
  const extension = extensionOf(path);
  if (extension === 'jsonl' || extension === 'ndjson') return 'lines';
  if (extension === 'json') return 'json';
  if (extension === 'csv' || extension === 'tsv') return 'csv';
  return extension in kPictures ? 'picture' : 'text';
}

// Files whose path has a part that begins with a dot are for programs (.git, .DS_Store).
const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));

const ordered = (sources: Source[]): Source[] =>
  sources.filter((source) => !isHidden(source.path)).sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

// Of a folder that was chosen, its own name is not part of the paths.
export const chosenSources = (files: Iterable<File>): Source[] =>
  ordered(
    [...files].map((file) => ({ file, path: file.webkitRelativePath.split('/').slice(1).join('/') || file.name })),
  );

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // A reader gives some entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function collect(entry: FileSystemEntry, path: string, into: Source[]): Promise<void> {
  if (entry.isFile) {
    into.push({ file: await fileOf(entry as FileSystemFileEntry), path });
  } else if (entry.isDirectory) {
    for (const one of await entriesOf(entry as FileSystemDirectoryEntry)) {
      await collect(one, path === '' ? one.name : `${path}/${one.name}`, into);
    }
  }
}

// The entries must be asked for before the first wait, since the browser then forgets what was dropped.
export async function droppedSources(data: DataTransfer): Promise<Source[]> {
  const files = [...data.files];
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return chosenSources(files);
  const out: Source[] = [];
  const isOneFolder = entries.length === 1 && entries[0]?.isDirectory;
  for (const entry of entries) await collect(entry, isOneFolder ? '' : entry.name, out);
  return ordered(out);
}

const kNames: Record<SourceKind, [one: string, many: string]> = {
  lines: ['file of JSON lines', 'files of JSON lines'],
  json: ['JSON file', 'JSON files'],
  csv: ['table', 'tables'],
  picture: ['picture', 'pictures'],
  text: ['text', 'texts'],
};

// "60 texts, 2 pictures and 1 table"
export function inWords(sources: readonly Source[]): string {
  const counts = new Map<SourceKind, number>();
  for (const { path } of sources) counts.set(kindOfSource(path), (counts.get(kindOfSource(path)) ?? 0) + 1);
  const parts = [...counts].map(([kind, count]) => `${count} ${kNames[kind][count === 1 ? 0 : 1]}`);
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ');
}
