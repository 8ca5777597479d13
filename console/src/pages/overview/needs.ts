/**
 * What waits for a person. Each kind is one entry of `NEED_SOURCES`: where to ask, and what of the answer
 * is worth a look. Another kind is another entry.
 */
import type { AlertRecord } from '../../api/alert-records.ts';
import type { ApprovalRecord, Page } from '../../api/call-records.ts';
import type { Query } from '../../api/create-api.ts';
import type { RunSummary } from '../../api/flow-records.ts';
import type { QueueCounts } from '../../api/job-records.ts';
import type { ToolSummary } from '../../api/tool-records.ts';
import { type HealthOverview, isNotSetUp } from '../../health/health-records.ts';
import { hrefOf } from '../../router/route.ts';
import { questionText } from '../approvals/question-text.ts';
import { budgetBars } from '../costs/budget-bars.ts';
import type { UsageLine } from '../costs/usage-records.ts';
import type { ServerStatus } from '../servers/server-records.ts';
import type { SourceStatus } from '../sources/source-records.ts';
import { rowsOf } from '../sources/source-row.ts';

export interface Need {
  readonly id: string;
  readonly tone: 'bad' | 'warn';
  /** What it is: `Approval`, `Server`. */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly href: string;
}

export interface NeedSource {
  readonly path: string;
  readonly query: Query;
  /** Events after which the answer may be another one. */
  readonly events: readonly string[];
  /** Agents may not ask for it. */
  readonly isForPeople?: boolean;
  needsOf(answer: never, now: number): readonly Need[];
}

const MAX_ITEMS = 200;

const source = <T>(
  entry: Omit<NeedSource, 'needsOf'> & {
    needsOf(answer: T, now: number): readonly Need[];
  },
): NeedSource => entry as NeedSource;

/** Says that a page was not all: one of large entries is short, and must not hide those after it. */
const more = (next: string | undefined, need: Need): readonly Need[] =>
  next === undefined ? [] : [need];

const approvals = source<Page<ApprovalRecord>>({
  path: '/v1/approvals',
  query: { state: 'waiting', limit: MAX_ITEMS },
  events: ['approval.*'],
  needsOf: ({ items, next }, now) => [
    ...more(next, {
      ...{ id: 'approvals', tone: 'warn', kind: 'Approval', title: 'More questions' },
      detail: 'Only the newest are listed here.',
      href: hrefOf(['approvals']),
    }),
    ...items
      .filter(({ expiresAt }) => expiresAt > now)
      .map((record): Need => {
        const { title, note } = questionText(record);
        return {
          ...{ id: `approval ${record.id}`, tone: 'warn', kind: 'Approval', title },
          detail: [note, `for ${record.userId}`].filter((part) => part !== '').join(', '),
          href: hrefOf(['approvals', record.id]),
        };
      }),
  ],
});

/** States in which a server or source does not work until somebody does something. */
const isStuck = (tone: string): boolean => tone === 'bad' || tone === 'warn';

const stuckSources = (rows: ReturnType<typeof rowsOf>): readonly Need[] =>
  rows
    .filter(({ state }) => isStuck(state.tone))
    .map(({ kind, name, state, lastError }) => ({
      id: `source ${kind} ${name}`,
      tone: state.tone === 'bad' ? 'bad' : 'warn',
      kind: kind === 'mcp' ? 'Server' : 'Source',
      title: `${name}: ${state.word}`,
      detail: lastError ?? state.meaning,
      href: hrefOf(['sources', kind, name]),
    }));

const servers = source<Page<ServerStatus>>({
  path: '/v1/servers',
  query: { limit: MAX_ITEMS },
  events: ['server.*'],
  isForPeople: true,
  needsOf: ({ items }) => stuckSources(rowsOf(items, [])),
});

const sources = source<Page<SourceStatus>>({
  path: '/v1/sources',
  query: { limit: MAX_ITEMS },
  events: ['server.*', 'tool.*'],
  isForPeople: true,
  needsOf: ({ items }) => stuckSources(rowsOf([], items)),
});

/** A new source brings hundreds at once, which would hide all else. */
const MAX_QUARANTINED = 3;

const tools = source<Page<ToolSummary>>({
  path: '/v1/tools',
  query: { enabled: false, limit: MAX_ITEMS },
  events: ['tool.*', 'server.*'],
  needsOf: ({ items, next }) => {
    const held = items.filter(({ quarantine }) => quarantine !== undefined);
    const shared = { tone: 'bad', kind: 'Quarantine' } as const;
    if (held.length <= MAX_QUARANTINED) {
      return held.map(({ name, quarantine }) => ({
        ...{ ...shared, id: `tool ${name}`, title: name, detail: quarantine?.reason ?? '' },
        href: hrefOf(['tools', name]),
      }));
    }
    return [
      {
        ...{ ...shared, id: 'tools' },
        title: `${next === undefined ? '' : 'more than '}${held.length} tools`,
        detail: 'New or changed tools from outside run only after a person has looked at them.',
        href: hrefOf(['tools'], { enabled: 'false' }),
      },
    ];
  },
});

