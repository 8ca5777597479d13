/** Which rule decided, and how every other one was passed over. */
import { useEffect, useRef } from 'react';
import { Badge } from '../../components/badge.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { EffectBadge, ShadowBadge } from './effect-badge.tsx';
import type { ConsideredRule, Explanation } from './policy-records.ts';

const NOTES = { allow: 'note note-good', ask: 'note note-warn', deny: 'note note-bad' } as const;

const WORDS = {
  allow: 'The call would run',
  ask: 'A person would be asked',
  deny: 'The call would be refused',
} as const;

/** Comes into sight by itself: below a long form nobody would see that there is an answer. */
const VerdictNote = ({ verdict }: Pick<Explanation, 'verdict'>) => {
  const ref = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer comes into sight
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, [verdict]);
  return (
    <div ref={ref} className={NOTES[verdict.effect]} role="status">
      <h2>{WORDS[verdict.effect]}</h2>
      <p>
        Decided by{' '}
        <strong>
          <SafeText text={verdict.rule} />
        </strong>
        : <SafeText text={verdict.reason} />
      </p>
      {verdict.everyTime && <p>No standing permission answers this: it is asked every time.</p>}
      {verdict.shadow?.map(({ rule, effect, reason }) => (
        <p key={rule}>
          In shadow mode, <SafeText text={rule} /> would say <EffectBadge effect={effect} />{' '}
          <SafeText text={reason} />
        </p>
      ))}
    </div>
  );
};

const columnsOf = (decisive: string): readonly Column<ConsideredRule & { place: number }>[] => [
  { id: 'place', title: '#', cell: ({ place }) => place, isSecondary: true },
  {
    id: 'rule',
    title: 'Rule',
    cell: ({ rule, matched, why, origin }) => (
      <div className="considered">
        <p>
          <strong>
            <SafeText text={rule} />
          </strong>{' '}
          {matched && rule === decisive && <Badge tone="info">decided</Badge>}
        </p>
        <p>
          <SafeText text={why} />
        </p>
        <p className="hint">
          <SafeText text={origin} />
        </p>
      </div>
    ),
  },
  {
    id: 'effect',
    title: 'Effect',
    cell: ({ effect, shadow }) => (
      <span className="badges">
        <EffectBadge effect={effect} />
        <ShadowBadge isShadow={shadow} />
      </span>
    ),
  },
  {
    id: 'fits',
    title: 'Fits',
    cell: ({ matched }) => (matched ? <strong>yes</strong> : <span className="muted">no</span>),
  },
];

export const ExplanationView = ({ verdict, considered }: Explanation) => (
  <section className="stack explain-answer" aria-label="Explanation">
    <VerdictNote verdict={verdict} />
    <h2>Rules considered</h2>
    <Table
      label="Rules considered"
      columns={columnsOf(verdict.rule)}
      rows={considered.map((rule, index) => ({ ...rule, place: index + 1 }))}
      keyOf={({ place }) => String(place)}
    />
  </section>
);
