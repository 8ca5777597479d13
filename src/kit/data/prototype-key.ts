/** Names of the machinery of objects. */

/** Tells whether a key is one that no setting, tool or field of foreign data may be called. */
export const isPrototypeKey = (key: unknown): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype';
