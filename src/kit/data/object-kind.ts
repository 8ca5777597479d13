/**
 * Tells an object with named fields from the built-in kinds that have none to read: a `Map`, a `Date`, a
 * promise that nobody awaited. Read as options they would count as empty ones, and empty options of
 * a call give it all rights of the program.
 */

const kindText = Object.prototype.toString;

/** Names the kind of an object that does not carry named fields, or gives nothing. */
const foreignKind = (value: object): string | undefined => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return undefined;
  const kind = kindText.call(value).slice('[object '.length, -1);
  return kind === 'Object' ? undefined : kind;
};

/** Says what is wrong with an object of such a kind, for the end of a sentence about it. */
export const foreignKindFault = (value: object): string | undefined => {
  const kind = foreignKind(value);
  if (kind === undefined) return undefined;
  return kind === 'Promise'
    ? 'a plain object, not a Promise: is an await missing?'
    : `a plain object, not a ${kind}`;
};
