/** Processes that check types: used again, never shared, never kept too long or after harm. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { ProcessPool, type ProcessPoolOptions } from '../../kit/work/process-pool.ts';
import { compilerFiles } from '../compiler-files.ts';
import { checkInProcess } from './check-in-process.ts';
import type { CheckJob } from './check-job.ts';
import { checkProgram } from './check-program.ts';
import { defineTypeCheck } from './type-check.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400_000;
const tool = defineTypeCheck();
const opened: ProcessPool[] = [];
const workspaces: Workspace[] = [];

const open = (options: Partial<ProcessPoolOptions> = {}): ProcessPool => {
  const processes = new ProcessPool({
    max: 2,
    idleMs: DAY,
    memoryMb: 2_048,
    program: checkProgram,
    args: compilerFiles,
    ...options,
  });
  opened.push(processes);
  return processes;
};

const project = (text: string, options: object = {}): Workspace => {
  const compilerOptions = { strict: true, lib: ['es2022'], types: [], ...options };
  const workspace = createWorkspace({
    'tsconfig.json': JSON.stringify({ compilerOptions, files: ['index.ts'] }),
    'index.ts': text,
  });
  workspaces.push(workspace);
  return workspace;
};

interface Asked extends Partial<CheckJob> {
  readonly signal?: AbortSignal;
}

const check = (processes: ProcessPool, workspace: Workspace, { signal, ...job }: Asked = {}) =>
  checkInProcess(
    { root: workspace.root, configFile: `${workspace.root}/tsconfig.json`, maxErrors: 100, ...job },
    workspace.contextFor(tool, signal ? { signal } : {}),
    processes,
  );

/** The processes that jobs got, in order; each stands for itself. */
const watchTaken = (processes: ProcessPool): unknown[] => {
  const taken: unknown[] = [];
  const take = processes.take.bind(processes);
  vi.spyOn(processes, 'take').mockImplementation(async (signal) => {
    const child = await take(signal);
    taken.push(child);
    return child;
  });
  return taken;
};

const GOOD = 'export const n: number = 1;\n';
const DIGITS = '"0"|"1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|"9"';
/** Takes minutes, and all the memory it can get. */
const ENDLESS = Array.from(
  { length: 400 },
  (_, at) =>
    `type X${at} = \`${at}\${${DIGITS}}\${${DIGITS}}\${${DIGITS}}\${${DIGITS}}\`; export type Y${at} = X${at} extends infer U ? U extends string ? Uppercase<U> : never : never; export const v${at}: Y${at} = "";`,
).join('\n');

afterEach(async () => {
  await Promise.all(opened.splice(0).map((processes) => processes.close()));
  for (const workspace of workspaces.splice(0)) workspace.remove();
});

