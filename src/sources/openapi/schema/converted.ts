/** What converting a schema gives, and what it needs to know of the components. */
import type { JsonSchema } from '../../../contract/schema.ts';
import type { Located, Resolver } from '../operations/resolver.ts';
import type { OtherSide } from './other-side.ts';
import type { Side } from './side.ts';

export interface Converted {
  readonly schema: JsonSchema;
  /** The components that it refers to. */
  readonly names: ReadonlySet<string>;
}

export interface Components {
  readonly resolver: Resolver;
  /** Gives what finds the fields that are for the other side only. */
  otherSide(side: Side): OtherSide;
  /** Gives the name of what a reference leads to; `undefined` where it leads nowhere. */
  nameOf(reference: string, address: string): string | undefined;
  /** Gives a component that is small enough to be put in the place of a reference. */
  mergeable(name: string, side: Side): Converted | undefined;
  /** Tells whether what a schema leads to contains itself. */
  isRecursive(schema: Located): boolean;
  /** Gives the schema of a component of any size; `undefined` while it is being converted. */
  whole(name: string, side: Side): JsonSchema | undefined;
}
