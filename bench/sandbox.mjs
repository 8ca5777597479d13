/** A custom tool in the wasm sandbox, warm and cold, beside starting `node` for the same work. */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadWasmSandbox, wasmSandboxUrl } from './product.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'sandbox: a custom tool in wasm against starting node';

const CODE = 'export const run = ({ words }) => ({ text: words.join(" ").toUpperCase() });';
const INPUT = { words: ['one', 'two', 'three'] };
const EXPECTED = 'ONE TWO THREE';

/** What a runner that spawns node for each call would have it do. */
const SPAWNED = `${CODE}
let text = '';
for await (const chunk of process.stdin) text += chunk;
process.stdout.write(JSON.stringify(run(JSON.parse(text))));`;

/** Warm calls are timed in a row, so that one reading of the clock means something. */
const CALLS = 20;

const timeOf = async (work) => {
  const start = process.hrtime.bigint();
  const { text } = await work();
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (text !== EXPECTED) throw new Error(`the tool said ${text}`);
  return ms;
};

const spawnNode = () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', SPAWNED], {
    input: JSON.stringify(INPUT),
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return JSON.parse(stdout);
};

const callIn = async (sandbox) => {
  const { signal } = new AbortController();
  const task = { kind: 'code', name: 'tool.js', code: CODE, input: INPUT };
  return (await sandbox.run({ task, config: { type: 'wasm' }, signal })).value;
};

/** Long enough for a thread to start beside other work. */
const READY_MS = 250;

/** `prepared`: as a crib does it that has loaded custom tools, some time before the first call. */
const coldCall = async (createWasmSandbox, prepared) => {
  const sandbox = createWasmSandbox();
  if (prepared) {
    sandbox.prepare();
    await sleep(READY_MS);
  }
  const ms = await timeOf(() => callIn(sandbox));
  await sandbox.close();
  return ms;
};

const warmCall = async (sandbox) => {
  const ms = await timeOf(async () => {
    for (let i = 1; i < CALLS; i++) await callIn(sandbox);
    return callIn(sandbox);
  });
  return ms / CALLS;
};

/** The longest that the host's event loop stood still while a guest looped for ever. */
const longestStall = async (sandbox) => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  const task = { kind: 'code', code: 'export const run = () => { for (;;) {} };', input: {} };
  const { signal } = new AbortController();
  await sandbox.run({ task, config: { type: 'wasm', timeLimit: 500 }, signal }).catch(() => {});
  clearInterval(timer);
  return longest;
};

/** The first call of a process, the engine's loading and compiling included. */
const firstCall = () => {
  const program = `const { createWasmSandbox } = await import(${JSON.stringify(wasmSandboxUrl())});
const sandbox = createWasmSandbox();
const task = { kind: 'code', code: ${JSON.stringify(CODE)}, input: ${JSON.stringify(INPUT)} };
const start = process.hrtime.bigint();
await sandbox.run({ task, config: { type: 'wasm' }, signal: new AbortController().signal });
process.stdout.write(String(Number(process.hrtime.bigint() - start) / 1e6));
await sandbox.close();`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (!(Number(stdout) > 0)) throw new Error(`the first call failed: ${stderr}`);
  return Number(stdout);
};

const sampleAll = async (createWasmSandbox, rounds) => {
  const samples = { node: [], warm: [], cold: [], thread: [], first: [] };
  const sandbox = createWasmSandbox();
  await timeOf(() => callIn(sandbox));
  for (let i = 0; i < 10; i++) await warmCall(sandbox);
  for (let round = 0; round < rounds; round++) {
    samples.node.push(await timeOf(async () => spawnNode()));
    samples.warm.push(await warmCall(sandbox));
    samples.cold.push(await coldCall(createWasmSandbox, true));
    samples.thread.push(await coldCall(createWasmSandbox, false));
    samples.first.push(firstCall());
  }
  const stall = await longestStall(sandbox);
  await sandbox.close();
  return { samples, stall };
};

export const measure = async ({ quick }) => {
  const { createWasmSandbox } = await loadWasmSandbox();
  const { samples, stall } = await sampleAll(createWasmSandbox, quick ? 7 : 15);
  const row = (name, key, most) => {
    const { median: value, best, spread } = summarize(samples[key]);
    const ratio = pairedRatio(samples[key], samples.node);
    const base = { name, value, best, unit: 'ms', spread, ratios: { node: ratio } };
    if (most === undefined) return base;
    return { ...base, target: target(`≤ ${most} times`, ratio <= most) };
  };
  const { median: value, best, spread } = summarize(samples.node);
  return [
    { name: 'node, started for the call', value, best, unit: 'ms', spread },
    row('wasm, warm', 'warm', 1 / 50),
    row('wasm, cold: first call of a crib', 'cold', 1 / 2),
    row('wasm, unprepared: a new thread', 'thread'),
    row('wasm, unprepared: a new process', 'first'),
    {
      name: 'longest stall of the host, endless loop',
      value: stall,
      unit: 'ms',
      target: target('≤ 50 ms', stall <= 50),
    },
  ];
};

await runIfMain(import.meta.url, title, measure);
