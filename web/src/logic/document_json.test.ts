import { describe, expect, it } from 'vitest';
import { documentIn, documentLines, lineOf } from './document_json';
import { compacted, membersOf, partsOf } from './json_text';

describe('JSON as text', () => {
  it('has parts and members', () => {
    expect(partsOf(' [1, "a,]\\"\\\\", [2, 3], {"b": [4, 5]} ] ')).toEqual([
      '1',
      '"a,]\\"\\\\"',
      '[2, 3]',
      '{"b": [4, 5]}',
    ]);
    expect([partsOf('[]'), partsOf('{ }'), partsOf('null')]).toEqual([[], [], []]);
    expect([...membersOf('{"a" : {"b":1} , "\\u0063:" :2,"a":1.0}')]).toEqual([
      ['a', '1.0'],
      ['c:', '2'],
    ]);
  });
  it('is compacted without a change of its numbers', () => {
    expect(compacted('{ "a b" : [1.0, 12345678901234567890 ],\n "\\u0063" : null }')).toBe(
      '{"a b":[1.0,12345678901234567890],"c":null}',
    );
  });
});

describe('documents in answers', () => {
  it('have all their digits', () => {
    const document = documentIn('{"id":"a","document":{"text":"x","account":12345678901234567890},"fields":{}}');
    expect(document?.values['text']).toBe('x');
    expect(document?.json.get('account')).toBe('12345678901234567890');
    expect(documentIn('{"id":"a","document":null,"fields":{}}')).toBeNull();
  });
  const linesOf = (...documents: [id: string, document: string][]): string[] =>
    documentLines(
      `{"documents":[${documents.map(([id, document]) => `{"id":${id},"document":${document}}`).join(',')}],"next":null}\n`,
    ).lines;
  it('are saved as they were sent, with the id of the server', () => {
    expect(
      linesOf(
        ['"9007199254740993"', '{"id":9007199254740993,"text":"x","account":12345678901234567890}'],
        ['"1e3"', '{"n":1.0, "n" : 1e5, "\\u0069d": 7, "id" : 1e3}'],
        ['"by \\"path\\""', '{"text":"a \\\\","more":{"id":5}}'],
        ['"gone"', 'null'],
        ['"only"', '{"id":"only"}'],
      ),
    ).toEqual([
      '{"id":"9007199254740993","text":"x","account":12345678901234567890}',
      '{"id":"1e3","n":1.0,"n" : 1e5}',
      '{"id":"by \\"path\\"","text":"a \\\\","more":{"id":5}}',
      '{"id":"gone"}',
      '{"id":"only"}',
    ]);
  });
  it('take one line each, also if they were sent in several', () => {
    expect(linesOf(['"p"', '{"text":"x",\r\n  "list": [1,\n\n    2]\n}\n'])).toEqual([
      '{"id":"p","text":"x","list": [1,2]}',
    ]);
  });
  it('are saved with the attributes of now', () => {
    const names = ['lang', 'price', 'on', 'seen', 'expires_at'];
    const saved = (document: string, attributes: string): string =>
      lineOf(`{"id":"m","document":${document},"fields":{},"attributes":${attributes}}`, names);
    // Changed, removed, and set by the index.
    expect(
      saved('{"text":"x","price":12,"lang":"en","account":12345678901234567890}', '{"price":9.5,"expires_at":"2026Z"}'),
    ).toBe('{"id":"m","text":"x","account":12345678901234567890,"price":9.5,"expires_at":"2026Z"}');
    // The same, in the spelling of the document.
    const same = '{"price":"12.50","on":"true","seen":"2026-11-22","lang":null,"text":"x"}';
    expect(saved(same, '{"price":12.5,"on":true,"seen":"2026-11-22T00:00:00Z"}')).toBe(`{"id":"m",${same.slice(1)}`);
    // A document that is not kept has its attributes all the same.
    expect(saved('null', '{"lang":"en"}')).toBe('{"id":"m","lang":"en"}');
    expect(saved('{"lang":null,"on":false,"price":""}', '{"lang":"en","on":true,"price":0}')).toBe(
      '{"id":"m","lang":"en","on":true,"price":0}',
    );
  });
  it('come page by page', () => {
    expect(documentLines('{"documents":[],"next":"a \\u00e9"}')).toEqual({ lines: [], next: 'a é' });
    expect(documentLines('{"documents":[],"next":null}').next).toBeNull();
  });
});
