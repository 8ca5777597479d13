/** Formats an error for people: what is wrong, where, and what to do next. */
import type { Colors } from 'picocolors/types.js';
import type { ErrorCode, Issue, ToolError } from '../../contract/errors.ts';
import { issuesBeside } from '../../kit/text/issues-text.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { shellQuote } from './format-units.ts';

const pathOf = ({ path }: Issue): string => path.map(String).join('.');

/** Names the subject of an issue without a path; for other codes the message names it. */
const WHOLE: Partial<Record<ErrorCode, string>> = { VALIDATION_ERROR: '(whole input)' };

/**
 * Keeps the line breaks of configuration errors, which Toolcrib wrote; in other messages they could fake
 * further output.
 */
const messageOf = ({ code, message }: ToolError): string =>
  code === 'CONFIG_INVALID'
    ? message.split('\n').map(visibleText).join('\n  ')
    : visibleText(message);

/** Names the call of which nobody knows whether it took effect: a person has to look at it. */
const doubtLine = ({ inDoubt }: ToolError, ink: Colors): readonly string[] =>
  inDoubt === undefined
    ? []
    : [
        `  ${ink.cyan('→')} Look what it did: toolcrib audit show ${visibleText(shellQuote(inDoubt))}`,
      ];

export const errorLines = (error: ToolError, ink: Colors): readonly string[] => [
  `${ink.red('✗')} ${ink.bold(error.code)}: ${messageOf(error)}`,
  ...(error.cause ? [`  last attempt: ${error.cause}`] : []),
  ...issuesBeside(error.message, error.issues).map((issue) => {
    const place = issue.path.length > 0 ? pathOf(issue) : WHOLE[error.code];
    const where = place === undefined ? '' : `${ink.yellow(visibleText(place))}: `;
    return `  ${where}${visibleText(issue.message)}`;
  }),
  ...doubtLine(error, ink),
  ...error.suggestions.map((suggestion) => `  ${ink.cyan('→')} ${visibleText(suggestion)}`),
];
