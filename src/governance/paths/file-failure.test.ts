/** What the system throws becomes a code of the table; what is a bug stays what it is. */
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { fileFailure, onFiles, systemCode } from './file-failure.ts';

const system = (code: unknown) =>
  Object.assign(new Error(`${String(code)}: open '/canary'`), { code });

describe('fileFailure', () => {
  it.each([
    ['ENOENT', 'NOT_FOUND'],
    ['EACCES', 'PERMISSION_DENIED'],
    ['EROFS', 'PERMISSION_DENIED'],
    ['ELOOP', 'SECURITY_VIOLATION'],
    ['ENXIO', 'SECURITY_VIOLATION'],
    ['ENOSPC', 'EXECUTION_FAILED'],
    ['EMFILE', 'LOCK'],
    ['EIO', 'EXECUTION_FAILED'],
  ])('turns %s into %s, without the path', (from, to) => {
    const failure = fileFailure(system(from)) as ToolFailure;
    expect(failure).toBeInstanceOf(ToolFailure);
    expect(failure.code).toBe(to);
    expect(failure.message).not.toContain('canary');
  });

  it('leaves other errors alone', () => {
    for (const error of [new Error('x'), system('ERR_INVALID_ARG_TYPE'), system(7), 'text']) {
      expect(systemCode(error)).toBe('');
      expect(fileFailure(error)).toBe(error);
    }
    expect(fileFailure(system('constructor'))).not.toBeInstanceOf(ToolFailure);
  });

  it('onFiles turns a thrown system error into a coded failure', async () => {
    await expect(onFiles(() => Promise.reject(system('ENOENT')))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await onFiles(async () => 7)).toBe(7);
  });
});
