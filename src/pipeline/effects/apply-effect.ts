/** Applies each built-in kind of effect, and rolls it back. */
import type { Caller } from '../../contract/caller.ts';
import type { ToolContext } from '../../contract/context.ts';
import type {
  CascadeEffect,
  Effect,
  FromResult,
  MemoryEffect,
  StateChangeEffect,
} from '../../contract/effect.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { MemoryScope } from '../../contract/memory.ts';
import type { ToolResult } from '../../contract/result.ts';
import { plainData } from '../../governance/plain-data.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { isRecord } from '../../kit/data/is-record.ts';

/** Rolls one applied effect back. */
export type Rollback = () => Promise<void>;

export interface EffectDeps {
  readonly events: Events;
  readonly redactor: Redactor;
  /** Undoes a call as the caller who made it, with that caller's rights. */
  undo(executionId: string, caller: Caller): Promise<ToolResult>;
}

interface Scene {
  readonly context: ToolContext;
  readonly caller: Caller;
  readonly result: ToolResult;
  readonly deps: EffectDeps;
}

const from = (value: FromResult | undefined, result: ToolResult): unknown =>
  typeof value === 'function' ? value(result) : value;

/** Evaluates a value from the result and redacts it: the result still holds its secrets. */
const cleanFrom = (value: FromResult | undefined, { result, deps }: Scene): unknown =>
  plainData(from(value, result), deps.redactor).data;

const restore = async (
  { context }: Scene,
  at: { readonly scope: MemoryScope; readonly key: string },
  before: unknown,
): Promise<void> => {
  if (before === undefined) await context.memory.delete(at.scope, at.key);
  else await context.memory.write(at.scope, at.key, before);
};

/** Changes one key and remembers what was there. */
const change = async (
  scene: Scene,
  at: { readonly scope: MemoryScope; readonly key: string },
  act: () => Promise<unknown>,
): Promise<Rollback> => {
  const before = await scene.context.memory.read(at.scope, at.key);
  await act();
  return () => restore(scene, at, before);
};

const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Adds an amount. Rolls back by the inverse, so that what others added meanwhile stays. */
const add = async (amount: number, key: string, { context }: Scene): Promise<Rollback> => {
  const by = (step: number) =>
    context.memory.update('short-term', key, (old) => asNumber(old) + step);
  await by(amount);
  return async () => {
    await by(-amount);
  };
};

/** Changes a state, which is kept in the session's memory under its name. */
const changeState = (effect: StateChangeEffect, scene: Scene): Promise<Rollback> => {
  const { memory } = scene.context;
  const at = { scope: 'short-term', key: effect.state } as const;
  const value = cleanFrom(effect.value, scene);
  if (effect.change === 'increment') return add(asNumber(value ?? 1), at.key, scene);
  if (effect.change === 'decrement') return add(-asNumber(value ?? 1), at.key, scene);
  return change(scene, at, () => {
    if (effect.change === 'clear') return memory.delete(at.scope, at.key);
    return memory.write(at.scope, at.key, value ?? null);
  });
};

const changeMemory = (effect: MemoryEffect, scene: Scene): Promise<Rollback> => {
  const { memory } = scene.context;
  const { scope, key, ttlMs } = effect;
  const value = cleanFrom(effect.value, scene) ?? null;
  return change(scene, { scope, key }, () => {
    if (effect.operation === 'delete') return memory.delete(scope, key);
    if (effect.operation === 'update') {
      // Objects are merged, anything else is replaced.
      return memory.update(scope, key, (old) =>
        isRecord(old) && isRecord(value) ? { ...old, ...value } : value,
      );
    }
    if (ttlMs !== undefined) return memory.writeFor(ttlMs, { scope, key }, value);
    return memory.write(scope, key, value);
  });
};

const cascade = async (effect: CascadeEffect, scene: Scene): Promise<Rollback> => {
  if (effect.triggerCondition && !effect.triggerCondition(scene.result)) return async () => {};
  const input = from(effect.input, scene.result);
  const cascaded = await scene.context.call(effect.triggerTool, input);
  if (!cascaded.success) {
    const { code, message } = cascaded.error ?? { code: 'EXECUTION_FAILED', message: 'no reason' };
    throw new ToolFailure('EFFECT_FAILED', `${effect.triggerTool} failed: ${code}: ${message}`);
  }
  return async () => {
    const undone = await scene.deps.undo(cascaded.metadata.executionId, scene.caller);
    if (undone.success) return;
    throw new ToolFailure('EFFECT_FAILED', `${effect.triggerTool} could not be undone.`);
  };
};

/**
 * Applies an effect; returns how to roll it back, or nothing where that is impossible, as for a
 * notification.
 */
const applyBuiltIn = async (effect: Effect, scene: Scene): Promise<Rollback | undefined> => {
  switch (effect.type) {
    case 'state_change':
      return changeState(effect, scene);
    case 'memory':
      return changeMemory(effect, scene);
    case 'cascade':
      return cascade(effect, scene);
    case 'notification': {
      const payload = cleanFrom(effect.payload, scene);
      const { executionId } = scene.context;
      scene.deps.events.emit('effect.notified', { event: effect.event, payload, executionId });
      return undefined;
    }
  }
};

/**
 * Applies one effect and returns how to take it back, or nothing when it stays whatever happens;
 * throws when it cannot be applied.
 */
export const applyEffect = async (effect: Effect, scene: Scene): Promise<Rollback | undefined> => {
  const { context, result } = scene;
  let builtIn: Rollback | undefined;
  if (effect.apply) await effect.apply(context, result);
  else builtIn = await applyBuiltIn(effect, scene);
  if (!effect.reversible) return undefined;
  const { rollback } = effect;
  if (!rollback) return builtIn;
  return async () => {
    await rollback(context, result);
  };
};
