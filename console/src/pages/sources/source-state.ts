/** What the state of a source means, and what to do about it. */
import type { StateMeaning } from '../servers/server-state.ts';
import type { SourceStatus } from './source-records.ts';

const MEANINGS: ReadonlyMap<string, StateMeaning> = new Map([
  ['ready', { tone: 'good', word: 'ready', meaning: 'Its definitions are known.', command: '' }],
  ['unread', { tone: 'neutral', word: 'unread', meaning: 'It was never read.', command: '' }],
  [
    'failed',
    {
      tone: 'bad',
      word: 'failed',
      meaning: 'The last reading failed. Tools that were known before are still there.',
      command: '',
    },
  ],
  [
    'disabled',
    {
      tone: 'neutral',
      word: 'disabled',
      meaning: 'Switched off in the configuration.',
      command: 'toolcrib sources enable',
    },
  ],
  [
    'needs_login',
    {
      tone: 'warn',
      word: 'needs login',
      meaning: 'It wants a person to sign in once.',
      command: 'toolcrib sources login',
    },
  ],
]);

export const sourceMeaning = ({
  state,
  name,
}: Pick<SourceStatus, 'state' | 'name'>): StateMeaning => {
  const { command = '', ...known } = MEANINGS.get(state) ?? {
    tone: 'neutral' as const,
    word: state,
    meaning: '',
  };
  return { ...known, command: command === '' ? '' : `${command} ${name}` };
};
