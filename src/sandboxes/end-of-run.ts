/** How a run in a thread ended, said as an outcome or as a failure with its place in the code. */
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxOutcome } from '../contract/sandbox.ts';
import type { FromThread, RunEnd, ThrownInCode } from './thread-protocol.ts';

export type Conclusion = { readonly outcome: SandboxOutcome } | { readonly failure: unknown };

export interface RunFacts {
  /** Of the code, as in its stack traces. */
  readonly name: string;
  /** What the host refused, by the id of the request. */
  readonly refusals: ReadonlyMap<number, unknown>;
}

const MAX_CHARACTERS = 2000;

/** The topmost `name:line:column` of a stack. */
const placeIn = (stack: string, name: string): string => {
  const at = stack.indexOf(`${name}:`);
  const [place] = /^:\d+(?::\d+)?/.exec(at < 0 ? '' : stack.slice(at + name.length)) ?? [];
  return place === undefined ? '' : ` (${name}${place})`;
};

const thrownFailure = (text: string, { name, refusals }: RunFacts): unknown => {
  const thrown = JSON.parse(text) as ThrownInCode;
  if (thrown.request !== undefined && refusals.has(thrown.request)) {
    return refusals.get(thrown.request);
  }
  if (thrown.name === 'InternalError' && thrown.message === 'out of memory') return outOfMemory();
  const kind = thrown.name === '' ? '' : `${thrown.name}: `;
  const message = `${kind}${thrown.message || 'thrown without a message'}`;
  const place = placeIn(thrown.stack, name);
  return new ToolFailure('EXECUTION_FAILED', message.slice(0, MAX_CHARACTERS) + place);
};

export const outOfMemory = (): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', 'The sandboxed code ran out of memory or broke its engine.', {
    suggestions: ['Work on less at a time, or raise the memory limit of the tool.'],
  });

const failureOf = (end: Exclude<RunEnd, { how: 'returned' }>, facts: RunFacts): unknown => {
  switch (end.how) {
    case 'threw':
      return thrownFailure(end.text, facts);
    case 'wrote too much':
      return new ToolFailure('OUTPUT_TOO_LARGE', 'The sandboxed code wrote more than it may.', {
        suggestions: ['Return or print less, or raise the output limit of the tool.'],
      });
    case 'waits for nothing':
      return new ToolFailure(
        'EXECUTION_FAILED',
        'The code waits for a promise that never settles.',
      );
    case 'broke':
      return outOfMemory();
  }
};

export const endOfRun = (
  { end, stdout, stderr }: Extract<FromThread, { kind: 'end' }>,
  facts: RunFacts,
): Conclusion => {
  if (end.how !== 'returned') return { failure: failureOf(end, facts) };
  const value: unknown = end.text === undefined ? undefined : JSON.parse(end.text);
  return { outcome: { ...(value !== undefined && { value }), stdout, stderr } };
};
