/** The work of `validate_yaml`: finds the faults of each document, also by a schema. */
import { readYaml, type YamlDocument } from './read-yaml.ts';
import { type CallerSchema, type CheckValue, loadSchema } from './schema-work.ts';
import { type Finding, reportOf, type ValidationReport } from './validation-report.ts';

export interface ValidateYamlJob {
  readonly data: string;
  readonly schema?: CallerSchema | undefined;
}

const errorsOf = (document: YamlDocument, check: CheckValue | undefined): readonly Finding[] => {
  if (document.errors.length > 0) return document.errors;
  // Done without a schema too: a document that cannot be turned into data is not usable.
  const value = document.toValue();
  if (!check) return [];
  return check(value).map(({ pointer, message }) => ({
    path: pointer,
    message,
    ...document.placeOf(pointer),
  }));
};

const validate = (
  documents: readonly YamlDocument[],
  check: CheckValue | undefined,
): ValidationReport => {
  const numbered = (findings: readonly Finding[], index: number) =>
    documents.length > 1 ? findings.map((each) => ({ ...each, document: index + 1 })) : findings;
  const errors = documents.map((document, index) => numbered(errorsOf(document, check), index));
  const warnings = documents.map(({ warnings }, index) => numbered(warnings, index));
  return reportOf(errors.flat(), warnings.flat());
};

export const prepare = async ({ data, schema }: ValidateYamlJob) => {
  const yaml = await import('yaml');
  const check = schema === undefined ? undefined : await loadSchema(schema);
  return () => validate(readYaml(yaml, data), check);
};
