/** The state and severity of an alert as words in a colour. */
import type { AlertRecord, AlertState } from '../../api/alert-records.ts';
import { Badge, type Tone } from '../../components/badge.tsx';

const TONES: Readonly<Record<AlertState, Tone>> = {
  firing: 'bad',
  pending: 'warn',
  ok: 'good',
  unknown: 'neutral',
};

export const StateBadge = ({ state }: { readonly state: AlertState }) => (
  <Badge tone={TONES[state]}>{state}</Badge>
);

export const AlertBadge = ({ alert }: { readonly alert: AlertRecord }) => (
  <span className="badges">
    <StateBadge state={alert.state} />
    {alert.silence && <Badge tone="info">silenced</Badge>}
  </span>
);

const SEVERITIES: ReadonlyMap<string, Tone> = new Map([
  ['critical', 'bad'],
  ['warning', 'warn'],
  ['info', 'info'],
]);

export const SeverityBadge = ({
  severity = 'warning',
}: {
  readonly severity?: string | undefined;
}) => <Badge tone={SEVERITIES.get(severity) ?? 'neutral'}>{severity}</Badge>;
