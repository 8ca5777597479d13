import { describe, expect, it } from 'vitest';
import { openapiTools } from '../../../../test/fixtures/openapi-source.ts';

const LONG = 'a'.repeat(100);
const PATHS: Readonly<Record<string, object>> = {
  '/pets': { get: { operationId: 'pets/list', tags: ['pets'] }, post: { tags: ['pets'] } },
  '/pets/{id}': {
    delete: { operationId: 'drop', deprecated: true },
    get: { operationId: 'same id' },
  },
  '/cats': {
    get: { operationId: 'same.id' },
    put: { operationId: `${LONG}1` },
    patch: { operationId: `${LONG}2` },
  },
};

const namesOf = async (paths: object, own: object = {}) =>
  (await openapiTools({ 'a.json': { openapi: '3.0.0', paths } }, own)).tools.map(
    ({ name }) => name,
  );

describe('names of tools', () => {
  it('come from the operation id or the path, within 60 letters, unique', async () => {
    const names = await namesOf(PATHS);
    expect(names).toEqual(expect.arrayContaining(['pets_list', 'post_pets', 'drop']));
    expect(names.filter((name) => /^same_id_[0-9a-f]{8}$/.test(name)).length).toBe(2);
    expect(new Set(names).size).toBe(7);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,60}$/);
  });

  it('begin with a letter, because Gemini refuses all tools for one that does not', async () => {
    const get = { operationId: '2fa' };
    expect(await namesOf({ '/a': { get }, '/b': { put: { operationId: '_3' } } })).toEqual([
      'get_2fa',
      'put_3',
    ]);
  });

  it('are the same in another order and with filters', async () => {
    const names = await namesOf(PATHS);
    const reversed = Object.fromEntries(Object.entries(PATHS).reverse());
    expect((await namesOf(reversed)).sort()).toEqual([...names].sort());
    const some = await namesOf(PATHS, { include: { paths: ['/cats'] } });
    expect(some.every((name) => names.includes(name))).toBe(true);
  });

  it('filters go by tag, path, method and operation', async () => {
    expect(await namesOf(PATHS, { include: { tags: ['pets'] } })).toEqual([
      'pets_list',
      'post_pets',
    ]);
    expect(await namesOf(PATHS, { include: { tags: ['pets'], methods: ['POST'] } })).toEqual([
      'post_pets',
    ]);
    expect(
      await namesOf(PATHS, { include: { paths: ['/pets/*'] }, exclude: { operations: ['same*'] } }),
    ).toEqual(['drop']);
  });
});

describe('what the method makes of a tool', () => {
  it('reading is read_only, the rest external_api, and deleting asks', async () => {
    const document = { openapi: '3.0.0', paths: PATHS };
    const { tools } = await openapiTools({ 'a.json': document });
    const tool = (name: string) => tools.find((one) => one.name === name);
    expect(tool('pets_list')).toMatchObject({
      tier: 'read_only',
      idempotent: true,
      needs: { hosts: ['api.example.com'] },
    });
    expect(tool('pets_list')?.assigned).toEqual({
      trust: 'untrusted',
      sensitivity: 'private',
      sink: true,
    });
    expect(tool('post_pets')).toMatchObject({ tier: 'external_api', idempotent: false });
    expect(tool('drop')).toMatchObject({
      enabled: false,
      capabilities: [{ destructive: true, requiresConfirmation: true }],
    });
    expect(tool('drop')?.documentation).toBe('DELETE https://api.example.com/pets/{id}');
  });
});
