/** How full the budgets are, with a word as well as a colour where one is nearly used up. */
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { type BudgetBar, budgetBars, type Fullness } from './budget-bars.ts';
import type { UsageLine } from './usage-records.ts';

const SHOWN_AT_ONCE = 8;

const percent = (share: number): string => `${Math.round(share * 100)}%`;

const FullBadge = ({ fullness }: { readonly fullness: Fullness }) => {
  if (fullness === 'fine') return null;
  return fullness === 'full' ? (
    <Badge tone="bad">used up</Badge>
  ) : (
    <Badge tone="warn">near the limit</Badge>
  );
};

export const Bar = ({ bar }: { readonly bar: BudgetBar }) => (
  <li className={`budget budget-${bar.fullness}`}>
    <p className="budget-head">
      <span>
        <span className="muted">{bar.kind} </span>
        <strong>
          <SafeText text={bar.name} />
        </strong>
        <span className="muted"> {bar.period}</span>
      </span>
      <FullBadge fullness={bar.fullness} />
      <span className="budget-text">{bar.text}</span>
    </p>
    {/* biome-ignore lint/a11y/useSemanticElements: a <meter> cannot show what is held beside what is used */}
    <div
      className="budget-bar"
      role="meter"
      aria-label={`${bar.kind} ${bar.name}, ${bar.period}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((bar.used + bar.held) * 100)}
      aria-valuetext={`${bar.text}${bar.held > 0 ? `, ${percent(bar.held)} held` : ''}`}
    >
      <span className="budget-used" style={{ width: percent(bar.used) }} />
      <span className="budget-held" style={{ width: percent(bar.held) }} />
    </div>
  </li>
);

const NoBudget = () => (
  <p className="muted">
    Nothing was spent today that a budget limits. Limits are set under <code>budget</code> in{' '}
    <code>.toolcrib/config.yml</code>.
  </p>
);

export const Budgets = ({ lines }: { readonly lines: readonly UsageLine[] }) => {
  const [isWhole, setWhole] = useState(false);
  const bars = budgetBars(lines);
  const shown = isWhole ? bars : bars.slice(0, SHOWN_AT_ONCE);
  return (
    <section className="panel" aria-label="Budgets">
      <h2>Budgets</h2>
      {bars.length === 0 ? (
        <NoBudget />
      ) : (
        <ul className="budgets">
          {shown.map((bar) => (
            <Bar key={bar.key} bar={bar} />
          ))}
        </ul>
      )}
      {shown.length < bars.length && (
        <Button isSmall onClick={() => setWhole(true)}>
          Show all {bars.length}
        </Button>
      )}
    </section>
  );
};
