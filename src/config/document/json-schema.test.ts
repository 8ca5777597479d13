import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../load/parse-config.ts';
import { parseConfigText } from '../load/parse-config-text.ts';
import { defaultConfig } from '../schema.ts';
import { configJsonSchema } from './json-schema.ts';
import { configTemplate } from './template.ts';

const validator = () =>
  new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configJsonSchema());

describe('configJsonSchema', () => {
  it('is what docs/config.schema.json holds; else run scripts/write-config-schema.mjs', async () => {
    const file = new URL('../../../docs/config.schema.json', import.meta.url);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(configJsonSchema());
  });

  it('is JSON Schema 2020-12 with a name', () => {
    expect(configJsonSchema()).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:toolcrib:config',
      title: 'Toolcrib configuration',
      properties: {
        execution: { properties: { maxConcurrentTools: { default: 64, minimum: 1 } } },
      },
    });
  });

  it('accepts the template and the defaults, as the loader does', async () => {
    const validate = validator();
    expect(validate((await parseConfigText(configTemplate())).value), String(validate.errors)).toBe(
      true,
    );
    expect(validate(defaultConfig())).toBe(true);
  });

  it.each([
    { tools: { git: { enabled: false, cache: false, retry: 'QUICK' } } },
    { execution: { retry: { maxRetries: 1, backoff: { type: 'fixed', delay: 1 } } }, model: null },
    { mcp: { servers: { a: { command: 'x', env: null } } } },
  ])('accepts what the loader accepts: %j', (value) => {
    expect(() => parseConfig(value)).not.toThrow();
    expect(validator()(value)).toBe(true);
  });

  it.each([
    { nope: 1 },
    { tools: { 'a b': {} } },
    { tools: { git: { enabled: 'no' } } },
    { execution: { retry: null } },
    { execution: { queueLimit: -1 } },
    { execution: { retry: { maxRetries: 1, backoff: { type: 'x' } } } },
    { model: {} },
  ])('refuses what the loader refuses: %j', (value) => {
    expect(() => parseConfig(value)).toThrow();
    expect(validator()(value)).toBe(false);
  });
});
