/** Puts the checks of arguments before the methods of a group of members. */
import { type ArgumentChecks, assertArguments } from '../../kit/data/check-arguments.ts';
import { ownArguments } from './own-arguments.ts';

/** For each method the checks of its arguments, in their order. */
export type MethodChecks<T> = { readonly [Name in keyof T]?: ArgumentChecks };

type Method = (...values: readonly unknown[]) => unknown;

export interface CheckedOptions<T> {
  /**
   * The methods that return no promise. They throw; the others reject, as they do on any other
   * failure.
   */
  readonly sync?: readonly (keyof T)[];
  /** The methods whose arguments are data, which they work on after the call has returned. */
  readonly copied?: readonly (keyof T)[];
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

const copying =
  (method: Method): Method =>
  async (...values) =>
    method(...ownArguments(values));

/** Returns the methods that have checks, each with its checks before it; `target` is left alone. */
export const checkedMethods = <T extends object>(
  target: T,
  table: MethodChecks<T>,
  { sync = [], copied = [] }: CheckedOptions<T> = {},
): Partial<T> => {
  const methods: Record<string, Method> = {};
  for (const [name, checks] of Object.entries(table) as [string, ArgumentChecks][]) {
    const isSync = sync.includes(name as keyof T);
    const method = Reflect.get(target, name) as Method;
    const call = (isSync ? throwing : rejecting)(target, method, checks);
    // Before the checks: they judge the copy.
    methods[name] = copied.includes(name as keyof T) ? copying(call) : call;
  }
  return methods as Partial<T>;
};

/** Returns the group with checks before those of its methods that have some. */
export const checked = <T extends object>(
  target: T,
  table: MethodChecks<T>,
  options?: CheckedOptions<T>,
): T => ({
  ...target,
  ...checkedMethods(target, table, options),
});
