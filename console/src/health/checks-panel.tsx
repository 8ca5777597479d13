/** All checks: what fails first, what works folded away. */
import { useServices } from '../api/services.tsx';
import { useLoad } from '../api/use-load.ts';
import { Badge } from '../components/badge.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SafeText } from '../components/safe-text.tsx';
import { WhenLoaded } from '../components/states.tsx';
import { useReloadOn } from '../live/use-live.ts';
import { hrefOf } from '../router/route.ts';
import { CheckButton } from './check-button.tsx';
import { Findings, HealthBadge } from './findings.tsx';
import {
  type HealthOverview,
  type HealthResult,
  isNotSetUp,
  worstFirst,
} from './health-records.ts';

/** Finds the page of a subject; `undefined` where it has none. */
const pageOf = ({ kind, name }: HealthResult): string | undefined => {
  if (kind === 'tool') return hrefOf(['tools', name], { tab: 'health' });
  if (kind === 'server') return hrefOf(['sources', 'mcp', name]);
  // A check knows the name of a source, not its kind.
  return kind === 'source' ? hrefOf(['sources', 'any', name]) : undefined;
};

const Subject = ({ result }: { readonly result: HealthResult }) => {
  const page = pageOf(result);
  const isNamed = result.kind !== result.name;
  return (
    <li className="health-subject">
      <p>
        <HealthBadge result={result} />{' '}
        <strong>
          {page === undefined ? (
            <SafeText text={isNamed ? result.name : result.kind} />
          ) : (
            <a href={page}>
              <SafeText text={result.name} />
            </a>
          )}
        </strong>{' '}
        {isNamed && <span className="muted">{result.kind}</span>}
      </p>
      <Findings of={result.checks.filter(({ state }) => state !== 'ok')} />
    </li>
  );
};

const Subjects = ({ of }: { readonly of: readonly HealthResult[] }) => (
  <ul className="health-list">
    {worstFirst(of).map((result) => (
      <Subject key={result.subject} result={result} />
    ))}
  </ul>
);

const Summary = ({ view }: { readonly view: HealthOverview }) => {
  const setUp = view.checks.filter((result) => !isNotSetUp(result));
  const working = setUp.filter(({ healthy }) => healthy);
  const word = view.healthy ? 'healthy' : 'something fails';
  return (
    <p>
      <Badge tone={view.healthy ? 'good' : 'bad'}>{word}</Badge>{' '}
      <span className="muted">
        {working.length} of {setUp.length} work
        {view.timestamp !== undefined && (
          <>
            , checked <RelativeTime at={view.timestamp} />
          </>
        )}
      </span>
    </p>
  );
};

const Schedules = ({ of }: { readonly of: HealthOverview['schedules'] }) =>
  of.length === 0 ? (
    <p className="hint">
      Checked on request only. Set <code>observation.healthChecks</code> to a pattern such as{' '}
      <code>*/15 * * * *</code> to have it done regularly.
    </p>
  ) : (
    <p className="hint">
      Scheduled:{' '}
      {of.map(({ subject, cron }) => (
        <span key={subject}>
          <SafeText text={subject} />{' '}
          <code>
            <SafeText text={cron} />
          </code>{' '}
        </span>
      ))}
    </p>
  );

interface FoldedProps {
  readonly title: string;
  readonly of: readonly HealthResult[];
}

const Folded = ({ title, of }: FoldedProps) =>
  of.length === 0 ? null : (
    <details className="health-changes">
      <summary>
        {of.length} {title}
      </summary>
      <Subjects of={of} />
    </details>
  );

const Checks = ({ view }: { readonly view: HealthOverview }) => {
  const unset = view.checks.filter(isNotSetUp);
  const well = view.checks.filter(({ state, kind }) => state === 'well' && kind === 'tool');
  const shown = view.checks.filter((result) => !unset.includes(result) && !well.includes(result));
  return (
    <>
      {view.timestamp === undefined ? (
        <p className="muted">Nothing was checked yet.</p>
      ) : (
        <Summary view={view} />
      )}
      <Subjects of={shown} />
      <Folded title="not set up here" of={unset} />
      <Folded title={well.length === 1 ? 'tool would work' : 'tools would work'} of={well} />
      <Schedules of={view.schedules} />
    </>
  );
};

export const ChecksPanel = () => {
  const { api } = useServices();
  const overview = useLoad('health', () => api.get<HealthOverview>('/v1/health'));
  useReloadOn(['health.*'], overview.reload);
  return (
    <section className="panel health" aria-label="Checks">
      <h2>Checks</h2>
      <CheckButton
        path="/v1/health/check"
        note="Asking servers, sources and tools. Nothing is run, and nothing is spent."
        onDone={overview.reload}
      />
      <WhenLoaded of={overview}>{(view) => <Checks view={view} />}</WhenLoaded>
    </section>
  );
};
