/** How many issues one validation reports: enough to mend an input, too few to flood a prompt. */
export const MAX_ISSUES = 100;
