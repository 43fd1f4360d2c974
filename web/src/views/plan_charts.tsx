// Draws the S-curve of a plan, and below it, on the same axis, the similarities in the index.
import type { JSX } from 'preact';
import uPlot from 'uplot';
import type { Alternative, Plan, Similarities } from '../api/types';
import { foundProbability } from '../logic/curve';
import * as format from '../logic/format';
import { axis, Chart, type Colours } from '../ui/chart';

const kSteps = 200;
const kSimilarities = Array.from({ length: kSteps + 1 }, (_, step) => step / kSteps);

const curve = (one: { bands: number; rows: number }): number[] =>
  kSimilarities.map((at) => foundProbability(at, one.bands, one.rows));

const tenths = (values: readonly number[]): string[] =>
  values.map((value) => (Math.round(value * 10) % 2 === 0 ? value.toFixed(1) : ''));

// Draws the threshold as a line behind the curves, and the promised recall as a point on it.
function markThreshold(colours: Colours, threshold: number, recall: number | null): (plot: uPlot) => void {
  return (plot) => {
    const { ctx, bbox } = plot;
    const x = Math.round(plot.valToPos(threshold, 'x', true));
    ctx.save();
    ctx.strokeStyle = colours.second;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (recall !== null) {
      ctx.setLineDash([]);
      ctx.fillStyle = colours.second;
      ctx.strokeStyle = colours.card;
      ctx.lineWidth = 2 * devicePixelRatio;
      ctx.beginPath();
      ctx.arc(x, plot.valToPos(recall, 'y', true), 5 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
    ctx.restore();
  };
}

const kFixedX: uPlot.Scale = { time: false, range: [0, 1] };
const kPadding: [number, number, number, number] = [10, 14, 0, 0];

export function CurveChart(props: { plan: Plan; threshold: number; shown: Alternative[] }): JSX.Element {
  const { plan, threshold, shown } = props;
  const data: uPlot.AlignedData = [kSimilarities, ...shown.map(curve), curve(plan)];
  return (
    <Chart
      label={`Probability of being found by similarity, for ${plan.bands} bands of ${plan.rows} rows: ${format.percent(plan.recall_at_threshold)} at ${format.threshold(threshold)}`}
      height={300}
      data={data}
      dependencies={[plan, threshold, shown.map((one) => one.name).join()]}
      options={(colours) => ({
        pxAlign: 0,
        legend: { show: false },
        cursor: { show: false },
        padding: kPadding,
        scales: { x: kFixedX, y: { range: [0, 1] } },
        axes: [
          axis(colours, 'x', {
            values: (_, values) => tenths(values),
            splits: () => Array.from({ length: 11 }, (__, at) => at / 10),
          }),
          axis(colours, 'y', {
            values: (_, values) => values.map((value) => `${Math.round(value * 100)} %`),
            splits: () => [0, 0.25, 0.5, 0.75, 1],
          }),
        ],
        series: [
          {},
          ...shown.map((one): uPlot.Series => ({
            stroke: colours.thin,
            width: 1,
            points: { show: false },
            ...(plan.rules_of_others.includes(one) ? { dash: [5, 4] } : {}),
          })),
          { stroke: colours.first, width: 2.5, points: { show: false } },
        ],
        hooks: { draw: [markThreshold(colours, threshold, plan.recall_at_threshold)] },
      })}
    />
  );
}

export function SimilarityChart(props: { name: string; similarities: Similarities; threshold: number }): JSX.Element {
  const { histogram } = props.similarities;
  // A logarithmic scale, because most pairs share nothing, and the few that do are what matters.
  const most = Math.max(1, ...histogram.map((bin) => bin.pairs));
  const top = 10 ** Math.ceil(Math.log10(most + 1));
  const data: uPlot.AlignedData = [
    histogram.map((bin) => (bin.from + bin.to) / 2),
    histogram.map((bin) => (bin.pairs > 0 ? bin.pairs : null)),
  ];
  const above = histogram.filter((bin) => bin.from >= props.threshold - 1e-9).reduce((sum, bin) => sum + bin.pairs, 0);
  const exponents = Array.from({ length: Math.round(Math.log10(top)) + 1 }, (_, exponent) => 10 ** exponent);
  return (
    <Chart
      label={`Similarity of ${format.count(props.similarities.pairs)} pairs of the index ${props.name}: ${format.count(above)} at or above ${format.threshold(props.threshold)}`}
      height={190}
      data={data}
      dependencies={[props.similarities, props.threshold]}
      options={(colours) => ({
        legend: { show: false },
        cursor: { show: false },
        padding: kPadding,
        scales: { x: kFixedX, y: { distr: 3, range: [0.5, top] } },
        axes: [
          axis(colours, 'x', {
            values: (_, values) => tenths(values),
            splits: () => Array.from({ length: 11 }, (__, at) => at / 10),
          }),
          axis(colours, 'y', {
            splits: () => exponents,
            values: (_, values) => values.map((value) => (value === null ? '' : shortCount(value))),
          }),
        ],
        series: [
          {},
          {
            stroke: colours.bar,
            fill: colours.bar,
            width: 0,
            points: { show: false },
            ...(uPlot.paths.bars ? { paths: uPlot.paths.bars({ size: [0.82, 60] }) } : {}),
          },
        ],
        hooks: { draw: [markThreshold(colours, props.threshold, null)] },
      })}
    />
  );
}

const shortCount = (value: number): string =>
  value >= 1e6 ? `${value / 1e6} M` : value >= 1e3 ? `${value / 1e3} k` : String(value);
