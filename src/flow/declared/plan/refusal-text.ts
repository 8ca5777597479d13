/** Says why a call of a plan would be refused before any rule is asked, with the fields that are at fault. */
import { issuesText } from '../../../kit/text/issues-text.ts';
import { thrownError } from '../../../pipeline/record/thrown-error.ts';

export const refusalText = (thrown: unknown): string => {
  const { code, message, issues = [] } = thrownError(thrown);
  return `${code}: ${issues.length === 0 ? message : issuesText(issues)}`;
};
