/** A type whose fields can be assigned one by one, which is several times as fast as spreading objects. */

export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
