/** What every control of a form is given. */
import type { ReactNode } from 'react';
import type { Issue, JsonSchema } from '../api/tool-records.ts';

export interface SchemaFieldProps {
  /** As it is called in the input. */
  readonly name: string;
  readonly path: readonly (string | number)[];
  /** Not resolved yet. */
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly isRequired: boolean;
  /** `undefined` when it is left out. */
  readonly value: unknown;
  onChange(value: unknown): void;
  /** Of the whole form. */
  readonly issues: readonly Issue[];
}

/** Draws a field inside another; handed down so that the files need not import each other. */
export type DrawField = (props: SchemaFieldProps) => ReactNode;

const samePath = (a: readonly (string | number)[], b: readonly (string | number)[]): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index]);

/** Finds what is wrong with this very field. */
export const problemOf = ({ issues, path }: SchemaFieldProps): string | undefined =>
  issues.find((issue) => samePath(issue.path, path))?.message;
