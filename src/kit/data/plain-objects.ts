/**
 * Makes constructors of plain objects, for objects that every call makes. V8 counts how many objects of
 * a literal survive a garbage collection. Where many calls wait for one commit, most do, so that V8 allocates
 * all of them in the old generation, which is collected seldom: durable calls took a fifth more processor
 * time (`bench/durable.mjs`). V8 does not count the objects of a constructor.
 */

type Fields<T> = { -readonly [name in keyof T]: T[name] };

/** Makes a constructor of plain objects. `assign` sets every field of `this`, always in the same order. */
export const plainObjects = <T extends object, Args extends readonly unknown[]>(
  assign: (this: Fields<T>, ...args: Args) => void,
): (new (
  ...args: Args
) => T) => {
  assign.prototype = Object.prototype;
  return assign as unknown as new (
    ...args: Args
  ) => T;
};
