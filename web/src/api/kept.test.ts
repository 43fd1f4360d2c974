import { beforeEach, expect, it, vi } from 'vitest';

// The modules of the API expect a browser.
vi.stubGlobal('sessionStorage', { getItem: () => null });
vi.stubGlobal('location', { href: 'http://127.0.0.1:6363/ui/' });
const calls = await import('./calls');
const { keptDocument, keptTurn } = await import('./kept');

let stored = '';
let asked: string[] = [];
beforeEach(() => {
  stored = 'old';
  asked = [];
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    const path = new URL(address).pathname;
    asked.push(`${path} ${init.body as string}`);
    const answer = path.endsWith('/documents/get') ? { id: 'a', document: { text: stored } } : { matches: [] };
    return Promise.resolve(new Response(path.endsWith('/clusters') ? '{"summary":{}}\n' : JSON.stringify(answer)));
  });
});

const textOf = async (): Promise<unknown> => (await keptDocument('news', 'a'))?.values['text'];

it.each([
  ['clusters', () => calls.clusters('news', {})],
  ['matches', () => calls.similar('news', { id: 'a' }, { threshold: 0.8, limit: 10 })],
  ['a comparison', () => calls.compare('news', { id: 'a' }, { id: 'b' })],
])('documents next to %s are not older than the scores', async (_, ask) => {
  await ask();
  expect([await textOf(), await textOf()]).toEqual(['old', 'old']);
  expect(asked.filter((one) => one === '/v1/indexes/news/documents/get {"id":"a"}')).toHaveLength(1);
  stored = 'new'; // by another program
  const turn = keptTurn();
  await ask();
  expect(keptTurn()).not.toBe(turn);
  expect(await textOf()).toBe('new');
});
