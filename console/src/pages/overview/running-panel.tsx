/** What runs at this moment: calls, and flows. */
import type { ExecutionSummary, Page } from '../../api/call-records.ts';
import type { RunSummary } from '../../api/flow-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { duration } from '../../components/format.ts';
import { useNow } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { StaleNote } from '../../components/states.tsx';
import { CALM_MS } from '../../figures/use-figures.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { useRunning } from '../../live/use-running.ts';
import { hrefOf } from '../../router/route.ts';

const SHOWN = 6;
const TICK_MS = 1_000;

const useFlows = () => {
  const { api } = useServices();
  const flows = useLoad('flows that run', () =>
    api.get<Page<RunSummary>>('/v1/flows/runs', { status: 'running', limit: SHOWN + 1 }),
  );
  useReloadOn(['flow.changed'], flows.reload, CALM_MS);
  return flows;
};

interface LineProps {
  readonly href: string;
  readonly name: string;
  readonly note: string;
  readonly status: string;
  readonly since: number;
}

const Line = ({ href, name, note, status, since }: LineProps) => {
  const now = useNow(TICK_MS);
  return (
    <li>
      <a href={href}>
        <StatusBadge status={status} />
        <span className="need-text">
          <strong>
            <SafeText text={name} />
          </strong>
          {note !== '' && (
            <span className="row-note">
              <SafeText text={note} />
            </span>
          )}
        </span>
        <span className="muted">{duration(Math.max(0, now - since))}</span>
      </a>
    </li>
  );
};

const noteOf = ({ summary = '', userId }: ExecutionSummary): string =>
  [summary, userId === '' ? '' : `for ${userId}`].filter((part) => part !== '').join(', ');

export const RunningPanel = () => {
  const calls = useRunning();
  const flows = useFlows();
  const runs = flows.data?.items ?? [];
  const total = calls.length + runs.length;
  const isMore = calls.length > SHOWN || runs.length > SHOWN;
  return (
    <section className="panel" aria-label="Runs now">
      <h2>Runs now {total > 0 && <span className="count">{total}</span>}</h2>
      {flows.error && <StaleNote error={flows.error} onRetry={flows.reload} />}
      {total === 0 ? (
        <p className="muted">No call and no flow is under way.</p>
      ) : (
        <ul className="needs">
          {calls.slice(0, SHOWN).map((call) => (
            <Line
              key={call.executionId}
              href={hrefOf(['activity', call.executionId])}
              name={call.tool}
              note={noteOf(call)}
              status={call.status}
              since={call.at}
            />
          ))}
          {runs.slice(0, SHOWN).map(({ id, flow, createdAt, status }) => (
            <Line
              key={id}
              href={hrefOf(['flows', 'run', id])}
              name={flow}
              note="Flow"
              status={status}
              since={createdAt}
            />
          ))}
        </ul>
      )}
      {isMore && <a href={hrefOf(['activity'])}>Show all</a>}
    </section>
  );
};
