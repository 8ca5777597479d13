/**
 * Returns the stored result for a known idempotency key or a cached call: no second effect, cost or
 * question. A key whose first call is in doubt is never run again silently.
 */
import type { Call, Next } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { ReplayClaim, ReplayRequest, Replays } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import { canonicalJson, digestOf } from '../../kit/data/canonical-json.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import { DURABLE_MS, DurableWork } from '../durable-work.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';
import { effectState } from '../record/audit-entry.ts';
import type { LateWrites } from '../record/late-writes.ts';
import type { ResultCache } from '../record/result-cache.ts';
import type { ToolSettings } from '../tool-settings.ts';

export interface ReplayDeps {
  readonly replays: Replays;
  readonly cache: ResultCache;
  readonly runtime: Runtime;
  readonly late: Pick<LateWrites, 'addCleanUp' | 'attempt'>;
  readonly keepMs: number;
  settingsOf(tool: Tool): ToolSettings;
}

type Checked = Call<'ready' | 'input' | 'grant'>;
type Onward = Next<Call<'ready' | 'input' | 'grant' | 'fresh'>>;

const replayed = (call: Checked, stored: ToolResult): ToolResult => {
  call.notes.cached = true;
  const { executionId, traceId, startedAt: timestamp } = call;
  const { executionId: replayOf } = stored.metadata;
  return { ...stored, metadata: { ...stored.metadata, executionId, replayOf, traceId, timestamp } };
};

const refusal = (call: Checked, claim: ReplayClaim): ToolResult => {
  if (claim.state === 'mismatch') {
    return failed(call, 'CONFLICT', {
      message: 'This idempotency key was used with another input.',
      suggestions: ['Use a new key for a new call.'],
    });
  }
  if (claim.state === 'running') {
    return failed(call, 'CONFLICT', {
      message: 'A call with this idempotency key is still running.',
      suggestions: ['Wait for it, then send the same call again to get its result.'],
      retryable: true,
      keyHeld: true,
    });
  }
  return failed(call, 'CONFLICT', {
    message: 'The first call with this idempotency key is in doubt: its effect may have happened.',
    suggestions: ['Check what it did, then use a new key if it has to be done.'],
    ...(claim.state === 'unknown' && { inDoubt: claim.executionId }),
  });
};

/** Tells whether the broker sees all that the tool does; foreign code in this process may act past it. */
const isConfined = ({ source, sandboxed }: Tool): boolean =>
  source === 'builtin' || sandboxed === true;

/** Tells whether a call was cancelled because its process leaves, and not by anybody who knows its run or job. */
const wasCutOff = (call: Checked, result: ToolResult): boolean =>
  call.notes.stopped &&
  result.error?.code === 'CANCELLED' &&
  DurableWork.of(call)?.isCutOff === true;

/** Marks the result of a call that was cut off as in doubt, unless it may be made again. */
const withDoubt = (call: Checked, result: ToolResult): ToolResult => {
  if (!wasCutOff(call, result)) return result;
  if (!call.notes.effectPossible || call.ready.tool.idempotent) return result;
  return failed(call, 'CANCELLED', {
    message: 'The call was cut off when its process ended: its effect may have happened.',
    suggestions: ['Check what it did before it is done again.'],
    inDoubt: call.executionId,
  });
};

/**
 * Tells whether a key keeps a result. A call that was refused without effect, or that failed and is
 * known to have changed nothing (a full disk), may be tried again, and so may one of an idempotent tool.
 */
const isFinal = (call: Checked, result: ToolResult): boolean => {
  if (result.success) return true;
  const isRepeatable = result.error.retryable || wasCutOff(call, result);
  if (call.ready.tool.idempotent && isRepeatable) return false;
  if (!call.notes.effectPossible) return false;
  const isWithoutEffect =
    !call.notes.stopped && effectState(call, result) === 'not_done' && isConfined(call.ready.tool);
  return !isWithoutEffect;
};

