/**
 * Checks whether a tool would work if it were called now. Each check has a time limit; one that throws
 * or does not answer counts as broken. The tool itself is never run.
 */
import type { CatalogEntry } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { HealthCheck, ToolRecord } from '../../contract/health.ts';
import type { Tool } from '../../contract/tool.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { propertyOf, reasonOf } from '../../kit/data/reason-of.ts';
import { adviceOf, broken, notSetUp, ok } from './findings.ts';
import type { ToolCheckDeps } from './health-deps.ts';
import { TOOL_NEEDS } from './tool-needs.ts';
import { circuitCheck, readToolRecord } from './tool-record.ts';

export interface CheckedTool {
  readonly checks: readonly HealthCheck[];
  /** Absent when the record cannot be read. */
  readonly record?: ToolRecord;
}

/** Asks the tool's own check. One that was begun earlier and has not answered is not begun again. */
const askTool =
  (tool: Tool, { pending }: ToolCheckDeps) =>
  async (): Promise<unknown> => {
    pending.add(tool.name);
    try {
      return await tool.healthCheck?.();
    } finally {
      pending.delete(tool.name);
    }
  };

const ownCheck = async (tool: Tool, deps: ToolCheckDeps): Promise<readonly HealthCheck[]> => {
  if (!tool.healthCheck) return [];
  const name = 'own check';
  if (deps.pending.has(tool.name)) {
    return [broken(name, 'An earlier check has not answered yet')];
  }
  // The tool's own code answers: only a plain `true` counts, and a getter may throw.
  const answer = await within(deps.runtime, deps.timeoutMs, askTool(tool, deps));
  const message = propertyOf(answer, 'message');
  const text = typeof message === 'string' && message !== '' ? message : undefined;
  return propertyOf(answer, 'healthy') === true
    ? [ok(name, text ?? 'It says it is well')]
    : [broken(name, text ?? 'It says it is not well')];
};

const switchCheck = ({ enabled, quarantine, tool }: CatalogEntry): readonly HealthCheck[] => {
  const { name } = tool;
  if (quarantine) {
    const fix = `Look at it and let it out with: toolcrib tools accept ${name}`;
    return [notSetUp(broken('lock', `In quarantine: ${quarantine.reason}`, fix))];
  }
  const fix = `Switch it on: toolcrib tools enable ${name}`;
  return enabled ? [] : [notSetUp(broken('switch', 'It is switched off', fix))];
};

const CHECKS = [['own check', ownCheck], ...TOOL_NEEDS] as const;

/** Extra time for checks with a time limit of their own, whose message is more precise than ours. */
const GRACE_MS = 500;

/** Tells whether a check failed because something is not installed or configured here. */
const isMissing = (error: unknown): boolean =>
  error instanceof ToolFailure &&
  (error.code === 'DEPENDENCY_MISSING' || error.code === 'AUTH_MISSING');

/** Runs all checks; one that throws or takes too long counts as broken. */
const runChecks = async (tool: Tool, deps: ToolCheckDeps): Promise<readonly HealthCheck[]> => {
  const results = await Promise.all(
    CHECKS.map(async ([name, check]) => {
      try {
        return await within(deps.runtime, deps.timeoutMs + GRACE_MS, () => check(tool, deps));
      } catch (error) {
        const finding = broken(name, reasonOf(error), adviceOf(error));
        return [isMissing(error) ? notSetUp(finding) : finding];
      }
    }),
  );
  return results.flat();
};

/**
 * Marks a failed own check as not set up where a prerequisite is missing, because that explains it: a
 * tool whose program was never installed is no outage.
 */
const explained = (checks: readonly HealthCheck[]): readonly HealthCheck[] => {
  const lacks = checks.some((check) => check.state === 'broken' && check.notSetUp);
  return checks.map((check) =>
    lacks && check.name === 'own check' && check.state === 'broken' ? notSetUp(check) : check,
  );
};

/** Checks one tool. Never rejects. The code of a tool in quarantine is not run. */
export const checkTool = async (entry: CatalogEntry, deps: ToolCheckDeps): Promise<CheckedTool> => {
  const { tool, quarantine } = entry;
  const { audit, breaker, runtime } = deps;
  const read = (): Promise<ToolRecord | undefined> =>
    audit ? readToolRecord(audit, tool.name) : Promise.resolve(undefined);
  const record = await within(runtime, deps.timeoutMs, read).catch(() => undefined);
  const circuit = deps.circuit(tool.name);
  const checks = [
    ...switchCheck(entry),
    ...(quarantine ? [] : explained(await runChecks(tool, deps))),
    ...circuitCheck(tool, { record, circuit, breaker, now: runtime.now() }),
  ];
  return {
    checks: checks.length > 0 ? checks : [ok('tool', 'It needs nothing')],
    ...(record && { record }),
  };
};
