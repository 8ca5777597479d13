import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { readFlowFile } from './flow-source.ts';

describe('a flow file that is not there', () => {
  it.each([
    ['missing.yml', 'Check the path; it is relative to this directory.'],
    ['research', 'Name the file, not the flow, such as .toolcrib/flows/research.yml.'],
  ])('%s: says what to do', async (typed, advice) => {
    const { io } = fakeIo({ cwd: tmpdir() });
    await expect(readFlowFile(io, typed)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { suggestions: [advice] },
    });
  });
});
