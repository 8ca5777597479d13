import { describe, expect, it } from 'vitest';
import * as yaml from 'yaml';
import { readYaml } from './strict-yaml.ts';

const faultsOf = (text: string): readonly string[] =>
  readYaml(yaml, text, { maxDepth: 64, maxNodes: 1_000, aliases: 'refuse' }).faults.map(
    ({ line, column }) => `${line}:${column}`,
  );

describe('a bracket or a quote that is never closed', () => {
  it.each([
    ['name: [x', '1:9'],
    ['name: [x\n', '1:9'],
    ['name: [x\n\n\n', '1:9'],
    ['a: 1\nname: {x: 1,\n', '2:13'],
    ['name: "x\n\n', '1:9'],
  ])('in %j is reported at the end of the last line with text', (text, place) => {
    expect(faultsOf(text)).toContain(place);
    expect(new Set(faultsOf(text)).size).toBe(1);
  });
});
