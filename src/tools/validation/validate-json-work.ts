/** The work of `validate_json`: finds the faults of a text as JSON, and of its value by a schema. */
import { type JsonFlaw, scanJson } from '../../kit/text/json-scan.ts';
import { type CallerSchema, type CheckValue, loadSchema } from './schema-work.ts';
import { type Finding, positionAt, reportOf, type ValidationReport } from './validation-report.ts';

const MAX_DEPTH = 500;

export interface ValidateJsonJob {
  readonly data: string;
  readonly schema?: CallerSchema | undefined;
}

type Flaw = Pick<JsonFlaw, 'pointer' | 'message' | 'offset'>;

const findingOf = (data: string, { pointer, message, offset }: Flaw): Finding => ({
  path: pointer,
  message,
  ...positionAt(data, offset),
});

/** Finds where the values at some pointers start. */
const offsetsOf = (data: string, pointers: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const offsets = new Map<string, number>();
  scanJson(data, {
    maxDepth: MAX_DEPTH,
    onValue: (pointer, offset) => {
      if (pointers.has(pointer)) offsets.set(pointer, offset);
    },
  });
  return offsets;
};

const validate = (data: string, check: CheckValue | undefined): ValidationReport => {
  const { error, warnings } = scanJson(data, { maxDepth: MAX_DEPTH });
  const hints = warnings.map((warning) => findingOf(data, warning));
  if (error) return reportOf([findingOf(data, error)], hints);
  if (!check) return reportOf([], hints);
  const errors = check(JSON.parse(data));
  const offsets = offsetsOf(data, new Set(errors.map(({ pointer }) => pointer)));
  const findings = errors.map(({ pointer, message }) =>
    findingOf(data, { pointer, message, offset: offsets.get(pointer) ?? 0 }),
  );
  return reportOf(findings, hints);
};

export const prepare = async ({ data, schema }: ValidateJsonJob) => {
  const check = schema === undefined ? undefined : await loadSchema(schema);
  return () => validate(data, check);
};
