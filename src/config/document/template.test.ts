import { describe, expect, it } from 'vitest';
import { isRecord } from '../../kit/data/is-record.ts';
import { parseConfig } from '../load/parse-config.ts';
import { parseConfigText } from '../load/parse-config-text.ts';
import { defaultConfig } from '../schema.ts';
import { configFields, isPlanned } from './config-fields.ts';
import { describeConfig } from './describe.ts';
import { configTemplate } from './template.ts';

const configOf = async (text: string) => {
  const { value, problems } = await parseConfigText(text);
  expect(problems).toEqual([]);
  return parseConfig(value);
};

const PLANNED: ReadonlySet<string> = new Set(
  configFields()
    .filter(({ shape }) => isPlanned(shape))
    .map(({ path }) => path.join('.')),
);

/** The defaults of the settings that something reads. */
const builtDefaults = (value: unknown = defaultConfig(), path = ''): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, below]) => [key, below, path === '' ? key : `${path}.${key}`] as const)
          .filter(([, , below]) => !PLANNED.has(below))
          .map(([key, below, at]) => [key, builtDefaults(below, at)]),
      )
    : value;

/** Sections of which no setting has a default stand there empty. */
const withoutEmpty = (value: unknown): unknown =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, below]) => [key, withoutEmpty(below)] as const)
          .filter(
            ([, below]) => below !== null && !(isRecord(below) && !Object.keys(below).length),
          ),
      )
    : value;

/** What a person does with an editor: takes the "#" away in front of every setting. */
const uncommented = (text: string): string => text.replaceAll(/^(\s*)#(?=\S)/gm, '$1');

describe('configTemplate', () => {
  it('gives the defaults when nothing is changed', async () => {
    expect(await configOf(configTemplate())).toEqual(defaultConfig());
  });

  it('gives the defaults with every setting uncommented, each of them written out', async () => {
    const text = uncommented(configTemplate());
    expect(await configOf(text)).toEqual(defaultConfig());
    const written = (await parseConfigText(text)).value;
    expect(written.model).toBeNull();
    expect(withoutEmpty(written)).toEqual(withoutEmpty(builtDefaults()));
  });

  it('takes effect for every single setting that is uncommented and changed', async () => {
    const lines = configTemplate().split('\n');
    const numbers = lines.flatMap((line, index) => (/^ +#\w+: \d+$/.test(line) ? [index] : []));
    expect(numbers.length).toBeGreaterThan(10);
    for (const index of numbers) {
      const changed = lines.with(
        index,
        (lines[index] ?? '')
          .replace('#', '')
          .replace(/\d+$/, (number) => String(Number(number) + 1)),
      );
      expect(await configOf(changed.join('\n'))).not.toEqual(defaultConfig());
    }
  });

  it('points editors at the schema and mentions every setting', () => {
    const text = configTemplate();
    expect(text.split('\n')[0]).toBe(
      '# yaml-language-server: $schema=../node_modules/toolcrib/docs/config.schema.json',
    );
    const prose = text.replaceAll(/\n\s*# /g, ' ');
    for (const { path, description } of describeConfig()) {
      if (!PLANNED.has(path)) expect(prose, path).toContain(description);
    }
  });

  it('leaves out every setting that nothing reads yet, and a section of nothing else', () => {
    const text = configTemplate();
    for (const path of PLANNED) expect(text).not.toContain(`${path.split('.').at(-1)}:`);
    expect(text).not.toContain('Not built yet');
    expect(text).toMatch(/^teams:/m);
    expect(text).toMatch(/^enforcement:/m);
  });
});
