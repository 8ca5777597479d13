/** The answer of the validation tools: the faults and their places. */
import { z } from 'zod';

const finding = () =>
  z.strictObject({
    path: z.string().describe('JSON Pointer of the value; empty for the whole document.'),
    message: z.string().describe('What is wrong with it.'),
    line: z.int().optional().describe('The line in the data, counted from 1.'),
    column: z.int().optional().describe('The column in the line, counted from 1.'),
    document: z.int().optional().describe('Which document of several, counted from 1.'),
  });

export const validationReport = () =>
  z.strictObject({
    valid: z.boolean().describe('True when there are no errors.'),
    errors: z.array(finding()).describe('What makes the data invalid.'),
    warnings: z.array(finding()).describe('What is allowed and still likely to be a mistake.'),
  });

export type ValidationReport = z.infer<ReturnType<typeof validationReport>>;
export type Finding = z.infer<ReturnType<typeof finding>>;

const MAX_FINDINGS = 100;

const shortened = (findings: readonly Finding[]): Finding[] => {
  const rest = findings.length - MAX_FINDINGS;
  const shown = findings.slice(0, MAX_FINDINGS);
  return rest > 0 ? [...shown, { path: '', message: `and ${rest} more` }] : shown;
};

export const reportOf = (
  errors: readonly Finding[],
  warnings: readonly Finding[],
): ValidationReport => ({
  valid: errors.length === 0,
  errors: shortened(errors),
  warnings: shortened(warnings),
});

/** Finds line and column of an offset, both counted from 1. */
export const positionAt = (text: string, offset: number): { line: number; column: number } => {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
};
