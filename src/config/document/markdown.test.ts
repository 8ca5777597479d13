import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { describeConfig } from './describe.ts';
import { configMarkdown } from './markdown.ts';

describe('configMarkdown', () => {
  it('is what docs/configuration.md holds; else run scripts/write-config-docs.mjs', async () => {
    const file = new URL('../../../docs/configuration.md', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(configMarkdown());
  });

  it('has one row of six cells for every setting', () => {
    const rows = configMarkdown()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(describeConfig().length);
    for (const row of rows) expect(row.split(/(?<!\\)\|/), row).toHaveLength(8);
  });
});
