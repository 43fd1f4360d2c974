import { expect, it } from 'vitest';
import { unsendableIn } from './key_text';

it.each([
  ['bz_0123abc', null],
  ['not the key!~', null],
  ['bz_0123\u2019', '\u2019 (U+2019)'],
  ['bz_0123\u200b', 'U+200B'],
  ['bz_\n0123', 'U+000A'],
  ['bz_\u{1f511}', '\u{1f511} (U+1F511)'],
])('of the key %j the first character that cannot be sent is %j', (key, found) => {
  expect(unsendableIn(key)).toBe(found);
});
