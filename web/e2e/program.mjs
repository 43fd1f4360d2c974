// Starts the program under test on a free port, with a folder of its own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kProgram = process.env.BENZER;
if (!kProgram) throw new Error('BENZER names the program to test');

export async function startProgram(...more) {
  const root = mkdtempSync(join(tmpdir(), 'benzer-page-'));
  const child = spawn(kProgram, ['serve', root, '--port', '0', ...more], { stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const base = await new Promise((resolve, reject) => {
    let said = '';
    const stop = setTimeout(() => reject(new Error(`the program did not say where it serves: ${said}`)), 20_000);
    child.stderr.on('data', (piece) => {
      said += piece;
      const found = /on (https?:\/\/\S+?)\/?\s/.exec(said);
      if (!found) return;
      clearTimeout(stop);
      resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${said}`)));
  });
  return {
    base,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

// Calls the API without the page, to prepare data or to look something up.
export async function api(base, method, path, body, headers = {}) {
  const isText = typeof body === 'string';
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': isText ? 'application/x-ndjson' : 'application/json' }),
      ...headers,
    },
    body: body === undefined || isText ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text !== '' && response.headers.get('Content-Type')?.includes('json') && !text.includes('}\n{')
    ? JSON.parse(text)
    : text;
}