describe('a process that checks types', () => {
  it('is used again, also for another project', async () => {
    const processes = open();
    const taken = watchTaken(processes);
    for (const workspace of [project(GOOD), project(GOOD), project('export const s: string = 1;')])
      await check(processes, workspace);
    expect(taken).toHaveLength(3);
    expect(new Set(taken).size).toBe(1);
    expect(processes.size).toBe(1);
  });

  it('serves one check at a time, and there are at most as many as allowed', async () => {
    const processes = open();
    const sizes: number[] = [];
    const taken = watchTaken(processes);
    const jobs = Array.from({ length: 6 }, async (_, at) => {
      const text = at % 2 === 0 ? GOOD : `export const n${at}: number = '';`;
      const { total } = await check(processes, project(text));
      sizes.push(processes.size);
      return total;
    });
    expect(await Promise.all(jobs)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(new Set(taken).size).toBe(2);
    expect(Math.max(...sizes)).toBe(2);
  });

  it('ends after it was idle, and the next check starts another', async () => {
    const processes = open({ idleMs: 20 });
    const taken = watchTaken(processes);
    await check(processes, project(GOOD));
    await vi.waitFor(() => expect(processes.size).toBe(0), 10_000);
    expect((await check(processes, project(GOOD))).total).toBe(0);
    expect(new Set(taken).size).toBe(2);
  });

  it('ends with its owner', async () => {
    const processes = open();
    await check(processes, project(GOOD));
    await processes.close();
    expect(processes.size).toBe(0);
  });
});

describe('two projects checked by one process', () => {
  const LEAVES = `
    interface Array<T> { leftBehind: T }
    interface ArrayBuffer { leftBehind: string }
    declare var leftBehind: string;
    declare module 'left-behind' { export const x: string }
  `;
  const LOOKS = `
    export const a = [1].leftBehind;
    export const b = new ArrayBuffer(1).leftBehind;
    export const c = leftBehind;
    export * from 'left-behind';
  `;

  it('share no files', async () => {
    const processes = open();
    const alone = (await check(open(), project(LOOKS))).errors.map(({ code }) => code);
    expect(alone).toEqual([2339, 2339, 2304, 2307]);
    const first = project(LEAVES);
    expect((await check(processes, first)).total).toBe(0);
    const report = await check(processes, project(LOOKS));
    expect(report.errors.map(({ code }) => code)).toEqual(alone);
    expect(JSON.stringify(report)).not.toContain(first.root);
    expect((await check(processes, first)).total).toBe(0);
    expect(processes.size).toBe(1);
  });

  it('are each checked with their own settings', async () => {
    const processes = open();
    const loose = 'export const f = (x) => x;\nexport const s: string = null;\n';
    const isStrict = async (asked: Asked, options: object) =>
      (await check(processes, project(loose, options), asked)).total > 0;
    expect(await isStrict({}, { strict: false })).toBe(false);
    expect(await isStrict({}, { strict: true })).toBe(true);
    expect(await isStrict({ strict: false }, { strict: true })).toBe(false);
    expect(await isStrict({ strict: true }, { strict: false })).toBe(true);
    const modern = 'export const last = [1].at(-1);';
    const total = async (lib: string, target: string) =>
      (await check(processes, project(modern, { lib: [lib], target }))).total;
    expect(await total('es2022', 'es2022')).toBe(0);
    expect(await total('es2015', 'es2015')).toBe(1);
    expect(await total('es2022', 'es2015')).toBe(0);
    expect(await total('es2022', 'esnext')).toBe(0);
    expect(await total('es2015', 'esnext')).toBe(1);
    expect(processes.size).toBe(1);
  });

  it('sees what was edited, added and removed since', async () => {
    const processes = open();
    const workspace = project("export { n } from './other';\n");
    const codes = async () => (await check(processes, workspace)).errors.map(({ code }) => code);
    expect(await codes()).toEqual([2307]);
    workspace.put('other.ts', GOOD);
    expect(await codes()).toEqual([]);
    workspace.put('other.ts', 'export const n: number = "";');
    expect(await codes()).toEqual([2322]);
    workspace.put('tsconfig.json', '{"files":[]}');
    expect(await codes()).toEqual([18002]);
  });
});

describe('a job that does not end well', () => {
  let endless: Workspace;
  beforeEach(() => {
    endless = project(ENDLESS);
  });

  it('takes its process with it when it is cancelled in mid-check; the next goes well', async () => {
    const processes = open({ max: 1 });
    const taken = watchTaken(processes);
    await check(processes, project(GOOD));
    const cancel = new AbortController();
    const running = check(processes, endless, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 500);
    const next = check(processes, project('export const n: number = "";'));
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await next).toMatchObject({ total: 1, errors: [{ code: 2322 }] });
    expect(taken[0]).toBe(taken[1]);
    expect(taken[2]).not.toBe(taken[1]);
    expect(processes.size).toBe(1);
  });

  it('waits for no process once it is cancelled', async () => {
    const processes = open({ max: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const running = check(processes, endless, { signal: first.signal });
    const waiting = check(processes, project(GOOD), { signal: second.signal });
    second.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(processes.size).toBe(1);
    first.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(processes.size).toBe(0);
  });

  it('threat: takes its process with it, and no other, when it needs too much memory', async () => {
    const processes = open({ memoryMb: 110 });
    await expect(check(processes, endless)).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
    expect(processes.size).toBe(0);
    expect((await check(processes, project(GOOD))).total).toBe(0);
  });

  it('takes its process with it when that breaks; the next goes well', async () => {
    const processes = open();
    const broken = check(processes, project(GOOD), { configFile: null as unknown as string });
    await expect(broken).rejects.toThrow();
    expect(processes.size).toBe(0);
    expect((await check(processes, project(GOOD))).total).toBe(0);
  });

  it('says so when there is no compiler', async () => {
    const processes = open({ args: () => ['/nowhere/typescript.js'] });
    await expect(check(processes, project(GOOD))).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
    expect(processes.size).toBe(0);
  });
});
