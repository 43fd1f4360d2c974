// Draws a chart with uPlot, in a box that follows the width of the page and the theme.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colour, onThemeChange } from './theme';

export interface Colours {
  ink: string;
  quiet: string;
  grid: string;
  first: string;
  second: string;
  thin: string;
  bar: string;
  card: string;
}

const colours = (): Colours => ({
  ink: colour('--ink'),
  quiet: colour('--quiet'),
  grid: colour('--plot-grid'),
  first: colour('--plot-1'),
  second: colour('--plot-2'),
  thin: colour('--plot-thin'),
  bar: colour('--bar'),
  card: colour('--card'),
});

// The same margin on the left in every chart, so that charts below one another share their x axis.
const kAxisWidth = 52;
const kFont = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export function axis(all: Colours, side: 'x' | 'y', more: uPlot.Axis = {}): uPlot.Axis {
  return {
    stroke: all.quiet,
    font: kFont,
    labelFont: kFont,
    grid: { stroke: all.grid, width: 1 },
    ticks: { show: false },
    ...(side === 'y' ? { size: kAxisWidth } : { size: 30 }),
    ...more,
  };
}

export function Chart(props: {
  label: string;
  height: number;
  data: uPlot.AlignedData;
  options: (colours: Colours) => Omit<uPlot.Options, 'width' | 'height'>;
  // Values other than the theme on which the options depend.
  dependencies: readonly unknown[];
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [theme, setTheme] = useState(0);
  useEffect(() => onThemeChange(() => setTheme((old) => old + 1)), []);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(
      { ...props.options(colours()), width: element.clientWidth, height: props.height },
      props.data,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => {
      // setSize must not trigger itself.
      if (element.clientWidth > 0 && element.clientWidth !== made.width)
        made.setSize({ width: element.clientWidth, height: props.height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [theme, props.height, ...props.dependencies]);
  return <div class="chart" ref={box} role="img" aria-label={props.label} />;
}
