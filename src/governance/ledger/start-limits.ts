/**
 * Keeps what one caller may start in the background within limits: runs of flows, jobs, and events that make
 * runs go on. Each of them is kept for days and goes on by itself, so that calls alone do not bound an agent
 * that starts many.
 */
import { type Caller, LOCAL_CALLER, provenNames } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Counters, Window } from '../../contract/store.ts';
import { HOUR_MS, MINUTE_MS } from '../../kit/data/durations.ts';

export interface StartRate {
  readonly perMinute: number;
  readonly perHour: number;
}

/** What one caller may start, by kind. */
export interface StartLimits {
  readonly runs: StartRate;
  readonly jobs: StartRate;
  readonly events: StartRate;
}

export interface StartLimitDeps {
  readonly counters: Pick<Counters, 'hit'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly limits: StartLimits;
}

/**
 * Tells whether the caller is the program that holds the crib, or its user at the terminal. Neither
 * has a limit.
 */
export const isProgramItself = ({ authenticated, userId, agentId }: Caller): boolean =>
  !authenticated && userId === LOCAL_CALLER.userId && agentId === LOCAL_CALLER.agentId;

const windowsOf = ({ perMinute, perHour }: StartRate): readonly Window[] => [
  { sizeMs: MINUTE_MS, limit: perMinute },
  { sizeMs: HOUR_MS, limit: perHour },
];

/** Counts a start of this caller. Throws RATE_LIMITED for one too many, which is not counted. */
export const countStart = async (
  kind: keyof StartLimits,
  caller: Caller,
  { counters, runtime, limits }: StartLimitDeps,
): Promise<void> => {
  if (isProgramItself(caller)) return;
  const { userId, agentId } = provenNames(caller);
  const key = JSON.stringify(['starts', kind, userId, agentId]);
  const outcome = await counters.hit(key, windowsOf(limits[kind]), runtime.now());
  if (outcome.ok) return;
  const { retryAfterMs } = outcome;
  throw new ToolFailure(
    'RATE_LIMITED',
    `The caller has ${kind === 'events' ? 'sent' : 'started'} too many ${kind}.`,
    {
      retryAfterMs,
      suggestions: [
        `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
        `The limit is budget.starts.${kind} of the configuration.`,
      ],
    },
  );
};
