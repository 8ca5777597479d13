/** Checks one subject within a time limit. The size of the result is limited. */
import { ToolFailure } from '../../contract/errors.ts';
import type { HealthCheck, HealthCheckResult } from '../../contract/health.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { PART_CHECKS } from './check-part.ts';
import { type CheckedTool, checkTool } from './check-tool.ts';
import { adviceOf, broken, stateOf } from './findings.ts';
import type { HealthDeps } from './health-deps.ts';
import { type Subject, subjectId } from './subjects.ts';

/** The longest message that is kept and shown: servers and tools may send any text. */
const MAX_TEXT = 500;
const MAX_CHECKS = 30;
/** Added for tools, whose checks have time limits of their own: this one is the last resort. */
const MARGIN_MS = 2000;

/** Lists all subjects in the order in which they are shown. */
export const allSubjects = (deps: HealthDeps, sandboxes: readonly string[]): readonly Subject[] => [
  ...(['store', 'queue', 'model'] as const).map((kind) => ({ kind, name: kind })),
  ...sandboxes.map((name) => ({ kind: 'sandbox' as const, name })),
  ...deps
    .servers()
    .filter(({ state }) => state !== 'disabled')
    .map(({ name }) => ({ kind: 'server' as const, name })),
  ...deps
    .sources()
    .filter(({ state }) => state !== 'disabled')
    .map(({ name }) => ({ kind: 'source' as const, name })),
  ...deps.tools().map(({ tool }) => ({ kind: 'tool' as const, name: tool.name })),
];

/** Finds a subject, a tool also by its alias, and returns it under its own name; `undefined` when there is none. */
export const knownSubject = (
  { kind, name }: Subject,
  deps: HealthDeps,
  sandboxes: readonly string[],
): Subject | undefined => {
  if (kind === 'tool') {
    const entry = deps.tool(name);
    return entry && { kind, name: entry.tool.name };
  }
  const names: Readonly<Record<typeof kind, readonly string[]>> = {
    store: ['store'],
    queue: ['queue'],
    model: ['model'],
    sandbox: sandboxes,
    server: deps.servers().map((status) => status.name),
    source: deps.sources().map((status) => status.name),
  };
  return names[kind].includes(name) ? { kind, name } : undefined;
};

const examine = async ({ kind, name }: Subject, deps: HealthDeps): Promise<CheckedTool> => {
  if (kind !== 'tool') return { checks: [await PART_CHECKS[kind](deps, name)] };
  const entry = deps.tool(name);
  if (!entry) throw new ToolFailure('NOT_FOUND', 'There is no tool of that name any more.');
  return checkTool(entry, deps);
};

const boundedCheck =
  (redact: HealthDeps['redact']) =>
  ({ message, fix, ...check }: HealthCheck): HealthCheck => {
    const plain = (text: string): string =>
      visibleText(redact(text.slice(0, MAX_TEXT * 4))).slice(0, MAX_TEXT);
    return { ...check, message: plain(message), ...(fix !== undefined && { fix: plain(fix) }) };
  };

/** Checks a subject. Never rejects: a check that throws or takes too long makes it unwell. */
export const checkSubject = async (
  subject: Subject,
  deps: HealthDeps,
): Promise<HealthCheckResult> => {
  const { runtime, timeoutMs, redact } = deps;
  const started = runtime.now();
  const limit = timeoutMs + (subject.kind === 'tool' ? MARGIN_MS : 0);
  const { checks, ...rest } = await within(runtime, limit, () => examine(subject, deps)).catch(
    (error: unknown): CheckedTool => ({
      checks: [broken(subject.kind, reasonOf(error), adviceOf(error))],
    }),
  );
  const state = stateOf(checks);
  const timestamp = runtime.now();
  return {
    subject: subjectId(subject),
    ...subject,
    healthy: state !== 'unwell',
    state,
    checks: checks.slice(0, MAX_CHECKS).map(boundedCheck(redact)),
    timestamp,
    durationMs: Math.max(0, timestamp - started),
    ...rest,
  };
};
