/** Writes the issues of an error as one text, for messages that have to say what is wrong by themselves. */
import type { Issue } from '../../contract/errors.ts';
import { sentence } from '../../contract/sentence.ts';

const MAX_ISSUES = 10;

export const issueText = ({ path, message }: Issue): string =>
  path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message;

/** Makes a sentence of an issue. */
export const issueSentence = ({ path, message }: Issue): string =>
  sentence(`${path.map(String).join('.')} ${message}`);

/** Joins the first ten issues. */
export const issuesText = (issues: readonly Issue[]): string =>
  issues.slice(0, MAX_ISSUES).map(issueText).join('; ');

/** Gives the issues that a message does not say already, for surfaces that show both. */
export const issuesBeside = (message: string, issues: readonly Issue[] = []): readonly Issue[] =>
  message.endsWith(issuesText(issues)) && issues.length <= MAX_ISSUES
    ? []
    : issues.filter((issue) => message !== issue.message && message !== issueText(issue));
