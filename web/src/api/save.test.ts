import { expect, it, vi } from 'vitest';
import type { Index } from './types';

// The modules of the API expect a browser.
vi.stubGlobal('sessionStorage', { getItem: () => null });
vi.stubGlobal('location', { href: 'http://127.0.0.1:6363/ui/' });
const calls = await import('./calls');

const listed = '{"documents":[{"id":"..","document":{"lang":"en"}},{"id":"b","document":{}}],"next":"b"}';
const asked: string[] = [];
let loaded = '';
vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
  const { pathname } = new URL(address);
  const body = init.body as string;
  asked.push(`${pathname} ${body}`);
  if (pathname.endsWith('/documents/list')) return Promise.resolve(new Response(listed));
  if (pathname.endsWith('/documents')) return Promise.resolve(new Response(loaded));
  if (body === '{"id":"b"}')
    return Promise.resolve(new Response('{"status":404,"code":"document_not_found"}', { status: 404 }));
  return Promise.resolve(new Response('{"id":"..","document":{"lang":"en"},"attributes":{"lang":"de"}}'));
});

const indexWith = (...attributes: string[]): Index => ({ name: 'news', schema: { attributes } }) as unknown as Index;

it('saves the attributes of now, without documents that were removed meanwhile', async () => {
  let read = 0;
  const saved = await calls.documentsToSave(indexWith('lang=string'), 1000, undefined, (more) => (read += more));
  expect(saved).toEqual({ lines: ['{"id":"..","lang":"de"}'], next: 'b' });
  expect(read).toBe(2);
  expect(asked).toEqual([
    '/v1/indexes/news/documents/list {"limit":1000}',
    '/v1/indexes/news/documents/get {"id":".."}',
    '/v1/indexes/news/documents/get {"id":"b"}',
  ]);
});

it('asks for a list only where there are no attributes', async () => {
  asked.length = 0;
  const saved = await calls.documentsToSave(indexWith(), 1000, 'a', () => undefined);
  expect(saved.lines).toEqual(['{"id":"..","lang":"en"}', '{"id":"b"}']);
  expect(asked).toEqual(['/v1/indexes/news/documents/list {"limit":1000,"after":"a"}']);
});

it('adds a document with any id, and says why one is refused', async () => {
  asked.length = 0;
  loaded = '{"results":[{"line":1,"id":"..","outcome":"inserted"}],"summary":{}}';
  expect((await calls.putDocument('news', '..', { text: 'one two' })).outcome).toBe('inserted');
  expect(asked).toEqual(['/v1/indexes/news/documents [{"text":"one two","id":".."}]']);
  loaded = '{"results":[{"outcome":"refused","problem":{"status":422,"code":"bad_input","detail":"No."}}]}';
  await expect(calls.putDocument('news', '..', {})).rejects.toThrow('No.');
});
