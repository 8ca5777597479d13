/**
 * Reads jobs from the log of QStash: what happened to each message, newest first. A message whose body is
 * not in the log is left out, because nobody can tell whose job it is.
 */
import { toolError } from '../../contract/errors.ts';
import type { Job, JobFilter, JobState, NewJob } from '../../contract/queue.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { DEFAULT_LIMIT } from '../job-table.ts';
import { askQstash, type QstashApiDeps } from './qstash-api.ts';

/** Events of one page: each may hold a payload of a megabyte. */
const PAGE = 20;
/** The most pages of one list. */
const MAX_PAGES = 50;

interface MessageEvent {
  readonly time: number;
  readonly state: string;
  readonly messageId: string;
  readonly nextDeliveryTime?: number;
  readonly body?: string;
}

/** What is known of one message; events are added newest first. */
interface MessageStory {
  readonly newest: MessageEvent;
  oldest: MessageEvent;
  deliveries: number;
  job: NewJob | undefined;
}

const STATES: Readonly<Record<string, JobState>> = {
  CREATED: 'waiting',
  ACTIVE: 'active',
  IN_PROGRESS: 'active',
  RETRY: 'delayed',
  // A retry or the end follows.
  ERROR: 'delayed',
  DELIVERED: 'completed',
  FAILED: 'dead',
  CANCEL_REQUESTED: 'cancelled',
  CANCELLED: 'cancelled',
  CANCELED: 'cancelled',
};

/** Under which the messages of a job are found. */
export const labelOf = (jobId: string): string => `toolcrib-${sha256Hex(jobId).slice(0, 40)}`;

const isEvent = (value: unknown): value is MessageEvent =>
  isRecord(value) &&
  typeof value.messageId === 'string' &&
  typeof value.state === 'string' &&
  Number.isFinite(Number(value.time));

/** Reads the job in the body of a message; nothing for messages of other programs. */
export const jobInBody = (base64: unknown): NewJob | undefined => {
  if (typeof base64 !== 'string') return undefined;
  try {
    const job: unknown = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
    const isJob = isRecord(job) && typeof job.id === 'string' && isRecord(job.caller);
    return isJob && typeof job.queue === 'string' ? (job as unknown as NewJob) : undefined;
  } catch {
    return undefined;
  }
};

const storiesOf = (events: readonly MessageEvent[]): readonly MessageStory[] => {
  const stories = new Map<string, MessageStory>();
  for (const event of events) {
    const story = stories.get(event.messageId) ?? {
      newest: event,
      oldest: event,
      deliveries: 0,
      job: undefined,
    };
    story.oldest = event;
    story.job ??= jobInBody(event.body);
    if (event.state.toUpperCase() === 'ACTIVE') story.deliveries += 1;
    stories.set(event.messageId, story);
  }
  return [...stories.values()];
};

const gaveUp = () =>
  toolError('EXECUTION_FAILED', 'QStash has given up: the last delivery failed.', {
    suggestions: ['The log of QStash has the answer of the worker. Put the job back with requeue.'],
  });

const jobOf = ({ newest, deliveries }: MessageStory, job: NewJob, now: number): Job => {
  const named = newest.state.toUpperCase();
  const { nextDeliveryTime: runAt = job.runAt } = newest;
  const logged = Object.hasOwn(STATES, named) ? (STATES[named] ?? 'waiting') : 'waiting';
  const state = logged === 'waiting' && runAt > now ? 'delayed' : logged;
  const isOver = state === 'completed' || state === 'dead' || state === 'cancelled';
  return {
    ...job,
    runAt,
    state,
    attempts: Math.max(deliveries, state === 'completed' || state === 'dead' ? 1 : 0),
    ...(isOver && { finishedAt: Number(newest.time) }),
    ...(state === 'dead' && { error: gaveUp() }),
  };
};

/** Makes one job of all its messages: one that was postponed has several, and the newest counts. */
const jobsOf = (events: readonly MessageEvent[], now: number): readonly Job[] => {
  const newest = new Map<string, MessageStory>();
  for (const story of storiesOf(events)) {
    const { job } = story;
    // The message of a schedule has the schedule's id: the job of its moment has a message of its own.
    if (!job || job.scheduleId === job.id) continue;
    const other = newest.get(job.id);
    if (!other || other.oldest.time < story.oldest.time) newest.set(job.id, story);
  }
  return Array.from(newest.values(), (story) => jobOf(story, story.job as NewJob, now));
};

type Query = Readonly<Record<string, string | number | undefined>>;

const readPage = async (
  query: Query,
  deps: QstashApiDeps,
): Promise<{ readonly events: readonly MessageEvent[]; readonly cursor: string | undefined }> => {
  const answer = await askQstash({ method: 'GET', path: 'events', query }, deps);
  if (!isRecord(answer) || !Array.isArray(answer.events)) return { events: [], cursor: undefined };
  const { cursor } = answer;
  const next = typeof cursor === 'string' && cursor !== '' ? cursor : undefined;
  return { events: answer.events.filter(isEvent), cursor: next };
};

interface LogDeps extends QstashApiDeps {
  now(): number;
}

/** Reads one job by its label. */
export const findJob = async (jobId: string, deps: LogDeps): Promise<Job | undefined> => {
  const { events } = await readPage({ label: labelOf(jobId), count: 100 }, deps);
  return jobsOf(events, deps.now()).find(({ id }) => id === jobId);
};

const fits = (job: Job, { queue, type, state, userId }: JobFilter): boolean =>
  (queue === undefined || job.queue === queue) &&
  (type === undefined || job.type === type) &&
  (state === undefined || job.state === state) &&
  (userId === undefined || job.caller.userId === userId);

/** Lists jobs, newest first, as far as the log goes back and at most a thousand events. */
export const listJobs = async (filter: JobFilter, deps: LogDeps): Promise<readonly Job[]> => {
  const { before, limit = DEFAULT_LIMIT } = filter;
  const events: MessageEvent[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readPage({ count: PAGE, cursor }, deps);
    events.push(...page.events);
    cursor = page.cursor;
    const enough = jobsOf(events, deps.now()).filter((job) => fits(job, filter)).length > limit;
    if (cursor === undefined || (enough && before === undefined)) break;
  }
  return jobsOf(events, deps.now())
    .filter((job) => fits(job, filter) && (before === undefined || job.createdAt < before))
    .toSorted((one, other) => other.createdAt - one.createdAt)
    .slice(0, limit);
};
