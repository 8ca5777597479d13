/** Counts what a vitest JSON report says, and never calls a broken run a clean one. */

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** A file that failed without a failed test could not be loaded: that is one failure. */
const failuresOf = ({ status, assertionResults = [] }) => {
  const failed = assertionResults.filter((test) => test.status === 'failed').length;
  return status === 'failed' ? Math.max(failed, 1) : failed;
};

/**
 * @param {{ testResults?: { status: string, assertionResults?: { status: string }[] }[] } | undefined} report
 *   what the run wrote, or nothing when it died before it could
 * @param {number} exitCode of the run: a non-zero one with no failed test is still a failure
 */
export const countTests = (report, exitCode) => {
  const files = report?.testResults ?? [];
  const statuses = files.flatMap(({ assertionResults = [] }) =>
    assertionResults.map(({ status }) => status),
  );
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = sum(files.map(failuresOf));
  return {
    passed,
    failed: exitCode === 0 ? failed : Math.max(failed, 1),
    skipped: statuses.filter((status) => status !== 'passed' && status !== 'failed').length,
  };
};
