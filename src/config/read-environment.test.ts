import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from './read-environment.ts';

describe('readEnvironment', () => {
  it('gives a copy', () => {
    const copy = readEnvironment();
    expect(copy.PATH).toBe(process.env.PATH);
    copy.TOOLCRIB_CHANGED_IN_A_COPY = '1';
    expect(process.env.TOOLCRIB_CHANGED_IN_A_COPY).toBeUndefined();
  });

  it('is the only place that reads the process environment', async () => {
    const source = fileURLToPath(new URL('..', import.meta.url));
    const files = (await readdir(source, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    );
    const readers: string[] = [];
    for (const name of files) {
      const text = await readFile(join(source, name), 'utf8');
      if (/process\s*(?:\?\.|\.)\s*env\b|process\s*\[\s*['"]env/.test(text)) readers.push(name);
    }
    expect(readers).toEqual([join('config', 'read-environment.ts')]);
  });
});
