import { describe, expect, it } from 'vitest';
import { isPartial, markPassages } from './passages';

const passage = (text: string) => ({ text, features: 1, cut: false });
const shared = (text: string, features: string, ...passages: string[]): string[] =>
  markPassages(text, passages.map(passage), features)
    .filter((piece) => piece.mark === 'shared')
    .map((piece) => piece.text);

describe('passages', () => {
  it('are marked where they stand', () => {
    expect(markPassages('a b c d e', [passage('b c')], 'text:word2')).toEqual([
      { text: 'a ', mark: 'none' },
      { text: 'b c', mark: 'shared' },
      { text: ' d e', mark: 'none' },
    ]);
  });
  it('that overlap become one', () => {
    expect(markPassages('abcdef', [passage('cde'), passage('bcd')], 'text:char3')).toEqual([
      { text: 'a', mark: 'none' },
      { text: 'bcde', mark: 'shared' },
      { text: 'f', mark: 'none' },
    ]);
  });
  it('that are not there mark nothing', () => {
    const passages = [passage('x'), passage('')];
    expect(markPassages('abc', passages, 'text:word2')).toEqual([{ text: 'abc', mark: 'none' }]);
  });
  it('of words are not marked inside of other words', () => {
    const text = 'an old dog; than oldest plan older; saw us.';
    expect(shared(text, 'text:word2', 'an old', 'saw us')).toEqual(['an old', 'saw us']);
    expect(shared('than old, \u{1d400}an old \u{1d400}', 'text:word2', 'an old')).toEqual([]);
    expect(shared(text, 'text:char5', 'an old')).toEqual(['an old', 'an old', 'an old']);
  });
  it('that are cut inside of a word are marked as far as they are known', () => {
    const text = 'the old harbour';
    expect(markPassages(text, [{ ...passage('the old har'), cut: true }], 'text:word2')).toEqual([
      { text: 'the old har', mark: 'shared' },
      { text: 'bour', mark: 'none' },
    ]);
  });
  it('of scripts without blanks may stand between other signs', () => {
    expect(shared('我们去图书馆', 'text:word2', '图书')).toEqual(['图书']);
  });
  it('are partial if the server has left out some', () => {
    expect([isPartial([passage('a b')], 0), isPartial([passage('a b')], null)]).toEqual([false, false]);
    expect([isPartial([passage('a b')], 2), isPartial([{ ...passage('a b'), cut: true }], 0)]).toEqual([true, true]);
  });
});
