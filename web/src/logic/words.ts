// Splits texts into words, or into sentences and lines, and numbers them: equal ones have the same number.

// Places of the units in the text. What is between two units, such as blanks, belongs to the first one.
export interface Units {
  keys: Int32Array;
  starts: Int32Array;
}

export type Numbers = Map<string, number>;

// Scripts without blanks between words are compared sign by sign. Everything else is a word, with the apostrophes,
// hyphens, dots and commas inside it, or a single other sign.
const kWord =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}\p{M}_]+(?:['’.,-][\p{L}\p{N}\p{M}_]+)*|\S/gu;

export function wordsOf(text: string, from: number, to: number, numbers: Numbers): Units {
  const keys: number[] = [];
  const starts: number[] = [];
  const part = text.slice(from, to);
  for (const found of part.matchAll(kWord)) {
    keys.push(numberOf(found[0], numbers));
    starts.push(from + found.index);
  }
  return { keys: Int32Array.from(keys), starts: Int32Array.from(starts) };
}

// A unit ends with a line, or with a sentence.
const kSentence = /[^\n.!?。！？]*(?:[.!?](?!\s)[^\n.!?。！？]*)*(?:[.!?]+\s+|[。！？]+\s*|\n\s*|$)/gy;

export function sentencesOf(text: string, numbers: Numbers): Units {
  const keys: number[] = [];
  const starts: number[] = [];
  kSentence.lastIndex = 0;
  for (let at = 0; at < text.length;) {
    kSentence.lastIndex = at;
    const found = kSentence.exec(text)?.[0] || text.charAt(at);
    const sentence = found.trim();
    if (sentence !== '') {
      keys.push(numberOf(sentence, numbers));
      starts.push(at);
    }
    at += found.length;
  }
  return { keys: Int32Array.from(keys), starts: Int32Array.from(starts) };
}

function numberOf(unit: string, numbers: Numbers): number {
  const known = numbers.get(unit);
  if (known !== undefined) return known;
  numbers.set(unit, numbers.size);
  return numbers.size - 1;
}

const isBlank = (code: number): boolean => code <= 32 || code === 0xa0 || code === 0x3000;

export interface Length {
  count: number;
  unit: 'word' | 'character';
}

// The length of a text in words; in characters, if it has hardly any blanks.
export function lengthOf(text: string): Length {
  let words = 0;
  let signs = 0;
  let wasBlank = true;
  for (let at = 0; at < text.length; at++) {
    const blank = isBlank(text.charCodeAt(at));
    if (!blank) signs++;
    if (!blank && wasBlank) words++;
    wasBlank = blank;
  }
  return signs > 25 * Math.max(1, words) ? { count: signs, unit: 'character' } : { count: words, unit: 'word' };
}

const kLongestContext = 90; // characters, for texts without blanks

// The end of the first words of a text.
export function afterWords(text: string, words: number): number {
  let left = words;
  const most = Math.min(text.length, kLongestContext);
  for (let at = 1; at < most; at++) {
    if (isBlank(text.charCodeAt(at)) && !isBlank(text.charCodeAt(at - 1)) && --left === 0) return at;
  }
  return wholeSign(text, most);
}

// The beginning of the last words of a text.
export function beforeWords(text: string, words: number): number {
  let left = words;
  const least = Math.max(0, text.length - kLongestContext);
  for (let at = text.length - 1; at > least; at--) {
    if (isBlank(text.charCodeAt(at - 1)) && !isBlank(text.charCodeAt(at)) && --left === 0) return at;
  }
  return wholeSign(text, least);
}

// Signs outside the basic plane are two units of a string, which are not split.
const wholeSign = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
};
