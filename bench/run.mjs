/** Runs every benchmark, prints one table a benchmark, and keeps the figures in results.json. */
import { rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, release } from 'node:os';
import { join } from 'node:path';
import { allMet, printTable, readOptions } from './report.mjs';

const benchmarks = [
  'execute',
  'durable',
  'flow',
  'growth',
  'search',
  'policy',
  'startup',
  'sandbox',
  'process-sandbox',
  'mcp',
  'mcp-scale',
  'openapi',
  'apis',
];

const machine = () => ({
  node: process.version,
  system: `${platform()} ${release()}`,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  load: loadavg(),
});

const { only, quick } = readOptions();
const unknown = only.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  throw new Error(`No benchmark "${unknown.join('", "')}". There are: ${benchmarks.join(', ')}.`);
}

const started = { at: new Date().toISOString(), quick, machine: machine() };
console.log(
  `Node ${started.machine.node}, ${started.machine.cores} × ${started.machine.processor}`,
);
const tables = {};
const failures = {};
for (const name of benchmarks.filter((one) => only.length === 0 || only.includes(one))) {
  const { measure, title } = await import(`./${name}.mjs`);
  try {
    tables[name] = await measure({ quick });
    printTable(title, tables[name]);
  } catch (error) {
    failures[name] = error.message;
    console.error(`\n${name} did not run: ${error.message}`);
  }
}

const rows = Object.values(tables).flat();
const judged = rows.filter((row) => row.target !== undefined);
const missed = judged.filter((row) => !row.target.met);
console.log(`\n${judged.length - missed.length} of ${judged.length} targets met`);
for (const row of missed) console.log(`missed: ${row.name}: ${row.target.text}`);

const results = join(import.meta.dirname, 'results.json');
writeFileSync(results, `${JSON.stringify({ ...started, tables, failures }, undefined, 2)}\n`);
rmSync(join(import.meta.dirname, '.data'), { recursive: true, force: true });
if (!allMet(rows) || Object.keys(failures).length > 0) process.exitCode = 1;
