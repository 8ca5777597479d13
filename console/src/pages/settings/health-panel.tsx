/** All checks, and for admins what the doctor finds on the machine of the server. */
import type { ReactNode } from 'react';
import { useMay } from '../../api/services.tsx';
import { Facts } from '../../components/facts.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { ChecksPanel } from '../../health/checks-panel.tsx';
import { HealthLine } from '../../health/findings.tsx';
import type { DoctorLine, SettingsView } from './setting-records.ts';

const Finding = ({ name, ok, detail = '', fix = '' }: DoctorLine) => (
  <HealthLine
    tone={ok ? 'good' : 'warn'}
    word={ok ? 'ok' : 'needs a look'}
    name={name}
    detail={detail}
    fix={ok ? '' : fix}
  />
);

/** Sorts what needs a look first. */
const worstFirst = (lines: readonly DoctorLine[]): readonly DoctorLine[] => [
  ...lines.filter(({ ok }) => !ok),
  ...lines.filter(({ ok }) => ok),
];

export const MachinePanel = ({ view }: { readonly view: SettingsView }) => (
  <section className="panel health" aria-label="Doctor">
    <h2>Doctor</h2>
    <Facts
      of={[
        ['Version', view.version],
        ['Store', <SafeText key="store" text={view.store} />],
      ]}
    />
    {view.doctor.length === 0 ? (
      <p className="muted">
        This server reports no checks. Run <code>toolcrib doctor</code> on its machine.
      </p>
    ) : (
      <ul className="health-list">
        {worstFirst(view.doctor).map((line) => (
          <Finding key={`${line.name} ${line.detail}`} {...line} />
        ))}
      </ul>
    )}
  </section>
);

interface PanelProps {
  /** The part of admins, which is loaded only for them. */
  readonly machine: ReactNode;
}

export const HealthPanel = ({ machine }: PanelProps) => (
  <div className="health">
    <ChecksPanel />
    {useMay('admin') && machine}
  </div>
);
