// Sends requests to the server: adds the key, throws problems, and asks the user for a key, once at a time.
import type { ProblemBody } from './types';

export class Problem extends Error {
  readonly body: ProblemBody;
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly hint: string | undefined;
  readonly where: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(body: ProblemBody) {
    super(body.detail);
    this.body = body;
    this.status = body.status;
    this.code = body.code;
    this.title = body.title;
    this.hint = body.hint;
    this.where = body.where;
    this.retryAfterSeconds = body.retry_after_s;
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem({
    status: 0,
    code: 'no_answer',
    title: 'No answer',
    detail: `The server did not answer (${message}).`,
    hint: 'Is the program still running, and reachable from here? Then try again.',
  });
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

const kKeyName = 'benzer-key';
export const kScopeName = 'benzer-scope'; // what the key may do, as scope.ts has learned
let key: string | null = sessionStorage.getItem(kKeyName);

export const hasKey = (): boolean => key !== null;

export function setKey(value: string | null): void {
  key = value;
  sessionStorage.removeItem(kScopeName);
  if (value === null) sessionStorage.removeItem(kKeyName);
  else sessionStorage.setItem(kKeyName, value);
}

// Asks the user for a key, in a dialog of the page. Returns null if the user gives none.
type KeyQuestion = (refused: boolean) => Promise<string | null>;
let askForKey: KeyQuestion = () => Promise.resolve(null);
let asking: Promise<string | null> | null = null;

export function onKeyNeeded(question: KeyQuestion): void {
  askForKey = question;
}

// If many requests are refused at once, the first one asks and the others wait for the same answer.
function keyFromUser(refused: boolean): Promise<string | null> {
  asking ??= askForKey(refused).finally(() => {
    asking = null;
  });
  return asking;
}

export interface Call {
  method?: string;
  json?: unknown;
  body?: BodyInit;
  type?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

// The page is at /ui/ and the API next to it. Addresses are relative, so that both may be below a prefix.
export const addressOf = (path: string): string => new URL('..' + path, new URL('.', location.href)).toString();

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    return new Problem(JSON.parse(text) as ProblemBody);
  } catch {
    return new Problem({
      status: response.status,
      code: 'not_benzer',
      title: response.statusText || 'Error',
      detail: `The answer has status ${response.status} and is not from Benzer.`,
      hint: 'Something between this page and the program may have answered in its place.',
    });
  }
}

export async function request(path: string, call: Call = {}): Promise<Response> {
  for (;;) {
    const used = key;
    const headers: Record<string, string> = { ...call.headers };
    if (used !== null) headers['Authorization'] = `Bearer ${used}`;
    let body = call.body;
    if (call.json !== undefined) {
      body = JSON.stringify(call.json);
      headers['Content-Type'] = 'application/json';
    } else if (call.type) {
      headers['Content-Type'] = call.type;
    }
    const init: RequestInit = { method: call.method ?? 'GET', headers, cache: 'no-store' };
    if (body !== undefined) init.body = body;
    if (call.signal) init.signal = call.signal;
    const response = await fetch(addressOf(path), init);
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (response.status !== 401) throw problem;
    // Another request may have got a key from the user meanwhile.
    if (used === key && (await keyFromUser(used !== null)) === null) throw problem;
  }
}

export const getText = async (path: string, call: Call = {}): Promise<string> => (await request(path, call)).text();

export async function getJson<T>(path: string, call: Call = {}): Promise<T> {
  return (await (await request(path, call)).json()) as T;
}
