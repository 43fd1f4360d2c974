// Stores pasted documents that are too large for an address, long texts and images, in the tab's session.
import type { Document, Subject } from '../api/types';

export type SideName = 'a' | 'b';

// Longer texts make addresses that some programs cut.
const kAddressLength = 1500;

const nameOf = (side: SideName): string => `benzer-pasted-${side}`;

// Returns the values of one side for the address. A document that is too large is stored in the session.
export function addressOfSide(side: SideName, subject: Subject, textField: string | undefined): Record<string, string> {
  if ('id' in subject) return { [side]: subject.id };
  if ('text' in subject && subject.text.length <= kAddressLength) return { [`${side}t`]: subject.text };
  return {
    [`${side}p`]: JSON.stringify('text' in subject ? { [textField ?? 'text']: subject.text } : subject.document),
  };
}

// Stores values that are too large, and leaves a mark in the address instead.
export function settled(values: Record<string, string>): Record<string, string> {
  const out = { ...values };
  for (const side of ['a', 'b'] as const) {
    const document = out[`${side}p`];
    if (document === undefined || document === '1') continue;
    try {
      sessionStorage.setItem(nameOf(side), document);
      out[`${side}p`] = '1';
    } catch {
      // The storage is full: after a reload the user has to paste it again.
      delete out[`${side}p`];
    }
  }
  return out;
}

export function pasted(side: SideName): Document | null {
  const stored = sessionStorage.getItem(nameOf(side));
  return stored === null ? null : (JSON.parse(stored) as Document);
}
