// Derives from an index's schema which documents it takes.
import type { Index, Document, FieldKind, FieldValue, Schema, SchemaField, Subject } from '../api/types';

export const kindOf = (field: SchemaField): FieldKind =>
  field.kind ??
  (field.features.startsWith('image:') ? 'image' : field.features.startsWith('values') ? 'values' : 'text');

// Whether documents give a weight with each value of the field.
export const takesWeights = (field: SchemaField): boolean => field.features.startsWith('values+weights');

const weighs = (features: string): boolean =>
  features.split('+').some((part) => part === 'weights' || part.split('@')[0] === 'tf-idf');

// Whether the features of the field have weights, so that sizes of sets are sums of these and not counts. With +tf-idf
// the index weighs what documents give without weights.
export const isWeighted = (field: SchemaField): boolean => weighs(field.features);

// Hashes of images are compared bit by bit, without bands.
export const hasBands = (field: SchemaField): boolean =>
  kindOf(field) !== 'image' || field.features.startsWith('image:grid');

// Containment counts features of sets, all of which weigh the same.
export const hasContainment = (features: string): boolean => !features.startsWith('image:') && !weighs(features);

// Says by what an index finds similar documents.
export const foundBy = (schema: Schema): string =>
  schema.keys === undefined
    ? `${(schema.bands ?? '').replace('x', ' bands of ')} rows`
    : `${Math.round(Number(schema.keys.split('/')[0]) * 100)} % of the features as keys`;

export const kindsOf = (index: Index): FieldKind[] => index.schema.fields.map((field) => kindOf(field));

const isFilled = (document: Document, field: SchemaField): boolean => {
  const value = document[field.name];
  return typeof value === 'string' ? value.trim() !== '' : Object.keys(value ?? {}).length > 0;
};

export const isEmpty = (document: Document, schema: Schema): boolean =>
  !schema.fields.some((field) => isFilled(document, field));

// The subject for the filled-in fields. An index of one text field takes its text as "text".
export function subjectOf(document: Document, schema: Schema): Subject {
  const [only] = schema.fields;
  if (schema.fields.length === 1 && only && kindOf(only) === 'text') {
    return { text: String(document[only.name] ?? '') };
  }
  return { document: filledIn(document, schema) };
}

export function filledIn(document: Document, schema: Schema): Document {
  const out: Document = {};
  for (const field of schema.fields) {
    const value = document[field.name];
    if (value !== undefined && isFilled(document, field)) out[field.name] = value;
  }
  return out;
}

export interface SchemaAttribute {
  name: string;
  kind: string;
}

export const attributesOf = (schema: Schema): SchemaAttribute[] =>
  schema.attributes.map((spelled) => {
    const [name = '', kind = ''] = spelled.split('=');
    return { name, kind: kind.split(';')[0] ?? '' };
  });

// Conditions, or attributes of a schema, are typed one a line.
export const linesFrom = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

// Values are separated by commas or line ends.
export const valuesFrom = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ),
];

// Values with weights, such as "tent: 2.5, rope". A value without a number weighs 1, and the weights of a value that is
// given more than once are added up.
export function weightsFrom(text: string): Record<string, number> {
  const out = new Map<string, number>();
  for (const part of text.split(/[\n,]/)) {
    const [, named, number] = /^(.*):\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*$/i.exec(part) ?? [];
    const weight = number === undefined ? 1 : Number(number);
    const value = (Number.isNaN(weight) ? part : (named ?? part)).trim();
    if (value !== '') out.set(value, (out.get(value) ?? 0) + (Number.isNaN(weight) ? 1 : weight));
  }
  return Object.fromEntries(out);
}

// The same text for a value of a document.
export const weightsText = (value: FieldValue | undefined): string =>
  Array.isArray(value)
    ? value.join(', ')
    : Object.entries(typeof value === 'object' ? value : {})
        .map(([name, weight]) => `${name}: ${weight}`)
        .join(', ');

// A document in one line.
export function summaryOf(document: Document | null | undefined, schema: Schema): string {
  if (!document) return '';
  return schema.fields
    .map((field) => {
      const value = document[field.name];
      if (value === undefined || kindOf(field) === 'image') return '';
      return typeof value === 'string' ? value : weightsText(value);
    })
    .filter((part) => part !== '')
    .join(' · ');
}

export function imageOf(document: Document | null | undefined, schema: Schema): string | null {
  for (const field of schema.fields) {
    const value = document?.[field.name];
    if (kindOf(field) === 'image' && typeof value === 'string' && value.startsWith('data:image/')) return value;
  }
  return null;
}
