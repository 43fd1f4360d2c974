import { describe, expect, it } from 'vitest';
import { matchesOf } from './diff';
import { differenceOf, inContext, setDifferenceOf, type TextDifference } from './differences';
import { afterWords, beforeWords, lengthOf, sentencesOf, wordsOf } from './words';

const numbers = (text: string): Int32Array => Int32Array.from(text, (sign) => sign.codePointAt(0) ?? 0);
const common = (a: string, b: string): string =>
  matchesOf(numbers(a), numbers(b), { left: 1e6 })
    .matches.map((match) => a.slice(match.a, match.a + match.length))
    .join('|');

// A seeded sequence, so that every run tests the same.
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

// Both texts must be found again in the parts.
function checked(kept: string, own: string): TextDifference {
  const difference = differenceOf(kept, own);
  if (difference.isWhole) {
    expect(difference.parts.map((part) => part.kept).join('')).toBe(kept);
    expect(difference.parts.map((part) => part.own).join('')).toBe(own);
  }
  for (const part of difference.parts) {
    if (part.isCommon) expect(part.kept.replace(/\s+/g, '')).toBe(part.own.replace(/\s+/g, ''));
  }
  return difference;
}

const changes = (difference: TextDifference): string[] =>
  difference.parts.filter((part) => !part.isCommon).map((part) => `${part.kept.trim()}>${part.own.trim()}`);

describe('sequences', () => {
  it('finds the longest common subsequence of short ones', () => {
    expect(common('abcabba', 'cbabac')).toHaveLength('c|ab|a'.length);
    expect(common('', 'abc')).toBe('');
    expect(common('abc', 'abc')).toBe('abc');
    expect(common('abcd', 'xbcy')).toBe('bc');
  });
  it('finds only what is equal and in order, in random ones of any length', () => {
    for (let round = 0; round < 60; round++) {
      const next = random(round + 1);
      const draw = (size: number): Int32Array =>
        Int32Array.from({ length: size }, () => Math.floor(next() * (round % 2 ? 5 : 900)));
      const a = draw(round * 20);
      const b = Int32Array.from([...a.slice(0, 200), ...draw(50), ...a.slice(180)]);
      const { matches, aRead, bRead } = matchesOf(a, b, { left: 1e7 });
      expect([aRead, bRead]).toEqual([a.length, b.length]);
      let at = { a: 0, b: 0 };
      for (const match of matches) {
        expect(match.a >= at.a && match.b >= at.b).toBe(true);
        for (let place = 0; place < match.length; place++) expect(a[match.a + place]).toBe(b[match.b + place]);
        at = { a: match.a + match.length, b: match.b + match.length };
      }
    }
  });
  it('stops when the work is used up, and says where', () => {
    const next = random(5);
    const draw = (): Int32Array => Int32Array.from({ length: 5000 }, () => Math.floor(next() * 4));
    const { aRead, bRead } = matchesOf(Int32Array.from([9, 9, 7, ...draw()]), Int32Array.from([9, 9, 8, ...draw()]), {
      left: 500,
    });
    expect([aRead, bRead]).toEqual([2, 2]);
  });
});

describe('words', () => {
  it('splits at blanks and signs, and keeps numbers and contractions whole', () => {
    const text = "It's 1,240.5 words, naïve";
    expect([...wordsOf(text, 0, text.length, new Map()).starts].map((at) => text.slice(at).split(' ')[0])).toEqual([
      "It's",
      '1,240.5',
      'words,',
      ',',
      'naïve',
    ]);
  });
  it('splits Chinese sign by sign', () => expect(wordsOf('你好世界', 0, 4, new Map()).keys).toHaveLength(4));
  it('splits long texts at sentences and lines', () => {
    const text = 'One is 1.5. Two?\n\nThree (e.g. this)\nfour';
    const { starts } = sentencesOf(text, new Map());
    expect([...starts].map((at) => text.slice(at, at + 3))).toEqual(['One', 'Two', 'Thr', 'thi', 'fou']);
    expect(sentencesOf('', new Map()).keys).toHaveLength(0);
    expect(sentencesOf('a.\u2028b 。c。d', new Map()).keys).toHaveLength(4);
  });
  it('counts words, or characters without blanks', () => {
    expect(lengthOf(' two  words ')).toEqual({ count: 2, unit: 'word' });
    expect(lengthOf('字'.repeat(60))).toEqual({ count: 60, unit: 'character' });
  });
  it('cuts context at words', () => {
    expect('one two three'.slice(0, afterWords('one two three', 2))).toBe('one two');
    expect('one two three'.slice(beforeWords('one two three', 2))).toBe('two three');
  });
});

