/** Puts off the making of a schema until something is checked with it: most of them never are. */

/** Made once, at the first call. */
export const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};