const jobs = source<{ readonly items: readonly QueueCounts[] }>({
  path: '/v1/jobs/queues',
  query: {},
  events: [],
  isForPeople: true,
  needsOf: ({ items }) =>
    items
      .filter(({ dead }) => dead > 0)
      .map(({ queue, dead }) => ({
        ...{ id: `jobs ${queue}`, tone: 'bad', kind: 'Jobs' },
        title: `${queue}: ${dead === 1 ? '1 dead job' : `${dead} dead jobs`}`,
        detail: 'Every attempt failed. Put them back or remove them.',
        href: hrefOf(['jobs'], { state: 'dead', queue }),
      })),
});

const APPROVAL = 'approval:';

/** Writes `event:paid` as `event paid`. */
const waitText = (wait: string): string => wait.replace(':', ' ');

const flowsIn = (status: 'blocked' | 'waiting', tone: Need['tone'], detail: string): NeedSource =>
  source<Page<RunSummary>>({
    path: '/v1/flows/runs',
    query: { status, limit: MAX_ITEMS },
    events: ['flow.changed'],
    needsOf: ({ items, next }) => [
      ...more(next, {
        ...{ id: `flows ${status}`, tone, kind: 'Flow', title: `More flows: ${status}` },
        detail: 'Only the newest are listed here.',
        href: hrefOf(['flows'], { status }),
      }),
      ...items
        // Its question has an entry of its own.
        .filter(({ waitsFor = [] }) => !waitsFor.some((wait) => wait.startsWith(APPROVAL)))
        .map(({ id, flow, waitsFor = [] }) => ({
          ...{ id: `flow ${id}`, tone, kind: 'Flow', title: `${flow}: ${status}` },
          detail: waitsFor.length > 0 ? `Waits for ${waitsFor.map(waitText).join(', ')}.` : detail,
          href: hrefOf(['flows', 'run', id]),
        })),
    ],
  });

const budgets = source<{ readonly lines: readonly UsageLine[] }>({
  path: '/v1/usage',
  query: {},
  events: ['call.finished'],
  isForPeople: true,
  needsOf: ({ lines }) =>
    budgetBars(lines)
      .filter(({ fullness }) => fullness === 'full')
      .map(({ key, kind, name, text }) => ({
        ...{ id: `budget ${key}`, tone: 'bad', kind: 'Budget', title: `${kind} ${name}` },
        detail: `Used up: ${text}.`,
        href: hrefOf(['costs']),
      })),
});

const alerts = source<{ readonly items: readonly AlertRecord[] }>({
  path: '/v1/alerts',
  query: {},
  events: ['alert.*'],
  isForPeople: true,
  needsOf: ({ items }) =>
    items
      .filter(({ state, silence }) => state === 'firing' && !silence)
      .map(({ id, definition }) => ({
        id: `alert ${id}`,
        tone: definition.severity === 'critical' ? 'bad' : 'warn',
        ...{ kind: 'Alert', title: id },
        detail: definition.summary ?? definition.when,
        href: hrefOf(['alerts', id]),
      })),
});

/** Servers and sources have entries of their own. */
const OWN_ENTRIES: ReadonlySet<string> = new Set(['server', 'source']);

const health = source<HealthOverview>({
  path: '/v1/health',
  query: {},
  events: ['health.changed'],
  isForPeople: true,
  needsOf: ({ checks }) =>
    checks
      // What was never set up is no outage: the page of health lists it apart.
      .filter((result) => !result.healthy && !OWN_ENTRIES.has(result.kind) && !isNotSetUp(result))
      .map(({ subject, name, kind, checks: findings }) => ({
        ...{ id: `health ${subject}`, tone: 'bad', kind: 'Health', title: name || kind },
        detail:
          findings.find(({ state }) => state === 'broken')?.message ?? 'The last check failed.',
        href: hrefOf(['settings', 'health']),
      })),
});

/** In the order of the list: those first for whom somebody waits. */
export const NEED_SOURCES: readonly NeedSource[] = [
  approvals,
  alerts,
  health,
  tools,
  servers,
  sources,
  jobs,
  flowsIn('blocked', 'bad', 'It cannot go on by itself.'),
  flowsIn('waiting', 'warn', 'It waits for an event or an answer.'),
  budgets,
];
