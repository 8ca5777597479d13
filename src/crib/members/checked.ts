/** Puts the checks of arguments before the methods of a group of members. */
import { type ArgumentChecks, assertArguments } from '../../kit/data/check-arguments.ts';

/** For each method the checks of its arguments, in their order. */
export type MethodChecks<T> = { readonly [Name in keyof T]?: ArgumentChecks };

type Method = (...values: readonly unknown[]) => unknown;

/**
 * The methods that return no promise. They throw; the others reject, as they do on any other
 * failure.
 */
export interface SyncMethods<T> {
  readonly sync?: readonly (keyof T)[];
}

const throwing =
  (target: object, method: Method, checks: ArgumentChecks): Method =>
  (...values) => {
    assertArguments(checks, values);
    return method.apply(target, [...values]);
  };

const rejecting = (target: object, method: Method, checks: ArgumentChecks): Method => {
  const call = throwing(target, method, checks);
  return async (...values) => call(...values);
};

/** Returns the methods that have checks, each with its checks before it; `target` is left alone. */
export const checkedMethods = <T extends object>(
  target: T,
  table: MethodChecks<T>,
  { sync = [] }: SyncMethods<T> = {},
): Partial<T> => {
  const methods: Record<string, Method> = {};
  for (const [name, checks] of Object.entries(table) as [string, ArgumentChecks][]) {
    const isSync = sync.includes(name as keyof T);
    const method = Reflect.get(target, name) as Method;
    methods[name] = (isSync ? throwing : rejecting)(target, method, checks);
  }
  return methods as Partial<T>;
};

/** Returns the group with checks before those of its methods that have some. */
export const checked = <T extends object>(
  target: T,
  table: MethodChecks<T>,
  options?: SyncMethods<T>,
): T => ({
  ...target,
  ...checkedMethods(target, table, options),
});
