/** What the state of a source means, and what to do about it. */
import type { StateMeaning } from '../../components/state-header.tsx';
import { quoted } from '../servers/server-state.ts';
import type { SourceStatus } from './source-records.ts';

const MEANINGS: ReadonlyMap<string, StateMeaning> = new Map([
  ['ready', { tone: 'good', word: 'ready', meaning: 'Its definitions are known.', command: '' }],
  [
    'unread',
    {
      tone: 'neutral',
      word: 'unread',
      meaning: 'Its definitions were never read, so it has no tools yet.',
      command: '',
    },
  ],
  [
    'failed',
    {
      tone: 'bad',
      word: 'failed',
      meaning:
        'The last reading failed; tools that were known before are still there. Put right what the error names, then read it again.',
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
      meaning:
        'It wants a credential. See which one, then store the secret or, where it has a login, log in once.',
      command: 'toolcrib sources info\ntoolcrib sources login',
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
  const lines = command.split('\n').map((line) => `${line} ${quoted(name)}`);
  return { ...known, command: command === '' ? '' : lines.join('\n') };
};
