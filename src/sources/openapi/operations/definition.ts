/** What was read of an OpenAPI source, as it is cached: its documents by their addresses. */
import { isRecord } from '../../../kit/data/is-record.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface OpenapiDefinition {
  readonly format: 1;
  /** The address of the document that the source names. */
  readonly root: string;
  /** Every document that was read, by its address. Addresses of files are relative to the project. */
  readonly documents: Readonly<Record<string, unknown>>;
}

/** Says whether cached data is a definition that this version can read. */
export const isDefinition = (value: unknown): value is OpenapiDefinition =>
  isRecord(value) &&
  value.format === 1 &&
  typeof value.root === 'string' &&
  isRecord(value.documents) &&
  isRecord(value.documents[value.root]);
