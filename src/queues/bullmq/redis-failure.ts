/**
 * Turns what Redis or its client failed with into an error of the table that says what to do. No text
 * of the library is passed on: it may hold the address with its password.
 */
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf, isCoded, isError, thrownText } from '../../kit/data/reason-of.ts';

interface Reason {
  readonly starts: RegExp;
  readonly says: string;
  readonly remedy: string;
}

/** Answers of the server, by the word that they begin with. */
const ANSWERS: readonly Reason[] = [
  {
    starts: /^(?:WRONGPASS|NOAUTH|ERR invalid password|ERR AUTH)/,
    says: 'refuses the password',
    remedy: 'Correct the user and password in the address of the queue.',
  },
  {
    starts: /^NOPERM/,
    says: 'does not allow this user to run a command that queues need',
    remedy: 'Give the user all commands on keys that begin with the prefix of the queue.',
  },
  {
    starts: /^OOM/,
    says: 'has no memory left',
    remedy: 'Give Redis more memory, or remove finished jobs.',
  },
  {
    starts: /^(?:READONLY|MASTERDOWN)/,
    says: 'is a replica that cannot be written',
    remedy: 'Name the primary server in the address of the queue.',
  },
  {
    starts: /^MISCONF/,
    says: 'cannot write its file',
    remedy: 'Look at the disk of the Redis server.',
  },
  {
    starts: /^(?:LOADING|BUSY|CLUSTERDOWN|TRYAGAIN)/,
    says: 'is not ready yet',
    remedy: 'Try again in a moment.',
  },
];

const UNTRUSTED = {
  says: 'shows a certificate that is not trusted',
  remedy: 'Name the file of its certificate authority in NODE_EXTRA_CA_CERTS.',
};

const AWAY = {
  says: 'cannot be reached',
  remedy: 'Start Redis, or correct the address of the queue. Jobs that were added before are kept.',
};

const reasonFor = (error: unknown): { readonly says: string; readonly remedy: string } => {
  const text = thrownText(error);
  if (/CERT|SIGNATURE/.test(errorCodeOf(error))) return UNTRUSTED;
  return ANSWERS.find(({ starts }) => starts.test(text)) ?? AWAY;
};

/** Gives the words for the log: the code of the system or what Redis said, never an address. */
export const failureWords = (error: unknown): string => {
  const code = errorCodeOf(error);
  return `${reasonFor(error).says}${code === '' ? '' : ` (${code})`}`;
};

const CLIENT_ERRORS: ReadonlySet<string> = new Set([
  'ReplyError',
  'AbortError',
  'MaxRetriesPerRequestError',
  'ConnectionClosedError',
]);
const CLIENT_TEXTS = /Connection is closed|Command timed out|writeable|connect ETIMEDOUT/;

/** Tells whether the connection or the server failed, and not the code that uses them. */
export const isRedisError = (error: unknown): boolean =>
  isError(error) &&
  (CLIENT_ERRORS.has(error.name) ||
    /^E[A-Z]+$/.test(errorCodeOf(error)) ||
    CLIENT_TEXTS.test(thrownText(error)));

/** Returns a coded failure as it is and anything else as STORE_UNAVAILABLE. */
export const redisFailure = (error: unknown, place: string): ToolFailure => {
  if (isError(error) && isCoded(error)) return error;
  const { says, remedy } = reasonFor(error);
  return new ToolFailure(
    'STORE_UNAVAILABLE',
    `The queue is unavailable: Redis at ${place} ${says}.`,
    {
      suggestions: [remedy],
    },
  );
};

export const queueClosed = (): ToolFailure =>
  new ToolFailure('STORE_UNAVAILABLE', 'The queue is closed.', {
    suggestions: ['Open it again before adding jobs.'],
  });
