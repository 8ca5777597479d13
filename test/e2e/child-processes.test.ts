/** The processes that tools work in, seen from outside: none holds up or outlives its owner. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, expect, it, vi } from 'vitest';
import { createWorkspace, type Workspace } from '../fixtures/workspace.ts';
import { builtCli } from './built-cli.ts';

vi.setConfig({ testTimeout: 120_000 });

const CONFIG = '{"compilerOptions":{"lib":["es2022"],"types":[]},"files":["index.ts"]}';

/** Half a minute of work and more: each of these unions has ten thousand members. */
const ENDLESS_TYPES = `type D = "0"|"1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|"9";
type Up<X> = X extends infer U ? U extends string ? Uppercase<U> : never : never;
${Array.from({ length: 1_900 }, (_, at) => `const v${at}:Up<\`${at}\${D}\${D}\${D}\${D}\`>="";`).join('\n')}`;
const ENDLESS_QUERY =
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r';

interface Call {
  readonly tool: string;
  readonly input: object;
  /** The text of `index.ts`. */
  readonly text?: string;
}

const PARENT = `
const [library, root, tool, input] = process.argv.slice(1);
const { createCrib } = await import(library);
const crib = await createCrib({ root, store: 'memory', watch: false });
const { data, error } = await crib.execute(tool, JSON.parse(input), { audience: 'model' });
console.log(JSON.stringify({ data, error }));
`;

const workspaces: Workspace[] = [];
const parents: ChildProcess[] = [];
const orphans: number[] = [];
afterEach(() => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
  for (const orphan of orphans.splice(0).filter(isAlive)) process.kill(orphan, 'SIGKILL');
  for (const workspace of workspaces.splice(0)) workspace.remove();
});

/** Makes one call from a program that does not close its crib. */
const start = ({ tool, input, text = '' }: Call): ChildProcess => {
  const workspace = createWorkspace({ 'tsconfig.json': CONFIG, 'index.ts': text });
  workspaces.push(workspace);
  new DatabaseSync(join(workspace.root, 'shop.db')).exec('CREATE TABLE items (name)');
  const library = new URL('../index.js', pathToFileURL(builtCli())).href;
  const given = [library, workspace.root, tool, JSON.stringify(input)];
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, '--', ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  parents.push(parent);
  return parent;
};

/** Reads a file of /proc; empty for a process that has ended. */
const procText = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** Lists all processes: from /proc, because small Linux machines have no `ps`, or else with `ps`. */
const processes = (): readonly { child: number; parent: number; command: string }[] => {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => ({
        child: Number(pid),
        parent: Number(/^PPid:\s*(\d+)/m.exec(procText(pid, 'status'))?.[1]),
        command: procText(pid, 'cmdline'),
      }));
  }
  return execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s(.*)/.exec(line) ?? [])
    .map(([, child, parent, command = '']) => ({
      child: Number(child),
      parent: Number(parent),
      command,
    }));
};

/** Lists children with a memory limit; a compiler that only removes types has a process, too. */
const childrenOf = (pid: number | undefined): readonly number[] =>
  processes().flatMap(({ child, parent, command }) =>
    parent === pid && command.includes('--max-old-space-size=') ? [child] : [],
  );

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Busy machines take their time. */
const STARTED = { timeout: 60_000, interval: 50 };
/** Shorter than what goes on would take by itself. */
const GONE = { timeout: 10_000, interval: 50 };

it.each<readonly [string, Call, object]>([
  [
    'type_check',
    { tool: 'type_check', input: {}, text: 'export const n: number = "";' },
    { data: { totalErrors: 1 } },
  ],
  [
    'run_code',
    { tool: 'run_code', input: { code: 'return 1;' } },
    { data: { value: 1, types: 'checked' } },
  ],
])(
  'a program that called %s ends when it is idle, and so do the processes that it kept',
  async (_, call, answer) => {
    const parent = start(call);
    const ended = once(parent, 'exit');
    const [output] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const idle = childrenOf(parent.pid);
    const answeredAt = performance.now();
    expect(JSON.parse(output.toString())).toMatchObject(answer);
    await ended;
    // Idle processes would end by themselves only after half a minute.
    expect(performance.now() - answeredAt).toBeLessThan(20_000);
    await vi.waitFor(() => expect(idle.filter(isAlive)).toEqual([]), GONE);
  },
);

it.each<readonly [string, Call]>([
  ['a check of a project', { tool: 'type_check', input: {}, text: ENDLESS_TYPES }],
  ["a check of a model's code", { tool: 'run_code', input: { code: ENDLESS_TYPES } }],
  [
    'a query',
    { tool: 'query_database', input: { path: 'shop.db', query: ENDLESS_QUERY, timeout: 60_000 } },
  ],
])('threat: %s without end does not outlive the program that was killed', async (_, call) => {
  const parent = start(call);
  const [child = 0] = await vi.waitFor(() => {
    const children = childrenOf(parent.pid);
    expect(children).toHaveLength(1);
    return children;
  }, STARTED);
  orphans.push(child);
  // By then it has read all of its input, so it would not notice closed pipes.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(isAlive(child)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(child)).toBe(false), GONE);
});
