import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { describeConfig } from './describe.ts';
import { configMarkdown } from './markdown.ts';

describe('configMarkdown', () => {
  it('is what docs/configuration.md holds; else run scripts/write-config-docs.mjs', async () => {
    const file = new URL('../../../docs/configuration.md', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(configMarkdown());
  });

  it('has one row of six cells for every setting, of four for one that is to come', () => {
    const [built = '', coming = ''] = configMarkdown().split('\n## Coming\n');
    const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('| `'));
    const planned = rowsOf(coming);
    expect(rowsOf(built).length + planned.length).toBe(describeConfig().length);
    for (const row of rowsOf(built)) expect(row.split(/(?<!\\)\|/), row).toHaveLength(8);
    for (const row of planned) expect(row.split(/(?<!\\)\|/), row).toHaveLength(6);
    expect(built).not.toContain('Not built yet');
  });
});
