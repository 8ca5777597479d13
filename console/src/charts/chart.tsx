/** A chart over time. It is a picture: who cannot see it gets its summary here and the table beside. */
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type ChartData, chartOptions } from './chart-options.ts';
import { stepName } from './period.ts';
import { useThemeChange } from './use-theme-change.ts';

const Legend = ({
  data,
  step,
}: {
  readonly data: ChartData;
  readonly step: number | undefined;
}) => {
  const at = step === undefined ? undefined : data.times[step];
  return (
    <p className="chart-legend" aria-hidden="true">
      {data.series.map(({ id, title, values }) => {
        const value = step === undefined ? undefined : values[step];
        return (
          <span key={id}>
            <span className={`chart-mark mark-${id}`} />
            {title}
            {typeof value === 'number' && <strong> {data.show(value)}</strong>}
          </span>
        );
      })}
      {at !== undefined && <span className="muted">{stepName(at, data.bucket)}</span>}
      <span className="mark-grid" />
    </p>
  );
};

interface ChartProps {
  readonly data: ChartData;
  readonly summary: string;
  /** A step was clicked. The table has the same as links. */
  onChoose?(at: number): void;
}

export const Chart = ({ data, summary, onChoose }: ChartProps) => {
  const box = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const [step, setStep] = useState<number>();
  const theme = useThemeChange();
  const choose = useRef(onChoose);
  choose.current = onChoose;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are another picture
  useEffect(() => {
    const root = box.current;
    const place = canvas.current;
    if (!root || !place) return;
    const seconds = data.times.map((at) => at / 1_000);
    const columns = data.series.map(({ values, drawn = values }) => [...drawn]);
    const plot = new UPlot(chartOptions(root, data, setStep), [seconds, ...columns], place);
    const resize = new ResizeObserver(() =>
      plot.setSize({ width: root.clientWidth, height: plot.height }),
    );
    resize.observe(root);
    plot.over.addEventListener('click', () => {
      const at = data.times[plot.cursor.idx ?? -1];
      if (at !== undefined) choose.current?.(at);
    });
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [data, theme]);
  return (
    <figure className="chart" ref={box}>
      <Legend data={data} step={step} />
      <div ref={canvas} role="img" aria-label={summary} className={onChoose && 'chart-choosable'} />
    </figure>
  );
};
