/** One row of the trail with everything it holds. */
import type { AuditRow } from '../../api/call-records.ts';
import { Badge, StatusBadge, TierBadge } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { duration, exactTime } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { Money } from '../../components/money.tsx';
import { ReplayView } from '../../components/replay-view.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { hrefOf } from '../../router/route.ts';

const MICROS = 1_000_000;

const KIND_WORDS: Readonly<Record<AuditRow['kind'], string>> = {
  intent: 'Written before the effect could happen.',
  outcome: 'Written when the call was over.',
  event: 'Something worth keeping that is not a call.',
};

const Named = ({ text }: { readonly text: string }) =>
  text === '' ? '–' : <SafeText text={text} />;

/** Decisions and grants are on record under an id of their own: there is no call to show. */
const isCall = ({ kind, detail }: AuditRow): boolean =>
  kind !== 'event' || !/^(approval|permission)\./.test(String(detail.event));

const RowFacts = ({ row }: { readonly row: AuditRow }) => (
  <Facts
    of={[
      ['When', exactTime(row.at)],
      ['Tool', row.tool !== '' && <Named text={`${row.tool} ${row.version}`.trim()} />],
      ['User', <Named key="user" text={row.userId} />],
      ['Agent', <Named key="agent" text={row.agentId} />],
      ['Session', <Named key="session" text={row.sessionId} />],
      ['Code', row.code !== '' && <code>{row.code}</code>],
      ['Took', row.kind === 'outcome' && duration(row.durationMs)],
      ['Cost', row.costMicros > 0 && <Money usd={row.costMicros / MICROS} />],
      [
        'Call',
        row.executionId !== '' && isCall(row) && (
          <a href={hrefOf(['activity', row.executionId])}>
            <SafeText text={row.executionId} />
          </a>
        ),
      ],
      ['Hash', <code key="hash">{row.hash}</code>],
    ]}
  />
);

export const AuditRowView = ({ row }: { readonly row: AuditRow }) => (
  <>
    <header>
      <h2>Row {row.seq}</h2>
      <p className="muted">{KIND_WORDS[row.kind]}</p>
    </header>
    <p className="badges">
      <Badge>{row.kind}</Badge>
      <StatusBadge status={row.status} />
      <TierBadge tier={row.tier} />
    </p>
    <RowFacts row={row} />
    {row.kind !== 'event' && <ReplayView key={row.executionId} executionId={row.executionId} />}
    <section className="stack" aria-label="Detail">
      <h3>Detail, redacted as it is kept</h3>
      <JsonView value={row.detail} label="Detail of the row" />
    </section>
  </>
);
