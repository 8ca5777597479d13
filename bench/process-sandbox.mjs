/** How long a program in the process sandbox takes to start, in multiples of a bare start of node. */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { loadProcessSandbox, loadProduct } from './product.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'process sandbox: starting node inside against "node -e 0"';

const bareStart = () => {
  const begin = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, ['-e', '0'], { env: { PATH: process.env.PATH } });
  if (status !== 0) throw new Error(`node ended with ${status}`);
  return Number(process.hrtime.bigint() - begin) / 1e6;
};

const sandboxedStart = async (sandbox, task) => {
  const begin = process.hrtime.bigint();
  const { signal } = new AbortController();
  const { exitCode = 0 } = await sandbox.run({ task, config: { type: 'process' }, signal });
  if (exitCode !== 0) throw new Error(`the sandboxed program ended with ${exitCode}`);
  return Number(process.hrtime.bigint() - begin) / 1e6;
};

const TASKS = [
  { name: 'true, sandboxed', task: { kind: 'command', argv: ['true'] } },
  { name: 'node -e 0, sandboxed', task: { kind: 'command', argv: ['node', '-e', '0'] }, most: 3 },
  {
    name: 'code, sandboxed',
    task: { kind: 'code', code: 'export const run = () => 1;', input: {} },
    most: 3,
  },
];

const open = async () => {
  const [{ createRuntime }, { createProcessSandbox }] = [
    await loadProduct(),
    await loadProcessSandbox(),
  ];
  return createProcessSandbox({
    platform: process.platform,
    processor: process.arch,
    cores: availableParallelism(),
    identity: { uid: process.getuid(), gid: process.getgid() },
    node: process.execPath,
    runtime: createRuntime(),
    masks: { isSecret: () => false, isProtected: () => false },
  });
};

export const measure = async ({ quick }) => {
  const sandbox = await open();
  const readiness = await sandbox.readiness();
  if (!readiness.ready) throw new Error(`${readiness.reason} ${readiness.install}`);
  const bare = [];
  const samples = TASKS.map(() => []);
  for (let round = 0; round < (quick ? 7 : 20); round++) {
    bare.push(bareStart());
    for (const [i, { task }] of TASKS.entries()) {
      samples[i].push(await sandboxedStart(sandbox, task));
    }
  }
  await sandbox.close();
  const row = (name, times) => {
    const { median: value, best, spread } = summarize(times);
    return { name, value, best, unit: 'ms', spread };
  };
  return [
    row('node -e 0', bare),
    ...TASKS.map(({ name, most }, i) => {
      const ratio = pairedRatio(samples[i], bare);
      const judged = { ...row(name, samples[i]), ratios: { 'node -e 0': ratio } };
      return most === undefined
        ? judged
        : { ...judged, target: target(`≤ ${most} times`, ratio <= most) };
    }),
  ];
};

await runIfMain(import.meta.url, title, measure);
