import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { reportThrown } from './report-thrown.ts';

const advice = { help: 'toolcrib --help', doctor: 'toolcrib doctor' };
const reported = (code: string, path?: string) => {
  const error = Object.assign(new Error(`${code}: failed, mkdir`), { code, path });
  const { io, err } = fakeIo({ cwd: '/work' });
  return { exit: reportThrown(io, error, advice), text: err() };
};

describe('a command that the operating system refuses a file', () => {
  it.each([
    ['EACCES', 'This user may not use /a/.toolcrib (EACCES).', 'writable for this user'],
    ['EPERM', 'This user may not use /a/.toolcrib (EPERM).', 'writable for this user'],
    ['EROFS', 'Nothing can be written to /a/.toolcrib (EROFS).', 'read-only'],
    ['ENOSPC', 'There is no room left for /a/.toolcrib (ENOSPC).', 'Free some space'],
  ])('with %s names the path and the remedy, and is no internal error', (code, message, remedy) => {
    const { exit, text } = reported(code, '/a/.toolcrib');
    expect(exit).toBe(1);
    expect(text).toContain(`EXECUTION_FAILED: ${message}`);
    expect(text).toContain(remedy);
  });

  it('stays an internal error without a path, or with a code that nobody expects', () => {
    expect(reported('EACCES').text).toContain('INTERNAL');
    expect(reported('EBADF', '/a').text).toContain('INTERNAL');
  });
});
