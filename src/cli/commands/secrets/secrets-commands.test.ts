import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { Io } from '../../io.ts';
import { runCli } from '../../run-cli.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-secrets-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Session {
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const run = async ({ args, stdin = '', terminal = false, env = {} }: Session) => {
  const input = Object.assign(new PassThrough(), {
    fd: -1,
    isTTY: terminal,
    setRawMode: () => input,
  });
  input.end(stdin);
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd: folder,
    env: { HOME: folder, TOOLCRIB_HOME: join(folder, 'home'), ...env },
    stdin: input as unknown as Io['stdin'],
  });
  const code = await runCli(args, io);
  return { code, out: out(), err: err() };
};

const file = (): string => join(folder, 'home', 'secrets.json');
const kept = (): unknown => JSON.parse(readFileSync(file(), 'utf8'));
const set = (key: string, stdin: string) => run({ args: ['secrets', 'set', key], stdin });

describe('toolcrib secrets', () => {
  it('stores what is piped in without the line break of echo, readable by the owner only', async () => {
    const { code, out, err } = await set('STRIPE_KEY', 'the-canary-value\n');
    expect(code).toBe(0);
    expect(out).toBe('✓ Stored: STRIPE_KEY\n');
    expect(err).toContain(file());
    expect(out + err).not.toContain('the-canary-value');
    expect(kept()).toEqual({ STRIPE_KEY: 'the-canary-value' });
    if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('asks at a terminal, and does not show what is typed', async () => {
    const args = ['secrets', 'set', 'STRIPE_KEY'];
    const { code, out, err } = await run({ args, stdin: 'typed-canary\r', terminal: true });
    expect(code).toBe(0);
    expect(err).toContain('Value of STRIPE_KEY (it is not shown): ');
    expect(out + err).not.toContain('typed-canary');
    expect(kept()).toEqual({ STRIPE_KEY: 'typed-canary' });
  });

  it.each([
    ['a pipe', false, ''],
    ['a pipe with an empty line', false, '\n'],
    ['a person who gives up', true, '\u0003'],
    ['a person who only presses Enter', true, '\r'],
  ])('no value from %s: an error, and nothing is kept', async (_who, terminal, stdin) => {
    const { code, err } = await run({ args: ['secrets', 'set', 'KEY'], stdin, terminal });
    expect(code).toBe(2);
    expect(err).toContain('No value was given.');
    expect(() => kept()).toThrow();
  });

  it('threat: a value on the command line is refused and not repeated', async () => {
    const args = ['secrets', 'set', 'KEY', 'argv-canary'];
    const { code, out, err } = await run({ args, stdin: 'x' });
    expect(code).toBe(2);
    expect(out + err).not.toContain('argv-canary');
    expect(() => kept()).toThrow();
  });

  it('refuses an invalid name', async () => {
    const { code, err } = await set('not a key', 'value-of-it');
    expect(code).toBe(2);
    expect(err).toContain('no name for a secret');
  });

  it('lists keys and where they are, never values, and says which one is not used', async () => {
    await set('GITHUB_TOKEN', 'file-canary');
    await set('ONLY_HERE', 'file-canary');
    const env = { GITHUB_TOKEN: 'env-canary', NOT_LISTED: 'env-canary' };
    const { code, out } = await run({ args: ['secrets'], env });
    expect(code).toBe(0);
    expect(out).toMatch(/GITHUB_TOKEN +environment\n/);
    expect(out).toMatch(/GITHUB_TOKEN +file +not used/);
    expect(out).toMatch(/ONLY_HERE +file\n/);
    expect(out).not.toMatch(/canary|NOT_LISTED/);
    const json = JSON.parse((await run({ args: ['secrets', 'list', '--json'], env })).out);
    expect(json).toEqual({
      secrets: [
        { key: 'GITHUB_TOKEN', where: 'environment', used: true },
        { key: 'GITHUB_TOKEN', where: 'file', used: false },
        { key: 'ONLY_HERE', where: 'file', used: true },
      ],
      problems: [],
    });
  });

  it('says when no secrets are stored', async () => {
    expect((await run({ args: ['secrets', 'list'] })).out).toBe('No secrets are stored yet.\n');
  });

  it('a file that cannot be read does not hide the rest, but it is a failure', async () => {
    await set('KEY', 'file-canary');
    writeFileSync(file(), 'broken file-canary');
    const { code, out, err } = await run({ args: ['secrets'], env: { API_TOKEN: 'env-canary' } });
    expect(code).toBe(1);
    expect(out).toContain('API_TOKEN');
    expect(err).toContain('is not valid JSON');
    expect(out + err).not.toContain('canary');
  });

  it('warns when the value just stored is not the one in use', async () => {
    const args = ['secrets', 'set', 'API_TOKEN', '--json'];
    const shadowed = await run({ args, stdin: 'x-value', env: { API_TOKEN: 'other' } });
    expect(JSON.parse(shadowed.out)).toMatchObject({
      key: 'API_TOKEN',
      where: 'file',
      warning: expect.stringContaining('comes first'),
    });
    const env = { TOOLCRIB_SECRETS_SOURCES: '["environment"]' };
    const unread = await run({ args: ['secrets', 'set', 'KEY'], stdin: 'x-value', env });
    expect(unread.err).toContain('Tools do not look there');
  });

  it('deletes a secret, and fails when there is none', async () => {
    await set('KEY', 'file-canary');
    const { code, out } = await run({ args: ['secrets', 'remove', 'KEY'] });
    expect(code).toBe(0);
    expect(out).toBe('✓ Removed: KEY\n');
    expect(kept()).toEqual({});
    const again = await run({ args: ['secrets', 'remove', 'KEY', '--from', 'file'] });
    expect(again.code).toBe(2);
    expect(again.err).toContain('toolcrib secrets list');
    const variable = await run({ args: ['secrets', 'remove', 'KEY'], env: { KEY: 'x' } });
    expect(variable.err).toContain('unset KEY');
  });

  it('prints JSON, and accepts --to as set does', async () => {
    await set('KEY', 'file-canary');
    const { out } = await run({ args: ['secrets', 'remove', 'KEY', '--to', 'file', '--json'] });
    expect(JSON.parse(out)).toEqual({ key: 'KEY', removed: ['file'] });
  });

  it('refuses an unknown vault', async () => {
    const { code, err } = await run({ args: ['secrets', 'set', 'KEY', '--to', 'cloud'] });
    expect(code).toBe(2);
    expect(err).toContain('Allowed choices are file, keychain');
  });
});
