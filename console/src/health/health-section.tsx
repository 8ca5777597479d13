/** How one subject is: the last result, what to do about it, and how it changed. */
import { useServices } from '../api/services.tsx';
import { useLoad } from '../api/use-load.ts';
import { Badge } from '../components/badge.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { SafeText } from '../components/safe-text.tsx';
import { WhenLoaded } from '../components/states.tsx';
import { useReloadOn } from '../live/use-live.ts';
import { CheckButton } from './check-button.tsx';
import { Findings, HealthBadge } from './findings.tsx';
import { type HealthHistory, healthPath, STATE_WORDS } from './health-records.ts';

const Changes = ({ of }: { readonly of: HealthHistory['changes'] }) => (
  <details className="health-changes">
    <summary>{of.length === 1 ? '1 change' : `${of.length} changes`}</summary>
    <ol>
      {of.map(({ timestamp, state, reason = '' }) => {
        const [tone, word] = STATE_WORDS[state];
        return (
          <li key={`${timestamp} ${state}`}>
            <Badge tone={tone}>{word}</Badge> <RelativeTime at={timestamp} />{' '}
            <span className="muted">
              <SafeText text={reason} />
            </span>
          </li>
        );
      })}
    </ol>
  </details>
);

const Found = ({ history: { last, changes } }: { readonly history: HealthHistory }) => (
  <>
    {last ? (
      <>
        <p>
          <HealthBadge result={last} />{' '}
          <span className="muted">
            checked <RelativeTime at={last.timestamp} />
          </span>
        </p>
        <Findings of={last.checks} />
      </>
    ) : (
      <p className="muted">It was not checked yet.</p>
    )}
    {changes.length > 0 && <Changes of={changes} />}
  </>
);

export const HealthSection = ({ subject }: { readonly subject: string }) => {
  const { api } = useServices();
  const history = useLoad(subject, () => api.get<HealthHistory>(healthPath(subject, 'history')));
  useReloadOn(['health.*'], history.reload);
  return (
    <section className="panel health" aria-label="Health">
      <h2>Health</h2>
      <WhenLoaded of={history} missing={<p className="muted">It cannot be checked.</p>}>
        {(checks) => <Found history={checks} />}
      </WhenLoaded>
      <CheckButton
        path={healthPath(subject, 'check')}
        note="Asking what it needs. Nothing is run."
        onDone={history.reload}
      />
    </section>
  );
};
