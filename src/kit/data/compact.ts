/** Leaves out fields without a value: optional fields of the contract are absent, never `undefined`. */

type Compact<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** Copies the fields that have a value, in their order. */
export const compact = <Fields extends object>(fields: Fields): Compact<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Compact<Fields>;
