/** A crib on PostgreSQL: chosen by one line, with the password from the secrets, and one record. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { configSchema } from '../../config/schema.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { createCrib } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';
import { resolveAddress } from '../resolve-address.ts';
import { adoptSealKey } from './seal-key.ts';

const secretsOf = (values: Readonly<Record<string, string>>): Secrets => ({
  label: 'test',
  get: async (key) => values[key],
});

describe('the address of a store with secrets', () => {
  const resolve = (url: string, values: Readonly<Record<string, string>>) =>
    resolveAddress(url, 'store', {
      config: { secrets: { sources: [], file: 'secrets.json' } },
      userDir: tmpdir(),
      secrets: secretsOf(values),
    });

  it.each([
    [`postgres://u:\${secret:PW}@h/d`, { PW: 'a@/?#%' }, 'postgres://u:a%40%2F%3F%23%25@h/d'],
    [`\${secret:WHOLE}`, { WHOLE: 'postgres://u:p@h/d\n' }, 'postgres://u:p@h/d'],
    ['postgres://u@h/d', {}, 'postgres://u@h/d'],
  ])('fills the secrets into %s', async (url, values, expected) => {
    expect(await resolve(url, values)).toBe(expected);
  });

  it.each([{}, { PW: ' ' }])('fails when the secret is not set: %j', async (values) => {
    const url = resolve(`postgres://u:\${secret:PW}@h/d`, values);
    await expect(url).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('hostile: does not take the login of an MCP server', async () => {
    const url = resolve(`postgres://u:\${secret:mcp.oauth:x}@h/d`, { 'mcp.oauth:x': 'token' });
    await expect(url).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe.skipIf(isPostgresMissing())('a crib on PostgreSQL', () => {
  const { server, url, newSchema } = usePostgres();
  let home = '';
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'toolcrib-home-'));
    await server().sql(
      "CREATE ROLE crib LOGIN PASSWORD 'p#w'; CREATE SCHEMA cribs AUTHORIZATION crib",
    );
    await server().askPasswordOf('crib');
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('two cribs with one line of configuration write one record, and replay a key of each other', async () => {
    const address = url().replace('boss@', `crib:\${secret:PW}@`);
    const options = {
      home,
      root: home,
      secrets: secretsOf({ PW: 'p#w' }),
      config: { store: { url: address, schema: 'cribs', connections: 3 } },
    };
    const cribs = await Promise.all([createCrib(options), createCrib(options)]);
    const input = { expression: '6*7' };
    for (const crib of cribs) {
      const result = await crib.execute('calculator', input, { idempotencyKey: 'once' });
      expect(result).toMatchObject({ success: true });
    }
    expect(await cribs[1]?.audit.verify()).toMatchObject({ ok: true });
    const rows = await cribs[0]?.audit.query();
    expect(rows?.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(rows)).not.toContain('p#w');
    await Promise.all(cribs.map((crib) => crib.close()));
  });

  it('answers STORE_UNAVAILABLE while the server is away, and works again after', async () => {
    const store = { postgres: url() };
    const crib = await createCrib({
      home,
      root: home,
      store,
      config: { store: { schema: newSchema() } },
    });
    const call = () => crib.execute('calculator', { expression: '1+1' });
    expect(await call()).toMatchObject({ success: true });
    await server().stop('SIGINT');
    const refused = await call();
    await server().start();
    expect(refused).toMatchObject({ success: false, error: { code: 'STORE_UNAVAILABLE' } });
    expect(await call()).toMatchObject({ success: true });
    await crib.close();
  }, 60_000);

  it('refuses a machine with another signing key, until that key is adopted', async () => {
    const other = mkdtempSync(join(tmpdir(), 'toolcrib-home-'));
    const schema = newSchema();
    const config = { store: { url: url(), schema } };
    const first = await createCrib({ home, root: home, config });
    expect(await first.execute('calculator', { expression: '1+1' })).toMatchObject({
      success: true,
    });
    const second = await createCrib({ home: other, root: home, config });
    const refused = await second.execute('calculator', { expression: '1+1' });
    expect(refused.error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/another signing key \([0-9a-f]{16}\)/),
      suggestions: [
        expect.stringContaining('TOOLCRIB_SIGNING_KEY_FILE'),
        expect.stringContaining('toolcrib store adopt-key'),
      ],
    });
    await expect(second.audit.query()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await Promise.all([first.close(), second.close()]);
    const settings = configSchema.parse(config);
    const runtime = createRuntime();
    const adopted = await adoptSealKey({ config: settings, userDir: other, runtime });
    expect(adopted).toEqual({
      store: expect.stringContaining(schema),
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const third = await createCrib({ home: other, root: home, config });
    expect(await third.execute('calculator', { expression: '1+1' })).toMatchObject({
      success: true,
    });
    await third.close();
    rmSync(other, { recursive: true });
  });

  it('lets machines with different folders share the key file that the environment names', async () => {
    const other = mkdtempSync(join(tmpdir(), 'toolcrib-home-'));
    const config = { store: { url: url(), schema: newSchema() } };
    const file = join(home, 'keys', 'signing.pem');
    const first = await createCrib({ home, root: home, config });
    await first.execute('calculator', { expression: '1+1' });
    vi.stubEnv('TOOLCRIB_SIGNING_KEY_FILE', file);
    const second = await createCrib({ home: other, root: home, config });
    const result = await second.execute('calculator', { expression: '1+1' });
    vi.unstubAllEnvs();
    expect(result).toMatchObject({ success: true });
    await Promise.all([first.close(), second.close()]);
    rmSync(other, { recursive: true });
  });

  it('refuses an option that names two stores or none', async () => {
    for (const store of [{ postgres: 5 }, { postgres: 'postgres://x', sqlite: 'y' }]) {
      await expect(createCrib({ home, store: store as never })).rejects.toThrow('store');
    }
  });
});
