/** How uPlot is told to draw: the colours are read from the page, so that they follow the theme. */
import UPlot from 'uplot';
import { BUCKET_MS, type BucketSize } from './period.ts';
import { timeLabels } from './time-labels.ts';

export interface ChartSeries {
  readonly id: string;
  readonly title: string;
  readonly shape: 'bars' | 'line';
  readonly values: readonly (number | null)[];
  /** What is drawn where it is not the values: sums, when bars stand on each other. */
  readonly drawn?: readonly (number | null)[];
}

export interface ChartData {
  /** The start of every step, in milliseconds. */
  readonly times: readonly number[];
  readonly bucket: BucketSize;
  readonly series: readonly ChartSeries[];
  show(value: number): string;
  /** Its figures are counts: no marks between whole numbers. */
  readonly isWhole?: boolean;
}

const HEIGHT = 200;
const WHOLE_STEPS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));

/** Reads the colour that the style sheet gives to the legend's mark of a series. */
const colourOf = (root: Element, selector: string): string => {
  const mark = root.querySelector(selector);
  return mark ? getComputedStyle(mark).color : 'gray';
};

const seriesOptions = (root: Element, { id, title, shape }: ChartSeries): UPlot.Series => {
  const colour = colourOf(root, `.mark-${id}`);
  const bars = UPlot.paths.bars?.({ size: [0.72, 36] });
  return shape === 'bars' && bars
    ? { label: title, stroke: colour, fill: colour, width: 0, paths: bars, points: { show: false } }
    : { label: title, stroke: colour, width: 2, spanGaps: false, points: { show: true, size: 6 } };
};

const axesOptions = (root: Element, { show, bucket, isWhole }: ChartData): UPlot.Axis[] => {
  const ink = getComputedStyle(root).color;
  const line = colourOf(root, '.mark-grid');
  const font = `12px ${getComputedStyle(root).fontFamily}`;
  const shared = {
    stroke: ink,
    font,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  };
  return [
    {
      ...shared,
      grid: { show: false },
      size: bucket === 'day' ? 32 : 46,
      values: (_, marks) => [...timeLabels(marks, bucket)],
    },
    {
      ...shared,
      size: 64,
      ...(isWhole && { incrs: WHOLE_STEPS }),
      values: (_, marks) => marks.map((mark) => (mark === 0 ? '0' : show(mark))),
    },
  ];
};

/** Adds half a step on both sides, or the outer bars would be cut. */
const widen = (bucket: BucketSize): UPlot.Range.Function => {
  const half = BUCKET_MS[bucket] / 2_000;
  return (_, min, max) => [min - half, max + half];
};

export const chartOptions = (
  root: HTMLElement,
  data: ChartData,
  onHover: (step: number | undefined) => void,
): UPlot.Options => ({
  width: root.clientWidth,
  height: HEIGHT,
  // To the right, room for the half of a date that reaches beyond the last step.
  padding: [6, 22, 0, 0],
  legend: { show: false },
  cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
  ...(data.bucket === 'day' && {
    tzDate: (seconds: number) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
  }),
  scales: {
    x: { time: true, range: widen(data.bucket) },
    y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
  },
  axes: axesOptions(root, data),
  series: [{}, ...data.series.map((each) => seriesOptions(root, each))],
  hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? undefined)] },
});
