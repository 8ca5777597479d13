/** Formats an error for people: what is wrong, where, and what to do next. */
import type { Colors } from 'picocolors/types.js';
import type { ErrorCode, Issue, ToolError } from '../../contract/errors.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

const pathOf = ({ path }: Issue): string => path.map(String).join('.');

/** What an issue without a path is about; the message of other codes says it. */
const WHOLE: Partial<Record<ErrorCode, string>> = { VALIDATION_ERROR: '(whole input)' };

const textOf = (issue: Issue): string =>
  issue.path.length === 0 ? issue.message : `${pathOf(issue)}: ${issue.message}`;

/** Leaves out issues that the message says already. */
const issuesOf = ({ message, issues = [] }: ToolError): readonly Issue[] =>
  message === issues.map(textOf).join('; ')
    ? []
    : issues.filter((issue) => message !== issue.message && message !== textOf(issue));

/** Keeps line breaks of configuration errors, which are ours; in other messages they may be a trick. */
const messageOf = ({ code, message }: ToolError): string =>
  code === 'CONFIG_INVALID'
    ? message.split('\n').map(visibleText).join('\n  ')
    : visibleText(message);

export const errorLines = (error: ToolError, ink: Colors): readonly string[] => [
  `${ink.red('✗')} ${ink.bold(error.code)}: ${messageOf(error)}`,
  ...(error.cause ? [`  last attempt: ${error.cause}`] : []),
  ...issuesOf(error).map((issue) => {
    const place = issue.path.length > 0 ? pathOf(issue) : WHOLE[error.code];
    const where = place === undefined ? '' : `${ink.yellow(visibleText(place))}: `;
    return `  ${where}${visibleText(issue.message)}`;
  }),
  ...error.suggestions.map((suggestion) => `  ${ink.cyan('→')} ${visibleText(suggestion)}`),
];
