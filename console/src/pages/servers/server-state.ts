/** What the state of a server means, and what to do about it. */
import type { StateMeaning } from '../../components/state-header.tsx';
import type { ServerStatus } from './server-records.ts';

const MEANINGS: ReadonlyMap<string, Omit<StateMeaning, 'command'>> = new Map([
  ['ready', { tone: 'good', word: 'ready', meaning: 'Running and answering.' }],
  ['idle', { tone: 'neutral', word: 'idle', meaning: 'Starts when a call needs it.' }],
  ['starting', { tone: 'info', word: 'starting', meaning: 'Being started.' }],
  [
    'restarting',
    { tone: 'warn', word: 'restarting', meaning: 'It died and is started again after a pause.' },
  ],
  [
    'open',
    {
      tone: 'bad',
      word: 'given up',
      meaning: 'It died too often. Read its log, put it right, then restart it.',
    },
  ],
  [
    'disabled',
    { tone: 'neutral', word: 'disabled', meaning: 'Switched off in the configuration.' },
  ],
  [
    'needs_login',
    { tone: 'warn', word: 'needs login', meaning: 'It wants a person to sign in once.' },
  ],
]);

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['needs_login', 'toolcrib servers login'],
  ['disabled', 'toolcrib servers enable'],
]);

/** Quotes a name for a shell. */
export const quoted = (name: string): string =>
  /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;

export const stateMeaning = ({
  state,
  name,
}: Pick<ServerStatus, 'state' | 'name'>): StateMeaning => {
  const meaning = MEANINGS.get(state) ?? { tone: 'neutral' as const, word: state, meaning: '' };
  const command = COMMANDS.get(state);
  return { ...meaning, command: command === undefined ? '' : `${command} ${quoted(name)}` };
};
