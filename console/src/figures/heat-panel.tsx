/** How many calls took how long, over time, of all tools or of one. A button shows the same as a table. */
import { useState } from 'react';
import type { Heat } from '../api/metric-records.ts';
import { useServices } from '../api/services.tsx';
import { type Loaded, useLoad } from '../api/use-load.ts';
import { bandName, type HeatRow, layOut } from '../charts/heat-layout.ts';
import { HeatMap } from '../charts/heat-map.tsx';
import { BUCKET_MS, type BucketSize, type Period, spanOf } from '../charts/period.ts';
import { Button } from '../components/button.tsx';
import { FilterSelect } from '../components/field.tsx';
import { count } from '../components/format.ts';
import { WhenLoaded } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { useReloadOn } from '../live/use-live.ts';
import { callsHref } from './call-links.ts';
import { CALM_MS } from './use-figures.ts';

const COLUMNS: readonly Column<HeatRow>[] = [
  { id: 'band', title: 'Took', cell: bandName },
  { id: 'calls', title: 'Calls', isNumber: true, cell: ({ calls }) => count(calls) },
];

const useHeat = (period: Period, tool: string): Loaded<Heat> => {
  const { api, now } = useServices();
  const heat = useLoad(`heat ${period.id} ${tool}`, () => {
    const { from, to } = spanOf(period, now());
    return api.get<Heat>('/v1/metrics/heat', { from, to, tool });
  });
  useReloadOn(['call.finished'], heat.reload, CALM_MS);
  return heat;
};

/** Columns of less than a day are named by their hour. */
const bucketOf = ({ columnMs }: Heat): BucketSize =>
  columnMs >= BUCKET_MS.day ? 'day' : columnMs >= BUCKET_MS.hour ? 'hour' : 'minute';

interface ContentProps {
  readonly heat: Heat;
  readonly tool: string;
  readonly isTable: boolean;
}

const Content = ({ heat, tool, isTable }: ContentProps) => {
  const { from, to, columnMs, cells } = heat;
  if (cells.length === 0) return <p className="muted">Nothing ran in this period.</p>;
  const calls = cells.reduce((sum, cell) => sum + cell.calls, 0);
  if (isTable) {
    return (
      <Table
        label="Calls by duration"
        columns={COLUMNS}
        rows={layOut(heat).rows.filter((row) => row.calls > 0)}
        keyOf={bandName}
        hrefOf={({ overMs, upToMs }) => callsHref({ tool, from, to, overMs, upToMs })}
      />
    );
  }
  return (
    <HeatMap
      heat={heat}
      label={`Durations of ${count(calls)} calls over time`}
      bucket={bucketOf(heat)}
      hrefOf={({ start, overMs, upToMs }) =>
        callsHref({ tool, from: start, to: start + columnMs, overMs, upToMs })
      }
    />
  );
};

interface HeatPanelProps {
  readonly period: Period;
  /** The one tool of the page; without it one can be chosen. */
  readonly tool?: string;
  /** The tools to choose from. */
  readonly tools?: readonly string[];
}

export const HeatPanel = ({ period, tool, tools = [] }: HeatPanelProps) => {
  const [chosen, setChosen] = useState('');
  const [isTable, setTable] = useState(false);
  const shown = tool ?? chosen;
  const heat = useHeat(period, shown);
  return (
    <section className="panel" aria-label="Durations">
      <header className="panel-head">
        <div>
          <h2>Durations</h2>
          <p className="muted">How long calls took, and when. Longer ones stand higher.</p>
        </div>
        <div className="panel-tools">
          {tool === undefined && (
            <FilterSelect
              label="Tool"
              value={chosen}
              options={[['', 'all'], ...tools.map((name) => [name, name] as const)]}
              onChange={setChosen}
            />
          )}
          <Button isSmall aria-pressed={isTable} onClick={() => setTable((was) => !was)}>
            {isTable ? 'Map' : 'Table'}
          </Button>
        </div>
      </header>
      <WhenLoaded of={heat}>
        {(loaded) => <Content heat={loaded} tool={shown} isTable={isTable} />}
      </WhenLoaded>
    </section>
  );
};
