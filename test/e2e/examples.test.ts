import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../examples');

describe('examples', () => {
  it.each(readdirSync(folder))('%s runs and its own assertions hold', async (story) => {
    const { stdout } = await run(process.execPath, [join(folder, story, 'run.mjs')]);
    expect(stdout).not.toBe('');
  });
});
