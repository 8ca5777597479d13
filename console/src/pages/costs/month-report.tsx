/** Downloads the report of a month: a page to print, or CSV. */
import { useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { LinkButton } from '../../components/button.tsx';
import { FilterSelect } from '../../components/field.tsx';

const MONTHS = 13;

/** Lists the latest months, this one first. */
const latestMonths = (now: number): readonly string[] => {
  const today = new Date(now);
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back))
      .toISOString()
      .slice(0, 7),
  );
};

export const MonthReport = () => {
  const { now } = useServices();
  const months = latestMonths(now());
  const [month, setMonth] = useState(months[0] ?? '');
  const pathOf = (format: string): string => `/v1/usage/report?month=${month}&format=${format}`;
  return (
    <section className="stack" aria-label="Report of a month">
      <h2>Report of a month</h2>
      <div className="filters">
        <FilterSelect
          label="Month (UTC)"
          value={month}
          options={months.map((each) => [each, each] as const)}
          onChange={setMonth}
        />
        <div className="actions">
          <LinkButton href={pathOf('html')} download>
            Page to print
          </LinkButton>
          <LinkButton href={pathOf('csv')} download>
            CSV
          </LinkButton>
        </div>
      </div>
    </section>
  );
};
