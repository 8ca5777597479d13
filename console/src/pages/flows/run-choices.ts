/** What a person can do with a run: only what changes something for it. */
import type { RunDetail } from '../../api/flow-records.ts';

type Run = Pick<RunDetail, 'status' | 'waitsFor' | 'missingVersion'> & {
  readonly steps: readonly Pick<RunDetail['steps'][number], 'kind' | 'state'>[];
};

/** Causes of a wait that end by themselves, or by an answer, an event or another run: resuming changes nothing. */
const OWN_END = /^(?:approval:|event:|run:|time$)/;

/** Tells whether a run needs a person to go on: it is blocked, or nothing that it waits for can come by itself. */
export const isResumable = ({ status, waitsFor = [], missingVersion }: Run): boolean =>
  status === 'blocked' ||
  missingVersion === true ||
  (status === 'waiting' && !waitsFor.some((cause) => OWN_END.test(cause)));

/** Lists the events that a run waits for, as far as is known. */
export const awaitedEvents = ({ waitsFor = [] }: Pick<Run, 'waitsFor'>): readonly string[] =>
  waitsFor
    .filter((cause) => cause.startsWith('event:'))
    .map((cause) => cause.slice('event:'.length));

/** Tells whether a run, or one of its branches, waits for an event. */
export const takesEvents = (run: Run): boolean =>
  awaitedEvents(run).length > 0 ||
  run.steps.some(({ kind, state }) => kind === 'event' && state === 'open');
