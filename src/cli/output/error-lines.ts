/** Formats an error for people: what is wrong, where, and what to do next. */
import type { Colors } from 'picocolors/types.js';
import type { Issue, ToolError } from '../../contract/errors.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

const pathOf = ({ path }: Issue): string =>
  path.length === 0 ? '(whole input)' : path.map(String).join('.');

/** Leaves out issues that the message says already. */
const issuesOf = ({ message, issues = [] }: ToolError): readonly Issue[] =>
  issues.filter(
    (issue) => message !== issue.message && message !== `${pathOf(issue)}: ${issue.message}`,
  );

/** Keeps line breaks of configuration errors, which are ours; in other messages they may be a trick. */
const messageOf = ({ code, message }: ToolError): string =>
  code === 'CONFIG_INVALID'
    ? message.split('\n').map(visibleText).join('\n  ')
    : visibleText(message);

export const errorLines = (error: ToolError, ink: Colors): readonly string[] => [
  `${ink.red('✗')} ${ink.bold(error.code)}: ${messageOf(error)}`,
  ...(error.cause ? [`  last attempt: ${error.cause}`] : []),
  ...issuesOf(error).map(
    (issue) => `  ${ink.yellow(visibleText(pathOf(issue)))}: ${visibleText(issue.message)}`,
  ),
  ...error.suggestions.map((suggestion) => `  ${ink.cyan('→')} ${visibleText(suggestion)}`),
];
