/** The sandbox under parents other than this one: an ordinary user, and one that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileProgram } from '../../../test/conformance/compile-program.ts';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';

const missing = isMissing('bwrap');
const asRoot = process.getuid?.() === 0;
const USER = 12_345;

const PARENT = `
import { createProcessSandbox } from './create-process-sandbox.js';
const after = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return { cancel: () => clearTimeout(timer), keepAlive: () => undefined };
};
const sandbox = createProcessSandbox({
  platform: process.platform, processor: process.arch, cores: 2, node: process.execPath,
  identity: { uid: process.getuid(), gid: process.getgid() },
  runtime: { now: Date.now, elapsed: () => performance.now(), random: Math.random, after },
  masks: { isSecret: () => false, isProtected: () => false },
});
const [kind, text, folder] = process.argv.slice(2);
const task = kind === 'code' ? { kind, code: text, input: 20 } : { kind, argv: ['sh', '-c', text] };
const fileSystemAccess = { write: folder ? [folder] : [] };
const config = { type: 'process', fileSystemAccess };
console.log(JSON.stringify(await sandbox.run({ task, config, signal: new AbortController().signal })));
`;

let compiled = { folder: '', program: '' };
let parent = '';
beforeAll(() => {
  compiled = compileProgram(join(import.meta.dirname, 'create-process-sandbox.ts'));
  chmodSync(compiled.folder, 0o755);
  parent = join(compiled.program, '../parent.js');
  writeFileSync(parent, PARENT);
});
afterAll(() => rmSync(compiled.folder, { recursive: true }));

const start = (args: readonly string[], uid?: number): ChildProcess =>
  spawn(process.execPath, [parent, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });

const answerOf = async (child: ChildProcess): Promise<unknown> => {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, 'close');
  return JSON.parse(text);
};

const running = (text: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`sleep\0${text}`);
    } catch {
      return false;
    }
  }).length;

it.skipIf(missing)(
  'no sandboxed process outlives a parent that is killed with kill -9',
  async () => {
    const mark = `34${process.pid}4`;
    const child = start(['command', `setsid sleep ${mark} & sleep ${mark}`]);
    await eventually(() => expect(running(mark)).toBe(2));
    child.kill('SIGKILL');
    await eventually(() => expect(running(mark)).toBe(0));
  },
);

it.skipIf(missing || !asRoot)(
  'an ordinary user gets the same sandbox, under the own id',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-user-'));
    chmodSync(folder, 0o777);
    try {
      const command = 'id -u; touch made; cat /etc/shadow; test -w /proc/sys/kernel/core_pattern';
      const outcome = await answerOf(start(['command', command, folder], USER));
      expect(outcome).toMatchObject({ stdout: `${USER}\n`, exitCode: 1 });
      expect(readdirSync(folder)).toEqual(['made']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

it.skipIf(missing || !asRoot)('an ordinary user runs code in the process sandbox', async () => {
  const code = 'export const run = (n) => n + 1;';
  expect(await answerOf(start(['code', code], USER))).toMatchObject({ value: 21 });
});
