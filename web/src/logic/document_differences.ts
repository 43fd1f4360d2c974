// Compares a document with its keeper, field by field.
import type { FieldValue, Index } from '../api/types';
import type { ParsedDocument } from './document_json';
import { differenceOf, setDifferenceOf, type SetDifference, type TextDifference } from './differences';
import { compacted } from './json_text';
import { attributesOf, kindOf } from './schema';

export type FieldDifference = { name: string; isEqual: boolean } & (
  | { kind: 'text'; text: TextDifference }
  | { kind: 'values'; values: SetDifference }
  | { kind: 'image' }
  // An attribute, or a member of the document that is kept, but that the index does not compare.
  | { kind: 'other'; kept: string; own: string }
);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const setOf = (value: FieldValue | undefined): string[] | Record<string, number> =>
  typeof value === 'object' && value !== null ? value : [];

// Not by the parsed values: two numbers of many digits may be the same there.
function shortOf(json: string | undefined): string {
  if (json === undefined || json === 'null') return '';
  return json.startsWith('"') ? (JSON.parse(json) as string) : compacted(json);
}

export function documentDifferences(index: Index, kept: ParsedDocument, own: ParsedDocument): FieldDifference[] {
  const { fields } = index.schema;
  const out = fields.map(({ name, ...field }): FieldDifference => {
    const a = kept.values[name];
    const b = own.values[name];
    switch (kindOf({ name, ...field })) {
      case 'image':
        return { name, kind: 'image', isEqual: a === b };
      case 'values': {
        const values = setDifferenceOf(setOf(a), setOf(b));
        const isEqual = values.onlyKept.length + values.onlyOwn.length + values.otherWeight.length === 0;
        return { name, kind: 'values', isEqual, values };
      }
      default: {
        const text = differenceOf(textOf(a), textOf(b));
        return { name, kind: 'text', isEqual: text.isEqual, text };
      }
    }
  });
  const compared = new Set(['id', ...fields.map((field) => field.name)]);
  const attributes = new Set(attributesOf(index.schema).map(({ name }) => name));
  // What the document was sent with may be an old value of an attribute.
  const jsonOf = (document: ParsedDocument, name: string): string | undefined =>
    (attributes.has(name) && document.attributes ? document.attributes : document.json).get(name);
  for (const name of new Set([...kept.json.keys(), ...own.json.keys(), ...attributes])) {
    if (compared.has(name)) continue;
    const a = shortOf(jsonOf(kept, name));
    const b = shortOf(jsonOf(own, name));
    if (a !== b) out.push({ name, kind: 'other', isEqual: false, kept: a, own: b });
  }
  return out;
}

// Whether both have the same in all fields that the index compares.
export const isCopy = (differences: readonly FieldDifference[]): boolean =>
  differences.every((one) => one.kind === 'other' || one.isEqual);
