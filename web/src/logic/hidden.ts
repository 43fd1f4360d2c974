// Shows the characters of foreign texts that people would not see, or that change the order of others.

// The C1 controls, invisible characters, those that set a direction, and noncharacters: the list of the HTML reports
// (kHidden in src/report/html_text.cc). The joiners U+200C and U+200D and the variation selectors are not among them.
const kHidden =
  '\\x80-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\u3164\\ufdd0-\\ufdef\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff\\u{1d173}-\\u{1d17a}' +
  '\\u{1fffe}\\u{1ffff}\\u{2fffe}\\u{2ffff}\\u{3fffe}-\\u{dffff}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{effff}' +
  '\\u{ffffe}\\u{fffff}\\u{10fffe}\\u{10ffff}';
// With the controls of ASCII: in a text but for tabs and line ends, in an id all of them.
const kInText = new RegExp(`[\\0-\\x08\\x0b-\\x1f\\x7f${kHidden}]`, 'gu');
const kInLine = new RegExp(`[\\0-\\x1f\\x7f${kHidden}]`, 'gu');
// Characters that are not drawn, at the ends of an id.
const kOuterBlank = /^[\s\u200c\u200d\u2800]|[\s\u200c\u200d\u2800]$/u;

// "U+202E"
export const codeOf = (sign: string): string =>
  `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

// A control of ASCII becomes its picture (U+2400 and following), any other character its number.
function nameOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<${codeOf(sign)}>`;
}

export const shownText = (text: string): string => text.replace(/\r\n/g, '\n').replace(kInText, nameOf);

// An id, or another text in one line.
export function shownId(id: string): string {
  const shown = id.replace(kInLine, nameOf);
  return kOuterBlank.test(shown) ? `"${shown}"` : shown;
}
