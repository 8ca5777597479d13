/** What calls cost today and this month, and how full the fullest budgets are. */
import type { MetricHistory } from '../../api/metric-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { money } from '../../components/format.ts';
import { WhenLoaded } from '../../components/states.tsx';
import { callsHref } from '../../figures/call-links.ts';
import { CALM_MS } from '../../figures/use-figures.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf } from '../../router/route.ts';
import { budgetBars } from '../costs/budget-bars.ts';
import { Bar } from '../costs/budgets.tsx';
import type { UsageLine } from '../costs/usage-records.ts';
import '../costs/costs.css';

const SHOWN = 3;
const DAY_MS = 86_400_000;

/** Finds the start of the month in UTC, as budgets count. */
const monthStart = (now: number): number => {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};

interface Spent {
  readonly title: string;
  readonly usd: number;
  readonly href: string;
}

const useSpend = () => {
  const { api, now } = useServices();
  const spend = useLoad('spend', async () => {
    const today = Math.floor(now() / DAY_MS) * DAY_MS;
    const spent = async (title: string, from: number): Promise<Spent> => {
      const to = today + DAY_MS;
      const { total } = await api.get<MetricHistory>('/v1/metrics', { from, to, step: 'day' });
      return { title, usd: total.costUsd, href: callsHref({ from, to }) };
    };
    const [day, month, { lines }] = await Promise.all([
      spent('Today (UTC)', today),
      spent('This month', monthStart(now())),
      api.get<{ readonly lines: readonly UsageLine[] }>('/v1/usage'),
    ]);
    return { spent: [day, month], bars: budgetBars(lines).slice(0, SHOWN) };
  });
  useReloadOn(['call.finished'], spend.reload, CALM_MS);
  return spend;
};

export const SpendPanel = () => {
  const spend = useSpend();
  return (
    <section className="panel" aria-label="Spent">
      <h2>Spent</h2>
      <WhenLoaded of={spend}>
        {({ spent, bars }) => (
          <>
            <dl className="spent">
              {spent.map(({ title, usd, href }) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>{usd === 0 ? money(usd) : <a href={href}>{money(usd)}</a>}</dd>
                </div>
              ))}
            </dl>
            {bars.length > 0 && (
              <ul className="budgets">
                {bars.map((bar) => (
                  <Bar key={bar.key} bar={bar} />
                ))}
              </ul>
            )}
            <a href={hrefOf(['costs'])}>Costs and budgets</a>
          </>
        )}
      </WhenLoaded>
    </section>
  );
};
