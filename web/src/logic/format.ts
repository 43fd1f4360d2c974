// Formats numbers and times for people.

const kThin = '\u202f';

export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, kThin);
}

// "1 document", "2 documents"
export const counted = (value: number, one: string, many = one + 's'): string =>
  `${count(value)} ${value === 1 ? one : many}`;

// A sum of weights, to six digits.
export const weight = (value: number): string => Number(value.toPrecision(6)).toString();

// As the server has it: rounded it would be another threshold.
export const threshold = (value: number): string => String(value);

// What doubles of scores and of their percents may be off by.
const kRounding = 1e-12;

// Cut and not rounded, so that what is below a threshold is not shown as having reached it.
function cut(value: number, digits: number): string {
  const rounded = value.toFixed(digits);
  return Number(rounded) - value < kRounding ? rounded : (Number(rounded) - 10 ** -digits).toFixed(digits);
}

// Next to a threshold with as many digits as that has, so that what has reached it is not shown as below.
export const score = (value: number, at = 0): string =>
  cut(value, Math.max(3, threshold(at).split('.')[1]?.length ?? 0));

// A probability that is not certain is never shown as 100 %.
export function percent(value: number): string {
  if (value >= 1) return '100 %';
  if (value <= 0) return '0 %';
  const parts = value * 100;
  if (parts > 99.995) return '> 99.99 %';
  if (parts < 0.01) return '< 0.01 %';
  return `${cut(parts, parts >= 99 || parts < 1 ? 2 : 1).replace(/\.0+$/, '')} %`;
}

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, ''));

export function bytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  if (unit === 0) return value === 1 ? '1 byte' : `${count(value)} bytes`;
  return `${short(rest)} ${units[unit]}`;
}

// Formats an estimate, for which two digits are enough.
export function about(value: number): string {
  if (value === 0) return '0';
  if (value < 0.01) return '< 0.01';
  if (value < 1) return value.toFixed(2);
  if (value < 10) return value.toFixed(1);
  if (value < 1e4) return count(value);
  const units: [number, string][] = [
    [1e12, 'trillion'],
    [1e9, 'billion'],
    [1e6, 'million'],
    [1e3, 'thousand'],
  ];
  for (const [size, name] of units) {
    if (value >= size) return `${short(value / size)} ${name}`;
  }
  return count(value);
}

export function seconds(value: number): string {
  if (value < 1) return `${Math.max(1, Math.round(value * 1000))} ms`;
  if (value < 60) return `${value.toFixed(1)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function when(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

export function beginning(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const cut = line.slice(0, length);
  const blank = cut.lastIndexOf(' ');
  return `${blank > length / 2 ? cut.slice(0, blank) : cut} …`;
}
