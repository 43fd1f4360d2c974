// Takes JSON apart as text. A parsed number has 53 bits and may lose digits, so what is passed on is never parsed.

// Where the string ends whose quote is at `from`.
function endOfString(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  throw new Error('a string of the JSON does not end');
}

// The elements of an array, or the members of an object, each with its name.
export function partsOf(json: string): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') {
      at = endOfString(json, at) - 1;
    } else if (sign === '{' || sign === '[') {
      if (depth++ === 0) from = at + 1;
    } else if (sign === '}' || sign === ']') {
      if (--depth === 0) out.push(json.slice(from, at).trim());
    } else if (sign === ',' && depth === 1) {
      out.push(json.slice(from, at).trim());
      from = at + 1;
    }
  }
  return out.filter((part) => part !== '');
}

const endOfName = (member: string): number => endOfString(member, 0);

// The name of a member, which may have escapes: "\u0069d" is "id".
export const nameOf = (member: string): string => JSON.parse(member.slice(0, endOfName(member))) as string;

const valueOf = (member: string): string => member.slice(member.indexOf(':', endOfName(member)) + 1).trim();

// The text of each member of an object. Of a member that is given twice the last one counts, as for the server.
export const membersOf = (object: string): Map<string, string> =>
  new Map(partsOf(object).map((member) => [nameOf(member), valueOf(member)]));

// Valid JSON without its line ends, which can only be between two tokens, and without the indents after them.
export const inOneLine = (json: string): string => json.replace(/[\r\n]+[ \t\r\n]*/g, '');

// JSON in which only numbers keep their spelling, to compare with other JSON and to show.
export function compacted(json: string): string {
  let out = '';
  for (let at = 0; at < json.length;) {
    if (json[at] === '"') {
      const end = endOfString(json, at);
      out += JSON.stringify(JSON.parse(json.slice(at, end)));
      at = end;
    } else {
      out += json.charAt(at++).trim();
    }
  }
  return out;
}
