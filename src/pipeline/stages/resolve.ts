/** Finds the tool and the version. Disabled, unknown and circular calls end here. */
import type { Call, CallRequest, Next, ReadyTool } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Registry } from '../../registry/registry.ts';
import { failed } from '../outcome.ts';
import { evidence, prove } from '../pipeline.ts';

export interface ResolveDeps {
  readonly tools: Pick<Registry, 'ready' | 'suggest'>;
  readonly maxCallDepth: number;
}

/** The name that closes a circle, or the depth that is too much. */
const circular = (call: CallRequest, name: string, maxDepth: number): string | undefined => {
  let depth = 0;
  for (let up = call.parent; up; up = up.parent) {
    if (evidence(up, 'ready')?.tool.name === name) return `${name} would call itself.`;
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

export const resolve = ({ tools, maxCallDepth }: ResolveDeps): Stage<never, 'ready'> => {
  const admit = (
    call: CallRequest,
    ready: ReadyTool,
    next: Next<Call<'ready'>>,
  ): Promise<ToolResult> => {
    const found = prove(call, 'ready', ready);
    if (!ready.enabled) return Promise.resolve(refused(call, ready));
    if (call.parent) {
      const message = circular(call, ready.tool.name, maxCallDepth);
      if (message !== undefined) return Promise.resolve(failed(call, 'CALL_CYCLE', { message }));
    }
    if (ready.deprecated) {
      call.notes.warnings ??= [];
      call.notes.warnings.push(
        `Version ${ready.tool.version} of ${ready.tool.name} is deprecated.`,
      );
    }
    return next(found);
  };

  return function resolve(call, next) {
    const ready = call.internal ?? tools.ready(call.toolName, call.options.version);
    if (ready === undefined) {
      const near = tools.suggest(call.toolName);
      return Promise.resolve(
        failed(call, 'TOOL_NOT_FOUND', {
          suggestions: near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : [],
        }),
      );
    }
    if (ready instanceof Promise) return ready.then((tool) => admit(call, tool, next));
    return admit(call, ready, next);
  };
};
