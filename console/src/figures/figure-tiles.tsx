/** A period in a few figures; each leads to the calls behind it. */
import type { ReactNode } from 'react';
import { type CallFigures, FAILED_STATUSES, failedOf } from '../api/metric-records.ts';
import type { Span } from '../charts/period.ts';
import { bytes, count, duration, money, percent, timed } from '../components/format.ts';
import { callsHref } from './call-links.ts';

interface Tile {
  readonly term: string;
  readonly value: string;
  readonly note: string;
  readonly href?: string;
}

/** Draws the tile of processor time; none where no sandboxed run was measured. */
const processorTile = ({ resourceUtilization }: CallFigures): readonly Tile[] => {
  const { cpuMs, peakMemoryBytes } = resourceUtilization;
  if (cpuMs === 0 && peakMemoryBytes === 0) return [];
  const note = peakMemoryBytes > 0 ? `at most ${bytes(peakMemoryBytes)}` : '';
  return [{ term: 'Processor', value: cpuMs > 0 ? duration(cpuMs) : '< 1 ms', note }];
};

const tilesOf = (total: CallFigures, calls: object): readonly Tile[] => {
  const failed = failedOf(total);
  const denied = total.byStatus.denied ?? 0;
  const link = (more: object, shown: number) =>
    shown > 0 ? { href: callsHref({ ...calls, ...more }) } : {};
  return [
    { term: 'Calls', value: count(total.calls), note: '', ...link({}, total.calls) },
    {
      term: 'Failed',
      value: count(failed),
      note: failed > 0 ? `${percent(total.errorRate)} of those that ran` : '',
      ...link({ status: FAILED_STATUSES.join(',') }, failed),
    },
    { term: 'Refused', value: count(denied), note: '', ...link({ status: 'denied' }, denied) },
    {
      term: 'p95',
      value: timed(total.p95ExecutionTime),
      note: total.p95ExecutionTime === 0 ? '' : `median ${duration(total.medianExecutionTime)}`,
      ...link({ overMs: total.p95ExecutionTime }, total.p95ExecutionTime),
    },
    { term: 'Cost', value: money(total.costUsd), note: '', ...link({}, total.costUsd) },
    ...processorTile(total),
  ];
};

const Value = ({ tile, children }: { readonly tile: Tile; readonly children: ReactNode }) =>
  tile.href === undefined ? (
    children
  ) : (
    <a href={tile.href} aria-label={`${tile.term}: ${tile.value}. Show the calls`}>
      {children}
    </a>
  );

export const FigureTiles = (props: {
  readonly total: CallFigures;
  readonly span: Pick<Span, 'from' | 'to'>;
  readonly tool: string;
}) => {
  const { from, to } = props.span;
  return (
    <dl className="tiles">
      {tilesOf(props.total, { from, to, tool: props.tool }).map((tile) => (
        <div key={tile.term} className="panel">
          <dt>{tile.term}</dt>
          <dd>
            <Value tile={tile}>{tile.value}</Value>
            {tile.note !== '' && <span className="muted">{tile.note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
};
