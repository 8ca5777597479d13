/** What this machine can give: the sandboxes, and what the doctor found. */
import { Badge } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import type { DoctorLine, SandboxLine, SettingsView } from './setting-records.ts';

interface LineProps {
  readonly name: string;
  readonly word: string;
  readonly isWell: boolean;
  readonly detail: string;
  readonly fix: string;
}

const HealthLine = ({ name, word, isWell, detail, fix }: LineProps) => (
  <li className="health-line">
    <p>
      <Badge tone={isWell ? 'good' : 'warn'}>{word}</Badge>{' '}
      <strong>
        <SafeText text={name} />
      </strong>{' '}
      {detail !== '' && (
        <span className="muted">
          <SafeText text={detail} />
        </span>
      )}
    </p>
    {fix !== '' && (
      <p className="health-fix">
        <SafeText text={fix} />
      </p>
    )}
  </li>
);

const Sandbox = ({ type, ready, reason = '', install = '' }: SandboxLine) => (
  <HealthLine
    name={type}
    word={ready ? 'ready' : 'not ready'}
    isWell={ready}
    detail={ready ? '' : reason}
    fix={ready ? '' : install}
  />
);

const Finding = ({ name, ok, detail = '', fix = '' }: DoctorLine) => (
  <HealthLine
    name={name}
    word={ok ? 'ok' : 'needs a look'}
    isWell={ok}
    detail={detail}
    fix={ok ? '' : fix}
  />
);

/** What needs a look comes first. */
const worstFirst = <T,>(lines: readonly T[], isWell: (line: T) => boolean): readonly T[] => [
  ...lines.filter((line) => !isWell(line)),
  ...lines.filter(isWell),
];

export const HealthPanel = ({ view }: { readonly view: SettingsView }) => (
  <div className="health">
    <section className="panel" aria-label="This server">
      <h2>This server</h2>
      <Facts
        of={[
          ['Version', view.version],
          ['Store', <SafeText key="store" text={view.store} />],
        ]}
      />
    </section>
    <section className="panel" aria-label="Sandboxes">
      <h2>Sandboxes</h2>
      <ul>
        {worstFirst(view.sandboxes, ({ ready }) => ready).map((line) => (
          <Sandbox key={line.type} {...line} />
        ))}
      </ul>
    </section>
    <section className="panel" aria-label="Doctor">
      <h2>Doctor</h2>
      {view.doctor.length === 0 ? (
        <p className="muted">
          This server reports no checks. Run <code>toolcrib doctor</code> on its machine.
        </p>
      ) : (
        <ul>
          {worstFirst(view.doctor, ({ ok }) => ok).map((line) => (
            <Finding key={line.name} {...line} />
          ))}
        </ul>
      )}
    </section>
  </div>
);
