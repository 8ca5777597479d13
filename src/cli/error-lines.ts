/** An error as a person reads it: what is wrong, where, and what to do next. */
import type { Colors } from 'picocolors/types.js';
import { visibleText } from '../approvers/visible-text.ts';
import type { Issue, ToolError } from '../contract/errors.ts';

const pathOf = ({ path }: Issue): string =>
  path.length === 0 ? '(whole input)' : path.map(String).join('.');

export const errorLines = (error: ToolError, ink: Colors): readonly string[] => [
  `${ink.red('✗')} ${ink.bold(error.code)}: ${visibleText(error.message)}`,
  ...(error.cause ? [`  last attempt: ${error.cause}`] : []),
  ...(error.issues ?? []).map(
    (issue) => `  ${ink.yellow(visibleText(pathOf(issue)))}: ${visibleText(issue.message)}`,
  ),
  ...error.suggestions.map((suggestion) => `  ${ink.cyan('→')} ${visibleText(suggestion)}`),
];
