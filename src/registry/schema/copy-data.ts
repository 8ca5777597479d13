/** Copies plain data, so that filling in defaults never changes what the caller holds. */

export const copyData = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyData);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // `fromEntries` defines each key; assigning would run the setter of `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyData(member)]));
};
