/** Finds the tool and the version. Disabled, unknown and circular calls end here. */
import type { Call, CallRequest, Next, ReadyTool } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Registry } from '../../registry/registry.ts';
import { failed } from '../outcome.ts';
import { evidenceOf, prove } from '../pipeline.ts';

export interface ResolveDeps {
  readonly tools: Pick<Registry, 'ready' | 'suggest' | 'unmetDependency'>;
  readonly maxCallDepth: number;
  /** Tools whose file in the project is not trusted as it is now, by the name of the file. */
  readonly untrustedTools?: ReadonlySet<string> | undefined;
}

const DECIDE = 'Look at what is in .toolcrib and decide: toolcrib trust';

/** Says which tool would call itself, or that calls are nested too deeply. */
const cycleIn = (call: CallRequest, name: string, maxDepth: number): string | undefined => {
  let depth = 0;
  for (let up = call.parent; up; up = up.parent) {
    if (evidenceOf(up).ready?.tool.name === name) return `${name} would call itself.`;
    if (++depth >= maxDepth) return `Tools call each other more than ${maxDepth} levels deep.`;
  }
  return undefined;
};

const refused = (call: CallRequest, { tool: { name }, quarantined }: ReadyTool): ToolResult =>
  quarantined
    ? failed(call, 'TOOL_QUARANTINED', {
        suggestions: [`Look at it and let it out with: toolcrib tools accept ${name}`],
      })
    : failed(call, 'TOOL_DISABLED', {
        suggestions: [`Enable it with: toolcrib tools enable ${name}`],
      });

const dependent = (call: CallRequest, unmet: string): ToolResult =>
  failed(call, 'DEPENDENCY_MISSING', {
    message: `The tool depends on others that it cannot use: ${unmet}.`,
    suggestions: ['Register, enable or correct them; crib.tools.dependencies(name) lists all.'],
  });

/** Refuses a missing tool; says so when its file is not trusted: "not found" would mislead its author. */
const absent = (call: CallRequest, { tools, untrustedTools }: ResolveDeps): ToolResult => {
  if (untrustedTools?.has(call.toolName)) {
    return failed(call, 'PERMISSION_DENIED', {
      message: 'The file of this tool is not trusted as it is now, so the tool is off.',
      suggestions: [DECIDE],
    });
  }
  const near = tools.suggest(call.toolName);
  return failed(call, 'TOOL_NOT_FOUND', {
    suggestions: [
      ...(near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []),
      ...(untrustedTools?.size
        ? [`Some tool files here are not trusted as they are now. ${DECIDE}`]
        : []),
    ],
  });
};

export const resolve = (deps: ResolveDeps): Stage<never, 'ready'> => {
  const { tools, maxCallDepth } = deps;
  const admit = (
    call: CallRequest,
    ready: ReadyTool,
    next: Next<Call<'ready'>>,
  ): Promise<ToolResult> => {
    const resolved = prove(call, 'ready', ready);
    if (!ready.enabled) return Promise.resolve(refused(call, ready));
    if (call.parent) {
      const message = cycleIn(call, ready.tool.name, maxCallDepth);
      if (message !== undefined) return Promise.resolve(failed(call, 'CALL_CYCLE', { message }));
    }
    if (ready.tool.dependencies?.length) {
      const unmet = tools.unmetDependency(ready.tool);
      if (unmet !== undefined) return Promise.resolve(dependent(call, unmet));
    }
    if (ready.deprecated) {
      call.notes.warnings ??= [];
      call.notes.warnings.push(
        `Version ${ready.tool.version} of ${ready.tool.name} is deprecated.`,
      );
    }
    return next(resolved);
  };
  const admitLoaded = async (
    call: CallRequest,
    loading: Promise<ReadyTool>,
    next: Next<Call<'ready'>>,
  ): Promise<ToolResult> => admit(call, await loading, next);

  return function resolve(call, next) {
    const ready = call.internal ?? tools.ready(call.toolName, call.options.version);
    if (ready === undefined) return Promise.resolve(absent(call, deps));
    if (ready instanceof Promise) return admitLoaded(call, ready, next);
    return admit(call, ready, next);
  };
};
