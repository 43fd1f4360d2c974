import { describe, expect, it } from 'vitest';
import { shownId, shownText } from './hidden';

describe('hidden characters', () => {
  it('are named as in the HTML reports', () => {
    expect(shownText('pay \u202e001 EUR')).toBe('pay <U+202E>001 EUR');
    expect(shownText('a\u200bb\u00adc\ufeffd\u{e0041}')).toBe('a<U+200B>b<U+00AD>c<U+FEFF>d<U+E0041>');
    expect(shownText('\u0085\u2066\u{1fffe}\u{10ffff}')).toBe('<U+0085><U+2066><U+1FFFE><U+10FFFF>');
    expect(shownText('bell\u0007 delete\u007f')).toBe('bell␇ delete␡');
  });
  it('are not those that scripts and emoji need', () => {
    const text = 'می\u200cخواهم 👩\u200d👧 ❤\ufe0f אי é 漢字 \u{1f600}\n\tnext';
    expect(shownText(text)).toBe(text);
  });
  it('end no line twice', () => expect(shownText('one\r\ntwo\rthree')).toBe('one\ntwo␍three'));
  it('make two ids differ', () => {
    expect(shownId('c\u202ed')).toBe('c<U+202E>d');
    expect(shownId('a\nb')).toBe('a␊b');
    expect(shownId('a ')).toBe('"a "');
    expect(shownId('\u00a0')).toBe('"\u00a0"');
    expect(shownId('a b')).toBe('a b');
  });
});
