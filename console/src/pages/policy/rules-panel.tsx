/** The rules in the order in which they are considered. */
import { useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { TierBadge } from '../../components/badge.tsx';
import { SearchBox } from '../../components/field.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { EffectBadge, ShadowBadge } from './effect-badge.tsx';
import { findRules } from './find-rules.ts';
import type { PolicyView, Rule } from './policy-records.ts';

/** Enough to tell two versions apart. */
const VERSION_SHOWN = 12;

const Applies = ({ tools = [], tiers = [] }: Rule) =>
  tools.length + tiers.length === 0 ? null : (
    <p className="badges">
      {tiers.map((tier) => (
        <TierBadge key={tier} tier={tier} />
      ))}
      {tools.map((tool) => (
        <code key={tool}>
          <SafeText text={tool} />
        </code>
      ))}
    </p>
  );

const RuleItem = ({ rule, place }: { readonly rule: Rule; readonly place: number }) => (
  <li className={rule.shadow ? 'rule rule-shadow' : 'rule'}>
    <span className="rule-place muted" aria-hidden="true">
      {place}
    </span>
    <div className="rule-effect">
      <EffectBadge effect={rule.effect} />
      <ShadowBadge isShadow={rule.shadow} />
    </div>
    <div className="rule-body">
      <h2>
        <SafeText text={rule.id} />
      </h2>
      <Applies {...rule} />
      {rule.condition !== undefined && (
        <code className="rule-condition">
          <SafeText text={rule.condition} />
        </code>
      )}
      {rule.reason !== undefined && rule.reason !== '' && (
        <p>
          <SafeText text={rule.reason} />
        </p>
      )}
      <p className="muted">
        <SafeText text={rule.source} />
      </p>
    </div>
  </li>
);

const RuleList = ({ view }: { readonly view: PolicyView }) => {
  const [words, setWords] = useState('');
  const matches = findRules(view.rules, words);
  const shadows = view.rules.filter(({ shadow }) => shadow).length;
  return (
    <>
      <div className="filters">
        <SearchBox label="Search the rules" value={words} onChange={setWords} />
        <p className="muted filters-note">
          {view.rules.length} rules{shadows > 0 && `, ${shadows} in shadow mode`}, version{' '}
          <code title={view.version}>
            <SafeText text={view.version.slice(0, VERSION_SHOWN)} />
          </code>
        </p>
      </div>
      {matches.length === 0 ? (
        <EmptyState icon="policy" title={words === '' ? 'There are no rules' : 'No rule fits'}>
          <p>
            {words === ''
              ? 'Without a rule that allows it, every call is refused.'
              : 'The search looks at names, tools, conditions, reasons and places.'}
          </p>
        </EmptyState>
      ) : (
        <ol className="rules">
          {matches.map(({ rule, place }) => (
            <RuleItem key={`${place} ${rule.id}`} rule={rule} place={place} />
          ))}
        </ol>
      )}
    </>
  );
};

export const RulesPanel = () => {
  const { api } = useServices();
  const policy = useLoad('policy', () => api.get<PolicyView>('/v1/policy'));
  return <WhenLoaded of={policy}>{(view) => <RuleList view={view} />}</WhenLoaded>;
};
