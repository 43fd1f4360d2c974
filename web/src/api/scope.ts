// Learns what the key of the page may do, so that the page offers nothing that the server would refuse.
import { getJson, hasKey, kScopeName } from './client';

export type Scope = 'read' | 'write' | 'admin';

const kOrder: Scope[] = ['read', 'write', 'admin'];

export const allows = (has: Scope, needed: Scope): boolean => kOrder.indexOf(has) >= kOrder.indexOf(needed);

// Without a key everything is allowed that the server allows to anybody. Asks once for each key.
export async function scopeOfKey(): Promise<Scope> {
  if (!hasKey()) return 'admin';
  const stored = kOrder.find((scope) => scope === sessionStorage.getItem(kScopeName));
  if (stored) return stored;
  const { scope } = await getJson<{ scope: Scope }>('/v1/key');
  sessionStorage.setItem(kScopeName, scope);
  return scope;
}
