// Learns what the key of the page may do, so that the page offers nothing that the server would refuse.
import { asProblem, hasKey, kScopeName, request } from './client';

export type Scope = 'read' | 'write' | 'admin';

const kOrder: Scope[] = ['read', 'write', 'admin'];

export const allows = (has: Scope, needed: Scope): boolean => kOrder.indexOf(has) >= kOrder.indexOf(needed);

// Requests that change nothing, whatever the key may do: there is no such task, and no index is removed without
// `confirm`. The server looks at the scope first.
const kHarmless: readonly { needs: Scope; method: string; path: string }[] = [
  { needs: 'write', method: 'POST', path: '/v1/tasks/none/cancel' },
  { needs: 'admin', method: 'DELETE', path: '/v1/indexes/none' },
];

async function isRefused(method: string, path: string): Promise<boolean> {
  try {
    await request(path, { method });
    return false;
  } catch (error) {
    return asProblem(error).code === 'scope_too_small';
  }
}

// Without a key everything is allowed that the server allows to anybody. Asks once for each key.
export async function scopeOfKey(): Promise<Scope> {
  if (!hasKey()) return 'admin';
  const stored = kOrder.find((scope) => scope === sessionStorage.getItem(kScopeName));
  if (stored) return stored;
  let scope: Scope = 'read';
  for (const { needs, method, path } of kHarmless) {
    if (await isRefused(method, path)) break;
    scope = needs;
  }
  sessionStorage.setItem(kScopeName, scope);
  return scope;
}
