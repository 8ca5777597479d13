import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/load/parse-config.ts';
import { type AddOpenapiOptions, addOpenapi } from './add-openapi.ts';

const added = (address: string, options: AddOpenapiOptions = {}, name?: string) =>
  addOpenapi.source({ io: {} as never, address, name, options });

describe('toolcrib add openapi', () => {
  it('makes settings that the configuration takes', async () => {
    const { name, settings, secrets } = await added('https://api.example.com/openapi.json', {
      baseUrl: 'https://api.example.com/v1',
      auth: ['key=API_KEY'],
      tags: ['pets'],
      header: [`X-Team=\${secret:TEAM}`],
    });
    expect([name, secrets]).toEqual(['example', ['API_KEY', 'TEAM']]);
    const { sources } = parseConfig({ sources: { openapi: { [name]: settings } } } as never);
    expect(sources.openapi[name]).toMatchObject({
      auth: { key: { secret: 'API_KEY' } },
      include: { tags: ['pets'] },
    });
  });

  it('names a source after its file, or as the user says', async () => {
    expect((await added('specs/billing.yaml')).name).toBe('billing');
    expect((await added('specs/billing.yaml', {}, 'mine')).name).toBe('mine');
    expect((await added('openapi.json')).name).toBe('openapi');
  });

  it('refuses other addresses and half pairs', async () => {
    await expect(added('ftp://a/openapi.json')).rejects.toThrow('http://');
    await expect(added('a.json', { auth: ['key'] })).rejects.toThrow('name=value');
  });

  it.each([
    ['https://x.com/openapi.json', true],
    ['https://x.com/swagger/v1/swagger.json', true],
    ['https://x.com/v3/api-docs', true],
    ['petstore-openapi.yaml', true],
    ['https://x.com/graphql', false],
    ['https://x.com/mcp', false],
  ])('recognises %s: %s', (address, expected) => {
    expect(addOpenapi.recognises(address)).toBe(expected);
  });
});
