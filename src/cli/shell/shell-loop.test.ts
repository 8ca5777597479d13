import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isKeepable, openHistory } from './shell-loop.ts';

describe('THREAT: secrets in the history', () => {
  it.each([
    'rest_api_call url=https://x.test password=hunter2',
    'rest_api_call headers.Authorization="Basic abc"',
    'run_code code="const apiKey = 1"',
    'git url=https://ada:pw@host/x',
    'text_transform text=sk-abcdefgh12345678',
    'text_transform text=ghp_0123456789',
    'text_transform text=AKIAIOSFODNN7EXAMPLE',
    'text_transform text=eyJhbGciOiJIUzI1NiJ9.eyJzdWIi',
    'text_transform text=4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c',
    'my PIN is 1234',
    '/secrets set STRIPE',
    ' calculator expression=1',
    '-----BEGIN PRIVATE KEY-----',
  ])('%s is not kept', (line) => {
    expect(isKeepable(line)).toBe(false);
  });

  it.each([
    "calculator expression='sqrt(16)+2^3'",
    'read_file path=src/cli/commands/approvals/approvals-decide.ts',
    '/tools info analyze_dependencies',
    '/audit show 2f1c0a52-0d7b-4e27-9a56-3a1f6f1f0c11',
    'please summarise internationalisation of the shell',
    'write_file path=a.txt content="the author writes"',
  ])('%s is kept', (line) => {
    expect(isKeepable(line)).toBe(true);
  });
});

describe('openHistory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-history-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('writes a file for the owner only, and reads it newest line first', async () => {
    const file = join(folder, 'new', 'shell-history');
    const history = await openHistory(file);
    await history.add('one');
    await history.add('two');
    await history.add('two');
    await history.add('token=x');
    await history.add('three {\n  "a": 1\n}');
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree { "a": 1 }\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    expect((await openHistory(file)).lines).toEqual(['three { "a": 1 }', 'two', 'one']);
  });

  it('makes a readable file private, drops secrets from it, and keeps the last thousand lines', async () => {
    const file = join(folder, 'shell-history');
    const lines = Array.from({ length: 1500 }, (_, at) => `line ${at}`);
    writeFileSync(file, `${lines.join('\n')}\npassword=x\n`);
    chmodSync(file, 0o644);
    const history = await openHistory(file);
    expect(history.lines).toHaveLength(1000);
    await history.add('last');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect([kept[0], kept.at(-1), kept.length]).toEqual(['line 500', 'last', 1001]);
  });

  it('works without a file where none can be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const history = await openHistory(join(folder, 'file', 'shell-history'));
    await history.add('one');
    expect(history.lines).toEqual(['one']);
  });
});