describe('differences of texts', () => {
  it('hardly ever finds words of its own in a quotation from a long text', () => {
    let wrong = 0;
    for (let round = 0; round < 100; round++) {
      const next = random(round + 1);
      const word = (): string => `w${Math.floor(112 * next())}`;
      const text = Array.from({ length: 600 }, word);
      const from = Math.floor(next() * 500);
      const quotation = text.slice(from, from + 80).join(' ');
      if (changes(checked(text.join(' '), quotation)).some((change) => !change.endsWith('>'))) wrong++;
    }
    expect(wrong).toBeLessThan(5);
  });
  it('shows changed, added and removed words', () => {
    expect(changes(checked('the old river bank.', 'the old river bend.'))).toEqual(['bank>bend']);
    expect(changes(checked('a b c d', 'a b x c d'))).toEqual(['>x']);
    expect(changes(checked('a b c d', 'a d'))).toEqual(['b c>']);
    expect(changes(checked('', 'a'))).toEqual(['>a']);
  });
  it('says when texts are equal, and does not mark blanks', () => {
    expect(checked('same', 'same').isEqual).toBe(true);
    const difference = checked('a b\nc', 'a  b c');
    expect([difference.isEqual, difference.changes]).toEqual([false, 0]);
  });
  it('joins changes that only a comma separates', () => {
    expect(
      changes(checked('keep morning light, evening shade keep', 'keep winter storms, summer breeze keep')),
    ).toEqual(['morning light, evening shade>winter storms, summer breeze']);
  });
  it('folds what is in common', () => {
    const filler = 'word '.repeat(40);
    const pieces = inContext(checked(`${filler}old ${filler}`, `${filler}new ${filler}`), 9, 3);
    expect(pieces.map((piece) => piece.kind)).toEqual(['fold', 'text', 'change', 'text', 'fold']);
    expect(pieces[1]).toEqual({ kind: 'text', text: 'word word word ' });
    expect(pieces[0]).toMatchObject({ length: { count: 37, unit: 'word' } });
    expect(pieces[2]).toEqual({ kind: 'change', removed: 'old', added: 'new', after: ' ' });
  });
  it('shows the first changes only', () => {
    const text = (marks: string[]): string => marks.map((mark) => `${mark} ${'word '.repeat(30)}`).join('');
    const difference = checked(text(['a', 'b', 'c', 'd']), text(['A', 'B', 'C', 'D']));
    expect(difference.changes).toBe(4);
    const shown = inContext(difference, 2, 3);
    expect(shown.filter((piece) => piece.kind === 'change')).toHaveLength(2);
    expect(shown.at(-1)?.kind).toBe('fold');
  });
  it('compares megabytes in a moment', () => {
    const next = random(3);
    const vocabulary = Array.from({ length: 4000 }, (_, at) => `word${at.toString(36)}`);
    const sentence = (): string =>
      Array.from({ length: 14 }, () => vocabulary[Math.floor(next() * vocabulary.length)]).join(' ') + '. ';
    const kept = Array.from({ length: 12_000 }, sentence);
    const own = kept.map((one, place) => (place % 500 === 7 ? one.replace(/word/, 'other') : one));
    const began = performance.now();
    const difference = checked(kept.join(''), own.join(''));
    expect(kept.join('').length).toBeGreaterThan(1_000_000);
    expect([difference.changes, difference.isWhole]).toEqual([24, true]);
    // Two texts with nothing in common in order, of the same words: the work ends, whatever it has found.
    checked(Array.from({ length: 12_000 }, sentence).join(''), Array.from({ length: 12_000 }, sentence).join(''));
    checked('a b '.repeat(300_000), 'b a a '.repeat(200_000));
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe('differences of sets', () => {
  it('names the values that only one has', () => {
    expect(setDifferenceOf(['a', 'b'], ['b', 'c'])).toEqual({
      onlyKept: ['a'],
      onlyOwn: ['c'],
      otherWeight: [],
      common: 1,
    });
  });
  it('compares weights', () => {
    expect(setDifferenceOf({ tent: 2, map: 1 }, { tent: 2.5, map: 1 })).toEqual({
      onlyKept: [],
      onlyOwn: [],
      otherWeight: [{ value: 'tent', kept: 2, own: 2.5 }],
      common: 1,
    });
  });
});
