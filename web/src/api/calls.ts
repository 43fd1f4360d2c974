// Calls the routes of the REST API that the page uses.
import { documentLines, lineOf, type DocumentLines } from '../logic/document_json';
import { attributesOf } from '../logic/schema';
import type { SearchSettings } from '../logic/search';
import { asProblem, getJson, getText, Problem, request } from './client';
import { documentText, forgetKept } from './kept';
import { patiently } from './patience';
import { eventsOf, linesOf } from './streams';
import type * as Api from './types';

const at = (index: string, rest = ''): string => `/v1/indexes/${encodeURIComponent(index)}${rest}`;

// Values for an index that cannot be opened: only its name and its problem are known.
const kUnknown = {
  documents: 0,
  durability: '',
  schema: { fields: [], measure: 'jaccard', sketch: '', bands: '', min_threshold: 0, recall: 0, text: '' },
};

export const indexes = async (): Promise<Api.Index[]> =>
  (await getJson<{ indexes: Api.Index[] }>('/v1/indexes')).indexes.map((one) => ({
    ...kUnknown,
    ...one,
  }));

export const index = (name: string): Promise<Api.Index> => getJson(at(name));

export interface NewIndex {
  fields: string[];
  measure?: Api.Schema['measure'];
  min_threshold?: number;
  recall?: number;
  sketch?: string;
  bands?: string;
  keep_documents?: boolean;
}

export const createIndex = (name: string, body: NewIndex): Promise<Api.Index> =>
  getJson(at(name), { method: 'PUT', json: body });

export const deleteIndex = (name: string): Promise<Response> =>
  request(at(name, `?confirm=${encodeURIComponent(name)}`), { method: 'DELETE' });

export const stats = (name: string): Promise<Api.Stats> => getJson(at(name, '/stats'));

export const similarities = (name: string, documents = 200): Promise<Api.Similarities> =>
  getJson(at(name, `/similarities?documents=${documents}`));

// Ids are in bodies: an address cannot have all of them, such as `..`.
const listOf = (limit: number, after?: string): { method: string; json: unknown } => ({
  method: 'POST',
  json: after === undefined || after === '' ? { limit } : { limit, after },
});

export const documents = (name: string, limit: number, after?: string): Promise<Api.DocumentPage> =>
  getJson(at(name, '/documents/list'), listOf(limit, after));

const kAskedAtOnce = 4; // of the six connections that a browser opens
const kTries = 20;

// The same documents as lines for a file. The list has documents as they were sent, without what has become of their
// attributes, so those of an index with attributes are asked for one by one.
export async function documentsToSave(
  { name, schema }: Api.Index,
  limit: number,
  after: string | undefined,
  onRead: (documents: number) => void,
): Promise<DocumentLines> {
  const list = (): Promise<string> => getText(at(name, '/documents/list'), listOf(limit, after));
  const listed = documentLines(await patiently(list, kTries));
  const attributes = attributesOf(schema).map((one) => one.name);
  if (attributes.length === 0) {
    onRead(listed.lines.length);
    return listed;
  }
  const ids = listed.lines.map((line) => (JSON.parse(line) as { id: string }).id);
  const lines: (string | null)[] = new Array<null>(ids.length).fill(null);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < ids.length; at = next++) {
      const id = ids[at] ?? '';
      try {
        lines[at] = lineOf(await patiently(() => documentText(name, id), kTries), attributes);
      } catch (error) {
        // It was removed, or has expired, since it was listed.
        if (asProblem(error).code !== 'document_not_found') throw error;
      }
      onRead(1);
    }
  };
  await Promise.all(Array.from({ length: kAskedAtOnce }, work));
  return { lines: lines.filter((line) => line !== null), next: listed.next };
}

export async function putDocument(name: string, id: string, body: Api.Document): Promise<Api.LoadLine> {
  const answer: { results: Api.LoadLine[] } = await getJson(at(name, '/documents'), {
    method: 'POST',
    json: [{ ...body, id }],
  });
  const [row] = answer.results;
  if (row?.problem) throw new Problem(row.problem);
  if (!row) throw new Error('there is no outcome in the answer');
  return row;
}

export const checkAndAdd = (
  name: string,
  document: Api.Document & { id: string },
  threshold: number,
): Promise<{ added: boolean; matches: Api.PlainMatch[] }> =>
  getJson(at(name, '/check-and-add'), { method: 'POST', json: { document, threshold } });

async function withScores<T>(answer: Promise<T>): Promise<T> {
  const scores = await answer;
  forgetKept();
  return scores;
}

export const similar = (
  name: string,
  subject: Api.Subject,
  settings: SearchSettings,
): Promise<Api.SimilarAnswer<Api.ExplainedMatch>> =>
  withScores(getJson(at(name, '/similar'), { method: 'POST', json: { ...subject, ...settings } }));

