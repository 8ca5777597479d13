/** The processes that `type_check` keeps, seen from outside: none holds up or outlives its owner. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { createWorkspace, type Workspace } from '../fixtures/workspace.ts';
import { builtCli } from './built-cli.ts';

vi.setConfig({ testTimeout: 120_000 });

const CONFIG = '{"compilerOptions":{"lib":["es2022"],"types":[]},"files":["index.ts"]}';
/** Minutes of work: each of these unions has ten thousand members. */
const ENDLESS = Array.from({ length: 2_000 }, (_, at) => {
  const digits = `\${${Array.from({ length: 10 }, (_, digit) => `"${digit}"`).join('|')}}`;
  return `type X${at} = \`${at}${digits.repeat(4)}\`; export const v${at}: Uppercase<X${at}> = "";`;
}).join('\n');

const PARENT = `
const [library, root] = process.argv.slice(1);
const { createCrib } = await import(library);
const crib = await createCrib({ root, store: 'memory', watch: false });
const { data, error } = await crib.execute('type_check', {});
console.log(JSON.stringify({ data, error }));
`;

const workspaces: Workspace[] = [];
const parents: ChildProcess[] = [];
afterEach(() => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
  for (const workspace of workspaces.splice(0)) workspace.remove();
});

/** Checks a project from a program that does not close its crib. */
const start = (text: string): ChildProcess => {
  const workspace = createWorkspace({ 'tsconfig.json': CONFIG, 'index.ts': text });
  workspaces.push(workspace);
  const library = new URL('../index.js', pathToFileURL(builtCli())).href;
  const parent = spawn(
    process.execPath,
    ['--input-type=module', '-e', PARENT, '--', library, workspace.root],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  parents.push(parent);
  return parent;
};

const childrenOf = (pid: number | undefined): readonly number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Busy machines take their time. */
const STARTED = { timeout: 60_000, interval: 50 };
const GONE = { timeout: 20_000, interval: 50 };

it('the program ends as soon as it has nothing to do, and what it kept ends with it', async () => {
  const parent = start('export const n: number = "";');
  const ended = once(parent, 'exit');
  const [said] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const kept = childrenOf(parent.pid);
  const heard = performance.now();
  expect(JSON.parse(said.toString())).toMatchObject({ data: { totalErrors: 1 } });
  await ended;
  // Kept ones would end by themselves only after half a minute.
  expect(performance.now() - heard).toBeLessThan(20_000);
  await vi.waitFor(() => expect(kept.filter(isAlive)).toEqual([]), GONE);
});

it('threat: a check that goes on does not outlive a program that was killed', async () => {
  const parent = start(ENDLESS);
  const [child = 0] = await vi.waitFor(() => {
    const found = childrenOf(parent.pid);
    expect(found).toHaveLength(1);
    return found;
  }, STARTED);
  // The files have been read by then; from here on it asks no more, and would not notice.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(isAlive(child)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), GONE);
});
