// Finds what two sequences of numbers have in common, in order, with a bound on the work.

// Numbers from a and from b, which are equal for the next `length` places.
export interface Match {
  a: number;
  b: number;
  length: number;
}

// Steps that may still be spent; several comparisons may share one.
export interface Work {
  left: number;
}

export interface Matches {
  matches: Match[];
  // Places up to which both were compared; less than their lengths if the work was used up.
  aRead: number;
  bRead: number;
}

// Ranges of fewer places are compared at once; larger ones are first split at what both have exactly once.
const kSmall = 400;
// Edits beyond which a range without anything unique counts as replaced. The memory grows with their square.
const kMostEdits = 700;

export function matchesOf(a: Int32Array, b: Int32Array, work: Work): Matches {
  const search = new Search(a, b, work);
  const isWhole = search.compare(0, a.length, 0, b.length);
  const { matches, stop } = search;
  return { matches, aRead: isWhole ? a.length : stop.a, bRead: isWhole ? b.length : stop.b };
}

class Search {
  readonly matches: Match[] = [];
  readonly stop = { a: 0, b: 0 };

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    private readonly work: Work,
  ) {}

  // Adds the matches of two ranges, in order. Returns false if the work was used up; `stop` says where.
  compare(aFrom: number, aTo: number, bFrom: number, bTo: number): boolean {
    const { a, b } = this;
    let start = 0;
    while (aFrom + start < aTo && bFrom + start < bTo && a[aFrom + start] === b[bFrom + start]) start++;
    this.add(aFrom, bFrom, start);
    aFrom += start;
    bFrom += start;
    let end = 0;
    while (aTo - end > aFrom && bTo - end > bFrom && a[aTo - end - 1] === b[bTo - end - 1]) end++;
    this.work.left -= start + end;
    if (!this.middle(aFrom, aTo - end, bFrom, bTo - end)) return false;
    this.add(aTo - end, bTo - end, end);
    return true;
  }

  private add(a: number, b: number, length: number): void {
    if (length === 0) return;
    const last = this.matches.at(-1);
    if (last && last.a + last.length === a && last.b + last.length === b) last.length += length;
    else this.matches.push({ a, b, length });
  }

  // Compares two ranges that begin and end differently.
  private middle(aFrom: number, aTo: number, bFrom: number, bTo: number): boolean {
    const size = aTo - aFrom + (bTo - bFrom);
    if (aFrom === aTo || bFrom === bTo) return true;
    this.work.left -= size;
    if (this.work.left < 0) {
      this.stop.a = aFrom;
      this.stop.b = bFrom;
      return false;
    }
    const splits = size > kSmall ? this.uniqueInBoth(aFrom, aTo, bFrom, bTo) : [];
    if (splits.length === 0) {
      for (const match of this.shortestEdit(aFrom, aTo, bFrom, bTo)) this.add(match.a, match.b, match.length);
      return true;
    }
    for (const [x, y] of splits) {
      // An earlier range may have grown over this place.
      if (x < aFrom || y < bFrom) continue;
      if (!this.compare(aFrom, x, bFrom, y)) return false;
      this.add(x, y, 1);
      aFrom = x + 1;
      bFrom = y + 1;
    }
    return this.compare(aFrom, aTo, bFrom, bTo);
  }

  // Places of numbers that both ranges have exactly once, as many as are in the same order in both (patience diff).
  private uniqueInBoth(aFrom: number, aTo: number, bFrom: number, bTo: number): [number, number][] {
    const kTwice = -1;
    const inA = new Map<number, number>();
    for (let x = aFrom; x < aTo; x++) inA.set(this.a[x]!, inA.has(this.a[x]!) ? kTwice : x);
    const inB = new Map<number, number>();
    for (let y = bFrom; y < bTo; y++) inB.set(this.b[y]!, inB.has(this.b[y]!) ? kTwice : y);
    const both: [number, number][] = [];
    for (const [number, x] of inA) {
      const y = inB.get(number);
      if (x !== kTwice && y !== undefined && y !== kTwice) both.push([x, y]);
    }
    return longestRising(both);
  }

  // The shortest edit (Myers, 1986), or nothing if it has more than kMostEdits edits.
  private shortestEdit(aFrom: number, aTo: number, bFrom: number, bTo: number): Match[] {
    const { a, b, work } = this;
    const n = aTo - aFrom;
    const m = bTo - bFrom;
    const most = Math.min(n + m, kMostEdits);
    const zero = most + 1;
    const furthest = new Int32Array(2 * most + 3); // x that is reached on each diagonal x - y
    const history: Int32Array[] = [];
    for (let edits = 0; edits <= most; edits++) {
      for (let k = -edits; k <= edits; k += 2) {
        const left = furthest[zero + k - 1]!;
        const right = furthest[zero + k + 1]!;
        let x = k === -edits || (k !== edits && left < right) ? right : left + 1;
        while (x < n && x - k < m && a[aFrom + x] === b[bFrom + x - k]) x++;
        furthest[zero + k] = x;
        if (x >= n && x - k >= m) return walkBack(history, edits, n, m, aFrom, bFrom);
      }
      work.left -= edits;
      history.push(furthest.slice(zero - edits, zero + edits + 1));
    }
    return [];
  }
}

function walkBack(history: Int32Array[], edits: number, n: number, m: number, aFrom: number, bFrom: number): Match[] {
  const out: Match[] = [];
  let x = n;
  let y = m;
  const add = (fromX: number, fromY: number): void => {
    if (x > fromX) out.push({ a: aFrom + fromX, b: bFrom + fromY, length: x - fromX });
  };
  for (let d = edits; d > 0; d--) {
    const before = history[d - 1]!;
    const k = x - y;
    const at = (diagonal: number): number => before[diagonal + d - 1]!;
    const isInsert = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromX = at(isInsert ? k + 1 : k - 1);
    const fromY = fromX - (isInsert ? k + 1 : k - 1);
    add(isInsert ? fromX : fromX + 1, isInsert ? fromY + 1 : fromY);
    x = fromX;
    y = fromY;
  }
  add(0, 0);
  return out.reverse();
}

// The longest subsequence of pairs, ordered by their first number, whose second number rises.
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = []; // places in pairs: the best end of a sequence of each length
  const before = new Int32Array(pairs.length);
  for (let place = 0; place < pairs.length; place++) {
    const y = pairs[place]![1];
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]![1] < y) low = middle + 1;
      else high = middle;
    }
    before[place] = low > 0 ? tails[low - 1]! : -1;
    tails[low] = place;
  }
  const out: [number, number][] = [];
  for (let place = tails.at(-1) ?? -1; place >= 0; place = before[place]!) out.push(pairs[place]!);
  return out.reverse();
}
