// Draws a small S-curve with the point of a pair on it.
import type { JSX } from 'preact';
import { curvePoints, foundProbability } from '../logic/curve';
import { percent, score } from '../logic/format';

const kWidth = 260;
const kHeight = 120;
const kLeft = 38;
const kBottom = 20;

export function SmallCurve(props: { bands: number; rows: number; similarity: number }): JSX.Element {
  const x = (similarity: number): number => kLeft + similarity * (kWidth - kLeft - 8);
  const y = (probability: number): number => 8 + (1 - probability) * (kHeight - kBottom - 8);
  const { x: xs, y: ys } = curvePoints(props.bands, props.rows, 80);
  const path = xs
    .map((similarity, place) => `${place === 0 ? 'M' : 'L'}${x(similarity).toFixed(1)} ${y(ys[place] ?? 0).toFixed(1)}`)
    .join('');
  const found = foundProbability(props.similarity, props.bands, props.rows);
  return (
    <svg
      class="small-curve"
      viewBox={`0 0 ${kWidth} ${kHeight}`}
      role="img"
      aria-label={`At a similarity of ${score(props.similarity)} a pair is found with ${percent(found)}`}
    >
      <line class="axis" x1={kLeft} x2={x(1)} y1={y(0)} y2={y(0)} />
      <line class="axis" x1={kLeft} x2={kLeft} y1={y(0)} y2={y(1)} />
      {[0, 0.5, 1].map((at) => (
        <text key={`x${at}`} x={x(at)} y={kHeight - 6} text-anchor="middle">
          {at}
        </text>
      ))}
      {[0, 1].map((at) => (
        <text key={`y${at}`} x={kLeft - 5} y={y(at) + 4} text-anchor="end">
          {at * 100} %
        </text>
      ))}
      <path class="curve" d={path} />
      <line class="guide" x1={x(props.similarity)} x2={x(props.similarity)} y1={y(found)} y2={y(0)} />
      <circle class="point" cx={x(props.similarity)} cy={y(found)} r="4.5" />
    </svg>
  );
}
