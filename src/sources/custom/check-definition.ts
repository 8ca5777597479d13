/** Holds a definition against its shape; every fault is told with its place in the file. */
import type { z } from 'zod';
import { BadToolFile, type Place } from './file-problem.ts';

export interface Checked {
  readonly file: string;
  readonly value: unknown;
  place(path: readonly PropertyKey[]): Place;
}

type ZodIssue = z.core.$ZodIssue;

/** One fault for each unknown key, at the key itself. */
const split = (issue: ZodIssue): readonly { path: readonly PropertyKey[]; message: string }[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'is not known here' }))
    : [issue];

const told = (message: string): string => message.replace(/^Invalid input: /, '');

/** Throws `BadToolFile`. */
export const checkDefinition = <S extends z.ZodType>(
  shape: S,
  { file, value, place }: Checked,
): z.output<S> => {
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.flatMap(split);
  throw new BadToolFile(
    faults.map(({ path, message }) => ({
      file,
      ...place(path),
      message: path.length === 0 ? told(message) : `${path.join('.')}: ${told(message)}`,
    })),
  );
};
