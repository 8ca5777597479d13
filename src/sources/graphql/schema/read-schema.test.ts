import { describe, expect, it } from 'vitest';
import type { ExternalSettings, ReadDeps } from '../../../contract/source-driver.ts';
import { readSchema } from './read-schema.ts';

const settings = (own: object): ExternalSettings => ({
  name: 'shop',
  kind: 'graphql',
  enabled: true,
  toolTiers: {},
  headers: {},
  timeoutMs: 1000,
  maxOutputBytes: 1000,
  own: { url: 'https://shop.example', ...own },
});

const deps = (more: Partial<ReadDeps>): ReadDeps =>
  ({
    signal: new AbortController().signal,
    secret: async () => undefined,
    ...more,
  }) as ReadDeps;

describe('a schema that cannot be read', () => {
  it('names line and column of a syntax error in the file', async () => {
    const readFile = async () => Buffer.from('type Query {\n  a: \n}');
    await expect(
      readSchema(settings({ schema: 'a.graphql' }), deps({ readFile })),
    ).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('(line 3, column 1)'),
    });
  });

  it('is named as a file that is missing, not as an internal error', async () => {
    const readFile = async () => {
      throw Object.assign(new Error('no'), { code: 'ENOENT' });
    };
    await expect(
      readSchema(settings({ schema: 'none.graphql' }), deps({ readFile })),
    ).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('none.graphql cannot be read (ENOENT)'),
    });
  });

  it('says how to log in where the service asks for it', async () => {
    const fetch = async () => Response.json({ errors: [{ message: 'log in' }] }, { status: 401 });
    await expect(readSchema(settings({}), deps({ fetch }))).rejects.toMatchObject({
      code: 'AUTH_MISSING',
      extras: { suggestions: expect.arrayContaining([expect.stringContaining('--bearer')]) },
    });
  });
});
