/** Checks one subject within its time, and makes a result of bounded size of what was found. */
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

/** What a check says is kept and shown; servers and tools choose their words themselves. */
const MAX_TEXT = 500;
const MAX_CHECKS = 30;
/** The checks of a tool have limits of their own; this one is for what they may have missed. */
const MARGIN_MS = 2000;

/** Lists everything there is, in the order in which it is shown. */
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

/** Gives the subject under its own name, which may not be the one it was asked by; nothing where there is none. */
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
    ...{ store: ['store'], queue: ['queue'], model: ['model'], sandbox: sandboxes },
    server: deps.servers().map((status) => status.name),
    source: deps.sources().map((status) => status.name),
  };
  return names[kind].includes(name) ? { kind, name } : undefined;
};

const look = async ({ kind, name }: Subject, deps: HealthDeps): Promise<CheckedTool> => {
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

/** Never rejects: what throws or takes too long is unwell. */
export const checkSubject = async (
  subject: Subject,
  deps: HealthDeps,
): Promise<HealthCheckResult> => {
  const { runtime, timeoutMs, redact } = deps;
  const started = runtime.now();
  const limit = timeoutMs + (subject.kind === 'tool' ? MARGIN_MS : 0);
  const { checks, ...rest } = await within(runtime, limit, () => look(subject, deps)).catch(
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
