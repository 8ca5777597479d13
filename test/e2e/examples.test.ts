import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '../../examples');

const stories = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('examples', () => {
  it('are all named in their README', () => {
    const text = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(stories.filter((story) => !text.includes(`(${story}/run.mjs)`))).toEqual([]);
  });

  it.each(stories)('%s runs and its own assertions hold', async (story) => {
    const { stdout } = await run(process.execPath, [join(folder, story, 'run.mjs')]);
    expect(stdout).not.toBe('');
  });
});
