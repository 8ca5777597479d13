/**
 * On the way out: makes the result plain data, takes secrets out, cuts it for a model, and turns
 * what is too large into a handle that can be paged.
 */
import type { CallRequest } from '../../contract/call.ts';
import type { ResultHandle, ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Results } from '../../contract/store.ts';
import { cutForModel, type ModelLimits } from '../../governance/cut-for-model.ts';
import { type PlainData, plainData } from '../../governance/plain-data.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { redactError } from '../as-tool-error.ts';
import { failed } from '../outcome.ts';

export interface GovernResultDeps {
  readonly redactor: Redactor;
  readonly results: Results;
  readonly limits: ModelLimits & { readonly maxResultBytes: number };
  newHandle(): string;
}

const PREVIEW_CHARS = 2000;

const warn = (call: CallRequest, message: string): void => {
  call.notes.warnings ??= [];
  call.notes.warnings.push(message);
};

const store = async (
  call: CallRequest,
  data: unknown,
  deps: GovernResultDeps,
): Promise<ResultHandle> => {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  const handle = deps.newHandle();
  const { executionId } = call;
  await deps.results.put({ handle, userId: call.caller.userId, executionId, text });
  warn(call, `The result is too large to return at once; read it by its handle ${handle}.`);
  return { handle, bytes: Buffer.byteLength(text), preview: text.slice(0, PREVIEW_CHARS) };
};

/** `undefined` for data that has no end. */
const plain = (data: unknown, redactor: Redactor): PlainData | undefined => {
  try {
    return plainData(data, redactor);
  } catch {
    return undefined;
  }
};

const govern = (
  call: CallRequest,
  result: ToolResult,
  deps: GovernResultDeps,
): ToolResult | Promise<ToolResult> => {
  const clean = plain(result.data, deps.redactor);
  if (!clean) {
    return failed(call, 'OUTPUT_INVALID', { message: 'The result is circular or too deep.' });
  }
  if (clean.bytes > deps.limits.maxResultBytes) {
    return store(call, clean.data, deps).then((data) => ({ ...result, data }));
  }
  if (call.options.audience === 'model') {
    const data = cutForModel(clean.data, deps.limits, (what) => warn(call, `Shortened: ${what}.`));
    return { ...result, data };
  }
  return clean.data === result.data ? result : { ...result, data: clean.data };
};

export const governResult = (deps: GovernResultDeps): Stage<'ready' | 'budget'> =>
  async function governResult(call, next) {
    const result = await next(call);
    if (result.success && result.data !== undefined) return govern(call, result, deps);
    // Here too, not only when it is recorded: a replay keeps the result as it is from here on.
    return result.error ? { ...result, error: redactError(result.error, deps.redactor) } : result;
  };
