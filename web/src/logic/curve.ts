// Computes probabilities and costs of bands and rows.
import type { SimilarityBin } from '../api/types';

// The probability that two documents of this similarity agree in all rows of at least one band.
export const foundProbability = (similarity: number, bands: number, rows: number): number =>
  // log1p and expm1: probabilities near 0 keep their digits.
  similarity >= 1 ? 1 : -Math.expm1(bands * Math.log1p(-(similarity ** rows)));

export function curvePoints(bands: number, rows: number, steps = 200): { x: number[]; y: number[] } {
  const x: number[] = [];
  const y: number[] = [];
  for (let step = 0; step <= steps; step++) {
    x.push(step / steps);
    y.push(foundProbability(step / steps, bands, rows));
  }
  return { x, y };
}

// The mean probability in a bin. A single point would not do: between its edges the curve may grow a hundredfold.
export function meanProbability(bin: SimilarityBin, bands: number, rows: number): number {
  const parts = 8;
  let sum = 0;
  for (let part = 0; part < parts; part++) {
    const similarity = bin.from + ((part + 0.5) / parts) * (bin.to - bin.from);
    sum += foundProbability(similarity, bands, rows);
  }
  return sum / parts;
}

// The expected number of pairs that share a band among so many documents, if all are like the sample.
export function expectedCandidates(histogram: SimilarityBin[], documents: number, bands: number, rows: number): number {
  const sampled = histogram.reduce((sum, bin) => sum + bin.pairs, 0);
  if (sampled === 0) return 0;
  const all = (documents * (documents - 1)) / 2;
  return histogram.reduce((sum, bin) => sum + all * (bin.pairs / sampled) * meanProbability(bin, bands, rows), 0);
}

// Similar pairs grow with the number of documents, all pairs with its square. So a small index says nothing about one
// that is far larger.
export const canTellOf = (documents: number, measured: number): boolean => documents <= 10 * measured;

export function bandsAndRows(text: string): { bands: number; rows: number } | null {
  const found = /^(\d+)x(\d+)$/.exec(text);
  return found ? { bands: Number(found[1]), rows: Number(found[2]) } : null;
}
