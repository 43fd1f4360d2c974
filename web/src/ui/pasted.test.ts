import { beforeEach, expect, it, vi } from 'vitest';
import { addressOfSide, pasted, store, type SideAddress } from './pasted';

// The storage of a tab, with room for a few characters.
const kRoom = 12_000;
let items: Map<string, string>;
beforeEach(() => {
  items = new Map();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    removeItem: (name: string) => items.delete(name),
    setItem: (name: string, value: string) => {
      const others = [...items].filter(([other]) => other !== name);
      const size = others.reduce((sum, [other, text]) => sum + other.length + text.length, name.length + value.length);
      if (size > kRoom) throw new Error('QuotaExceededError');
      items.set(name, value);
    },
  });
});

const long = (letter: string, length = 3000): string => letter.repeat(length);
const stored = (text: string): SideAddress => {
  const address = addressOfSide('a', { text }, 'body');
  store(address);
  return address;
};
const at = (address: SideAddress): unknown => pasted(address.values['ap'] ?? '');

it('gives each long document an address of its own', () => {
  const first = stored(long('x'));
  const second = stored(long('y'));
  expect(first.values['ap']).not.toBe(second.values['ap']);
  expect([at(first), at(second)]).toEqual([{ body: long('x') }, { body: long('y') }]);
  expect(stored(long('x')).values).toEqual(first.values);
  expect(items.size).toBe(3);
});

it('puts ids and short texts into the address', () => {
  expect(addressOfSide('b', { id: 'a-1' }, 'body').values).toEqual({ b: 'a-1' });
  expect(addressOfSide('b', { text: 'short' }, 'body').values).toEqual({ bt: 'short' });
});

it('drops what was used longest ago when the storage is full', () => {
  const addresses = ['u', 'v', 'w'].map((letter) => stored(long(letter)));
  stored(long('u')); // used again
  const last = stored(long('x', 5000));
  expect(addresses.map((address) => at(address) !== null)).toEqual([true, false, true]);
  expect(at(last)).not.toBeNull();
});

it('stores nothing of a document that is larger than the storage', () => {
  const address = stored(long('x', kRoom));
  expect(at(address)).toBeNull();
  expect([...items.values()].join('')).toBe('');
});

it.each(['{"body": "te', '"text"', '[1]', 'null', '7'])('a stored value of %s is as none', (json) => {
  items.set('benzer-pasted-damaged', json);
  expect(pasted('damaged')).toBeNull();
});
