// Spells the same search for three other clients.
import type { Index, Document, FieldValue, Subject } from '../api/types';
import { kindOf } from './schema';
import { settingsFor, type SearchSettings } from './search';

export interface Search {
  index: Index;
  subject: Subject;
  threshold: number;
  limit: number;
  where: string[];
  origin: string; // of the server
  withKey: boolean;
}

// Documents are kept by the server alone, so that only curl asks for them.
const settingsOf = ({ index, threshold, limit, where }: Search): SearchSettings =>
  settingsFor(index, threshold, limit, where);

export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function cppQuoted(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r');
  return `"${escaped}"`;
}

// Stands for the bytes of an image, which are too long for a line.
const kPicture = 'data:image/jpeg;base64,...';
const shortened = (document: Document): Document =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('data:image/') ? kPicture : value,
    ]),
  );

const shown = (subject: Subject): Subject =>
  'document' in subject ? { document: shortened(subject.document) } : subject;

export function curlOf(search: Search): string {
  const body = JSON.stringify({
    ...shown(search.subject),
    ...settingsOf(search),
  });
  return [
    `curl ${search.origin}/v1/indexes/${encodeURIComponent(search.index.name)}/similar`,
    ...(search.withKey ? [`-H "Authorization: Bearer $BENZER_KEY"`] : []),
    `-H 'Content-Type: application/json'`,
    `-d ${shellQuoted(body)}`,
  ].join(' \\\n  ');
}

export function commandOf(search: Search): string {
  const { index, subject } = search;
  const what =
    'id' in subject
      ? `--id ${shellQuoted(subject.id)}`
      : `--document ${shellQuoted(JSON.stringify('text' in subject ? { [textField(index)]: subject.text } : shortened(subject.document)))}`;
  return [
    `benzer similar ROOT/${index.name}`,
    what,
    `--threshold ${search.threshold}`,
    `--limit ${search.limit}`,
    ...search.where.map((condition) => `--where ${shellQuoted(condition)}`),
    ...(settingsOf(search).allow_low_recall ? ['--allow-low-recall'] : []),
    '--explain',
  ].join(' \\\n  ');
}

const textField = (index: Index): string =>
  index.schema.fields.find((field) => kindOf(field) === 'text')?.name ?? 'text';

function cppField(name: string, value: FieldValue, isImage: boolean): string {
  const listed = (values: string[]): string => `{${values.map(cppQuoted).join(', ')}}`;
  if (Array.isArray(value)) return `benzer::Field::of_values("${name}", ${listed(value)})`;
  if (typeof value === 'object') {
    const weights = Object.values(value).join(', ');
    return `benzer::Field::of_weighted_values("${name}", ${listed(Object.keys(value))}, {${weights}})`;
  }
  if (isImage) return `benzer::Field::of_image_file("${name}", "picture.jpg")`;
  return `benzer::Field::of_text("${name}", ${cppQuoted(value)})`;
}

export function cppOf(search: Search): string {
  const { index, subject } = search;
  const conditions = search.where.map((condition) => `benzer::Condition::parse(${cppQuoted(condition)})`);
  const where = conditions.length > 0 ? `.where = {${conditions.join(', ')}}, ` : '';
  const low = settingsOf(search).allow_low_recall ? '.allow_low_recall = true, ' : '';
  const options = `{.threshold = ${search.threshold}, .limit = ${search.limit}, ${where}${low}.explain = true}`;
  const loop = (call: string): string[] => [
    `for (const benzer::Match& match :`,
    `     ${call})`,
    `  std::cout << match.id << ' ' << match.score << '\\n';`,
  ];
  const open = [
    '#include <iostream>',
    '',
    '#include <benzer/index.h>',
    '',
    `benzer::Index index = benzer::Index::open("ROOT/${index.name}");`,
  ];
  if ('id' in subject) {
    return [...open, ...loop(`index.find_similar_to(${cppQuoted(subject.id)}, ${options})`)].join('\n');
  }
  const document = 'text' in subject ? { [textField(index)]: subject.text } : subject.document;
  const fields = index.schema.fields
    .filter((field) => document[field.name] !== undefined)
    .map((field) => cppField(field.name, document[field.name] ?? '', kindOf(field) === 'image'));
  return [
    ...open,
    `const benzer::Document query{"query", {${fields.join(',\n                                       ')}}};`,
    ...loop(`index.find_similar_documents(query, ${options})`),
  ].join('\n');
}
