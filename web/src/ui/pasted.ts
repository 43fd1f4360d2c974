// Stores pasted documents that are too large for an address, long texts and images, in the tab's session. The address
// has a name that follows from the content, so that each address of the history keeps its own document, and an address
// that is opened in another tab never shows another document.
import type { Document, Subject } from '../api/types';

export type SideName = 'a' | 'b';

// Longer texts make addresses that some programs cut.
export const kAddressLength = 1500;

const kPrefix = 'benzer-pasted-';
const kOrder = 'benzer-pasted'; // the names, the last used one last

// 64 bits, so that two documents practically never have one name (the two rounds of cyrb53, both in full).
function nameFor(json: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a, b].map((half) => (half >>> 0).toString(36)).join('-');
}

// One side of a comparison: its values in the address, and the document to store under the name that they have.
export interface SideAddress {
  values: Record<string, string>;
  stored?: { name: string; json: string };
}

export function addressOfSide(side: SideName, subject: Subject, textField: string | undefined): SideAddress {
  if ('id' in subject) return { values: { [side]: subject.id } };
  if ('text' in subject && subject.text.length <= kAddressLength) return { values: { [`${side}t`]: subject.text } };
  const json = JSON.stringify('text' in subject ? { [textField ?? 'text']: subject.text } : subject.document);
  const name = nameFor(json);
  return { values: { [`${side}p`]: name }, stored: { name, json } };
}

const storedNames = (): string[] => (sessionStorage.getItem(kOrder) ?? '').split(' ').filter((name) => name !== '');

// Stores the document of an address. If the storage is full, those that were used longest ago are dropped: at their
// addresses the user has to paste again.
export function store({ stored }: SideAddress): void {
  if (!stored) return;
  const others = storedNames().filter((name) => name !== stored.name);
  for (;;) {
    try {
      sessionStorage.setItem(kOrder, [...others, stored.name].join(' '));
      sessionStorage.setItem(kPrefix + stored.name, stored.json);
      return;
    } catch {
      sessionStorage.removeItem(kPrefix + stored.name);
      const oldest = others.shift();
      sessionStorage.setItem(kOrder, others.join(' '));
      if (oldest === undefined) return;
      sessionStorage.removeItem(kPrefix + oldest);
    }
  }
}

// Null if this tab does not have it, or if what it has cannot be read.
export function pasted(name: string): Document | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(kPrefix + name) ?? 'null');
    return typeof value === 'object' && !Array.isArray(value) ? (value as Document | null) : null;
  } catch {
    return null;
  }
}
