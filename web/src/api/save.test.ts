import { expect, it, vi } from 'vitest';
import type { Index } from './types';

// The modules of the API expect a browser.
vi.stubGlobal('sessionStorage', { getItem: () => null });
vi.stubGlobal('location', { href: 'http://127.0.0.1:6363/ui/' });
const calls = await import('./calls');

const listed = '{"documents":[{"id":"a/1","document":{"lang":"en"}},{"id":"b","document":{}}],"next":"b"}';
const asked: string[] = [];
vi.stubGlobal('fetch', (address: string) => {
  const { pathname } = new URL(address);
  asked.push(pathname);
  if (pathname.endsWith('/documents')) return Promise.resolve(new Response(listed));
  if (pathname.endsWith('/b'))
    return Promise.resolve(new Response('{"status":404,"code":"document_not_found"}', { status: 404 }));
  return Promise.resolve(new Response('{"id":"a/1","document":{"lang":"en"},"attributes":{"lang":"de"}}'));
});

const indexWith = (...attributes: string[]): Index => ({ name: 'news', schema: { attributes } }) as unknown as Index;

it('saves the attributes of now, without documents that were removed meanwhile', async () => {
  let read = 0;
  const saved = await calls.documentsToSave(indexWith('lang=string'), 1000, undefined, (more) => (read += more));
  expect(saved).toEqual({ lines: ['{"id":"a/1","lang":"de"}'], next: 'b' });
  expect(read).toBe(2);
  expect(asked.slice(1).sort()).toEqual(['/v1/indexes/news/documents/a%2F1', '/v1/indexes/news/documents/b']);
});

it('asks for a list only where there are no attributes', async () => {
  asked.length = 0;
  const saved = await calls.documentsToSave(indexWith(), 1000, 'a', () => undefined);
  expect(saved.lines).toEqual(['{"id":"a/1","lang":"en"}', '{"id":"b"}']);
  expect(asked).toEqual(['/v1/indexes/news/documents']);
});
