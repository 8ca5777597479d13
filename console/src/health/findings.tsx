/** What the checks of one subject found, each with what to do about it. */
import { Badge, type Tone } from '../components/badge.tsx';
import { SafeText } from '../components/safe-text.tsx';
import type { Finding, HealthResult } from './health-records.ts';
import { healthWord } from './health-records.ts';
import './health.css';

const WORDS: Readonly<Record<Finding['state'], readonly [Tone, string]>> = {
  ok: ['good', 'ok'],
  warning: ['warn', 'needs a look'],
  broken: ['bad', 'broken'],
};

interface LineProps {
  readonly tone: Tone;
  readonly word: string;
  readonly name: string;
  readonly detail: string;
  readonly fix: string;
}

export const HealthLine = ({ tone, word, name, detail, fix }: LineProps) => (
  <li className="health-line">
    <p>
      <Badge tone={tone}>{word}</Badge>{' '}
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

export const Findings = ({ of }: { readonly of: readonly Finding[] }) => (
  <ul className="health-list">
    {of.map(({ name, state, message, fix = '', notSetUp }) => {
      const [tone, word] = notSetUp ? (['neutral', 'not set up'] as const) : WORDS[state];
      const line = { tone, word, name, detail: message, fix };
      return <HealthLine key={`${name} ${message}`} {...line} />;
    })}
  </ul>
);

export const HealthBadge = ({ result }: { readonly result: HealthResult }) => {
  const [tone, word] = healthWord(result);
  return <Badge tone={tone}>{word}</Badge>;
};
