/** The corpus of definitions: every hostile one is flagged for the right reason, benign ones pass. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { visibleItem, visibleJson, visibleLines } from '../../../kit/text/visible-text.ts';
import { canonicalData } from '../pin-definition.ts';
import { createNameIndex, type NamedTool } from './name-index.ts';
import { isGrave, scanDefinition } from './scan-definition.ts';

interface Sample {
  readonly origin: string;
  readonly name: string;
}

interface Corpus {
  readonly others: readonly Sample[];
  readonly hostile: readonly (Sample & { readonly threat: string; readonly kind: string })[];
  readonly benign: readonly Sample[];
}

const corpus = JSON.parse(
  readFileSync(
    new URL('../../../../test/fixtures/threats/tool-definitions.json', import.meta.url),
    'utf8',
  ),
) as Corpus;

const visible = { text: visibleItem, lines: visibleLines, json: visibleJson };

const named = ({ name, origin }: Sample): NamedTool => ({ name, origin, others: [] });

const scan = (sample: Sample, neighbours: readonly Sample[]) => {
  const {
    origin: _origin,
    threat: _threat,
    kind: _kind,
    ...definition
  } = {
    threat: '',
    kind: '',
    ...sample,
  };
  const taken = neighbours.some(({ name }) => name === sample.name);
  const tool: NamedTool = {
    ...named(sample),
    // As the registry would: a name that is taken is not replaced.
    ...(taken && { name: `${sample.origin}:${sample.name}`, others: [sample.name] }),
  };
  const names = createNameIndex([...neighbours.map(named), tool]);
  return scanDefinition(canonicalData(definition), { tool, names, visible });
};

describe('threat: tool poisoning', () => {
  it.each(corpus.hostile)('$threat', (sample) => {
    const findings = scan(sample, corpus.others);
    expect(findings.map(({ kind }) => kind)).toContain(sample.kind);
    expect(isGrave(findings)).toBe(true);
    for (const { message } of findings) expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{DI}]/u);
  });

  it('is looked for in many ways, and beside it stand more definitions that are in order', () => {
    expect(corpus.hostile.length).toBeGreaterThanOrEqual(40);
    expect(corpus.benign.length).toBeGreaterThanOrEqual(60);
  });

  it('benign definitions, most of them of real servers, pass: at least 98 of 100', () => {
    const flagged = corpus.benign.flatMap((sample) => {
      const neighbours = [...corpus.others, ...corpus.benign].filter((other) => other !== sample);
      const grave = scan(sample, neighbours).filter(({ kind }) => kind !== 'suspicious');
      return grave.length > 0 ? [`${sample.name}: ${grave.map(({ message }) => message)}`] : [];
    });
    expect(flagged.length / corpus.benign.length, flagged.join('\n')).toBeLessThanOrEqual(0.02);
    // It quotes the very words it looks for; a person has to tell the two apart.
    expect(flagged).toEqual([expect.stringMatching(/^scan_prompt: /)]);
  });
});
