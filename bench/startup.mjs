/** How long the command line takes to start, in multiples of what Node itself takes. */
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { programPath } from './product.mjs';
import { scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'startup: the command line against "node -e 0"';

/** An environment of our own: a certificate bundle or a loader set there would slow every start. */
const start = (args, folder) => {
  const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' };
  const begin = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, env });
  const ms = Number(process.hrtime.bigint() - begin) / 1e6;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
};

export const measure = async ({ quick }) => {
  const program = programPath();
  const commands = [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'toolcrib --version', args: [program, '--version'], most: 2 },
    { name: 'toolcrib tools', args: [program, 'tools'], most: 5 },
  ];
  const folder = await scratchFolder();
  const samples = commands.map(() => []);
  try {
    for (const { args } of commands) start(args, folder);
    for (let round = 0; round < (quick ? 7 : 15); round++) {
      for (const [i, { args }] of commands.entries()) samples[i].push(start(args, folder));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return commands.map(({ name, most }, i) => {
    const { median: value, best, spread } = summarize(samples[i]);
    const row = { name, value, best, unit: 'ms', spread };
    if (most === undefined) return row;
    const ratio = pairedRatio(samples[i], samples[0]);
    const verdict = target(`≤ ${most} times`, ratio <= most);
    return { ...row, ratios: { 'node -e 0': ratio }, target: verdict };
  });
};

await runIfMain(import.meta.url, title, measure);