export const compare = (name: string, a: Api.Subject, b: Api.Subject, threshold?: number): Promise<Api.Comparison> =>
  withScores(
    getJson(at(name, '/compare'), {
      method: 'POST',
      json: threshold === undefined ? { a, b } : { a, b, threshold },
    }),
  );

export interface PlanSettings {
  threshold: number;
  recall: number;
  slots: number;
  features: number; // of a document, for its size
}

export const plan = (settings: PlanSettings, signal?: AbortSignal): Promise<Api.Plan> =>
  getJson('/v1/plan', { method: 'POST', json: settings, ...(signal ? { signal } : {}) });

export interface Clusters {
  clusters: Api.Cluster[];
  summary: Api.ClusterSummary | null;
}

export interface ClusterSettings {
  threshold?: number;
  cluster?: Api.ClusterKind;
  limit?: number;
  sort?: string;
  allow_low_recall?: boolean;
}

export const clusters = (name: string, settings: ClusterSettings): Promise<Clusters> =>
  withScores(clustersIn(name, settings));

async function clustersIn(name: string, settings: ClusterSettings): Promise<Clusters> {
  const response = await request(at(name, '/clusters'), { method: 'POST', json: settings });
  const answer: Clusters = { clusters: [], summary: null };
  for await (const line of linesOf(response)) {
    if (line === '') continue;
    const row = JSON.parse(line) as Api.Cluster | { summary: Api.ClusterSummary };
    if ('summary' in row) answer.summary = row.summary;
    else answer.clusters.push(row);
  }
  return answer;
}

export async function decisions(name: string): Promise<Api.Decision[]> {
  const all: Api.Decision[] = [];
  for (let after: string | null = '0'; after !== null;) {
    const page: { decisions: Api.Decision[]; next: string | null } = await getJson(
      at(name, `/decisions?after=${after}`),
    );
    all.push(...page.decisions);
    after = page.next;
  }
  return all;
}

export const addDecision = (name: string, body: Api.DecisionBody): Promise<Api.Decision> =>
  getJson(at(name, '/decisions'), { method: 'POST', json: body });

export const changeDecision = (
  name: string,
  id: string | number,
  etag: string,
  body: Api.DecisionBody,
): Promise<Api.Decision> =>
  getJson(at(name, `/decisions/${id}`), { method: 'PUT', json: body, headers: { 'If-Match': etag } });

export const undoDecision = (name: string, id: string | number, etag: string): Promise<Response> =>
  request(at(name, `/decisions/${id}`), { method: 'DELETE', headers: { 'If-Match': etag } });

export interface LoadResult {
  summary: Api.LoadSummary | null;
  refused: Api.LoadLine[];
}

// Adds documents from NDJSON.
export async function addDocuments(name: string, body: BodyInit, signal?: AbortSignal): Promise<LoadResult> {
  const response = await request(at(name, '/documents'), {
    method: 'POST',
    body,
    type: 'application/x-ndjson',
    ...(signal ? { signal } : {}),
  });
  const result: LoadResult = { summary: null, refused: [] };
  for await (const line of linesOf(response)) {
    if (line === '') continue;
    const row = JSON.parse(line) as Api.LoadLine | { summary: Api.LoadSummary };
    if ('summary' in row) result.summary = row.summary;
    else if (row.outcome === 'refused') result.refused.push(row);
  }
  return result;
}

export const tasks = async (): Promise<Api.Task[]> => (await getJson<{ tasks: Api.Task[] }>('/v1/tasks')).tasks;

export interface DedupSettings {
  threshold?: number;
  cluster?: Api.ClusterKind;
  remove?: boolean;
  largest_cluster?: number;
  largest_loss?: number;
}

export const task = (id: string | number): Promise<Api.Task> => getJson(`/v1/tasks/${encodeURIComponent(id)}`);

export const startDedup = (name: string, body: DedupSettings): Promise<Api.Task> =>
  getJson(at(name, '/dedup'), { method: 'POST', json: body });

export const startUpkeep = (name: string, kind: 'verify' | 'compact' | 'snapshot'): Promise<Api.Task> =>
  getJson(at(name, `/${kind}`), { method: 'POST' });

export const cancelTask = (id: string | number): Promise<Api.Task> =>
  getJson(`/v1/tasks/${id}/cancel`, { method: 'POST' });

export async function* taskEvents(id: string | number, signal: AbortSignal): AsyncGenerator<Api.Task> {
  const response = await request(`/v1/tasks/${id}/events`, {
    signal,
    headers: { Accept: 'text/event-stream' },
  });
  for await (const event of eventsOf(response)) {
    if (event.event === 'task') yield JSON.parse(event.data) as Api.Task;
  }
}

export const taskReport = async (id: string | number, format: string): Promise<Blob> =>
  (await request(`/v1/tasks/${encodeURIComponent(id)}/report?format=${format}`)).blob();
