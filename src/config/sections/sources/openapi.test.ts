import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../load/parse-config.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/sources/openapi.md'), 'utf8');
const blocks = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

describe('sources.openapi', () => {
  it('takes every example of its page', () => {
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(() => parseConfig(parse(block))).not.toThrow();
  });

  it.each([
    [{}, /document/],
    [{ document: 'a', baseUrl: 'https://u:p@x' }, /baseUrl/],
    [{ document: 'a', responses: 'maybe' }, /responses/],
    [{ document: 'a', auth: { key: { token: 'x' } } }, /token/],
    [{ document: 'a', include: { names: [] } }, /names/],
  ])('refuses %j', (api, message) => {
    expect(() => parseConfig({ sources: { openapi: { api } } } as never)).toThrow(message);
  });
});
