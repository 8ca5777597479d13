/** Validates an input that is written out in full, as the pipeline will when the step is run. */
import type { Issue } from '../../../contract/errors.ts';
import type { Schema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isForm, type Misfit } from './schema-fit.ts';

interface Literal {
  readonly value: unknown;
}

const literalList = (specs: readonly unknown[]): Literal | undefined => {
  const parts = specs.map(literalOf);
  return parts.every((part) => part !== undefined)
    ? { value: parts.map(({ value }) => value) }
    : undefined;
};

/** Gives the value that a specification stands for; nothing where a part is worked out at run time. */
const literalOf = (spec: unknown): Literal | undefined => {
  if (Array.isArray(spec)) return literalList(spec);
  if (!isRecord(spec)) return { value: spec };
  if (isForm(spec, 'from') || isForm(spec, 'cel')) return undefined;
  if (isForm(spec, 'value')) return { value: spec.value };
  const names = Object.keys(spec);
  const list = literalList(Object.values(spec)) as { readonly value: unknown[] } | undefined;
  return list && { value: Object.fromEntries(names.map((name, at) => [name, list.value[at]])) };
};

/** Finds where a part of the value is written; a field that is not there is placed where it is missing. */
const placeOf = (issue: Issue, spec: unknown): Misfit => {
  const path: (string | number)[] = [];
  let at = spec;
  let isLiteral = false;
  // What is inside a literal is taken as it is, even where it looks like one.
  const enterLiteral = (): void => {
    if (isLiteral || !isRecord(at) || !isForm(at, 'value')) return;
    isLiteral = true;
    path.push('value');
    at = at.value;
  };
  for (const key of issue.path) {
    enterLiteral();
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) {
      return { path, message: `${key} ${issue.message}`, missing: String(key) };
    }
    path.push(key);
    at = Reflect.get(at, key);
  }
  enterLiteral();
  return { path, message: issue.message };
};

/** Says whether one fault makes the other: it is the same, or in a part that does not fit as a whole. */
const causes = (reported: Misfit, { path, missing }: Misfit): boolean =>
  (reported.missing === undefined || reported.missing === missing) &&
  reported.path.every((part, at) => path[at] === part);

/** Lists what the schema refuses in an input without references, but for what is reported already. */
export const literalMisfits = (
  spec: unknown,
  schema: Schema,
  reported: readonly Misfit[],
): readonly Misfit[] => {
  const literal = literalOf(spec);
  const checked = literal && schema.validate(literal.value);
  if (!checked || checked.ok) return [];
  return checked.issues
    .map((issue) => placeOf(issue, spec))
    .filter((misfit) => !reported.some((each) => causes(each, misfit)));
};