/** Makes the result to store under the key of a call that threw after its tool ran. */
const inDoubt = (call: Checked): ToolResult =>
  failed(call, 'STORE_UNAVAILABLE', {
    message: 'The tool ran, but its outcome could not be recorded: the call is in doubt.',
    suggestions: ['Check what happened before calling again with a new key.'],
    retryable: false,
    inDoubt: call.executionId,
  });

/**
 * Stores the result under the key, or frees the key; later where the store fails, since the call has ended
 * as it has. Until then the key is held, and nobody makes the call again.
 */
const settleKey = async (
  call: Checked,
  result: ToolResult | undefined,
  { key, replays, runtime, late, keepMs }: ReplayDeps & { readonly key: string },
): Promise<void> => {
  const { executionId } = call;
  const final = result ?? inDoubt(call);
  const expiresAt = runtime.now() + (DurableWork.of(call) ? DURABLE_MS : keepMs);
  try {
    await late.attempt(() =>
      isFinal(call, final)
        ? replays.finish({ key, executionId }, final, expiresAt)
        : replays.abandon(key, executionId),
    );
  } catch (error) {
    const text = thrownText(error);
    runtime.log.error('a key could not be settled', { executionId, error: text });
  }
};

/** Names a key in the store. Those of inner calls are apart: no key that a caller sends is one of them. */
const storedKey = ({ caller, ready, parent }: Checked, idempotencyKey: string): string => {
  const parts = [caller.userId, ready.tool.name, idempotencyKey];
  return canonicalJson(parent ? [...parts, 'inner'] : parts);
};

/** Claims the key. When the answer is lost after the store has committed, the key is freed later. */
const claimKey = async (
  request: ReplayRequest,
  { replays, late }: ReplayDeps,
): Promise<ReplayClaim> => {
  try {
    return await replays.claim(request);
  } catch (error) {
    late.addCleanUp(() => replays.abandon(request.key, request.executionId));
    throw error;
  }
};

const onceByKey = async (
  call: Checked,
  next: Onward,
  deps: ReplayDeps & { readonly idempotencyKey: string },
): Promise<ToolResult> => {
  const { executionId } = call;
  const key = storedKey(call, deps.idempotencyKey);
  const now = deps.runtime.now();
  const request = { key, digest: digestOf(call.input), executionId, now };
  let claim = await claimKey(request, deps);
  if (claim.state === 'unknown') {
    // One step: the process may only have been silent, and begin the call at this moment.
    await deps.replays.abandonDead(key, claim.executionId);
    claim = await claimKey(request, deps);
  }
  if (claim.state === 'done') return replayed(call, claim.result);
  if (claim.state !== 'new') return refusal(call, claim);
  call.notes.claim = key;
  let result: ToolResult | undefined;
  try {
    result = withDoubt(call, await next(prove(call, 'fresh', true)));
    return result;
  } finally {
    await settleKey(call, result, { ...deps, key });
  }
};

const throughCache = async (call: Checked, next: Onward, deps: ReplayDeps): Promise<ToolResult> => {
  const rule = deps.settingsOf(call.ready.tool).cache;
  const key = deps.cache.keyOf(call);
  const stored = deps.cache.get(key);
  if (stored) return replayed(call, stored);
  const read = deps.cache.begin(key);
  try {
    const result = await next(prove(call, 'fresh', true));
    if (rule && result.success) {
      const resourcesUsed = [...(call.notes.resources ?? [])];
      deps.cache.keep(read, { ...result, metadata: { ...result.metadata, resourcesUsed } }, rule);
    }
    return result;
  } finally {
    deps.cache.end(read);
  }
};

export const replay = (deps: ReplayDeps): Stage<'ready' | 'input' | 'grant', 'fresh'> =>
  function replay(call, next) {
    const { idempotencyKey, dryRun } = call.options;
    if (dryRun) return next(prove(call, 'fresh', true));
    if (idempotencyKey !== undefined) return onceByKey(call, next, { ...deps, idempotencyKey });
    if (deps.settingsOf(call.ready.tool).cache) return throughCache(call, next, deps);
    return next(prove(call, 'fresh', true));
  };
