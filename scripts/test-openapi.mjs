// Imports the public OpenAPI documents, and calls a sample of their operations: npm run test:openapi.
//
//   --only <text>      only documents whose name contains the text
//   --limit <n>        only the first n documents, the smallest first
//   --skip-imports     only the calls
//   --skip-calls       only the imports
//   --peer             installs fastmcp for the comparison (used anyway when bench/ has it)
//   --no-peer          leaves the comparison out
//   --only-peer        only the comparison: what it gives does not depend on this build
//   --cache <folder>   where the documents are installed
//   --dist <folder>    another build than `dist`
//   --workers <n>      how many processes work at once
//   --json <file>      writes every result to a file
//
// The documents come from npm, without install scripts, and stay in the cache folder. Ends with 1
// when a target is missed. See docs/sources/openapi-figures.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { operationsOf } from './openapi/document.mjs';
import { cacheFolder, peerImporter, publicDocuments } from './openapi/packages.mjs';
import * as report from './openapi/report.mjs';
import { callSample } from './openapi/run-calls.mjs';
import { runTasks } from './openapi/worker-pool.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const flag = { type: 'boolean', default: false };
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    limit: { type: 'string' },
    cache: { type: 'string' },
    'skip-imports': flag,
    'skip-calls': flag,
    peer: flag,
    'no-peer': flag,
    'only-peer': flag,
    dist: { type: 'string', default: join(root, 'dist') },
    workers: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    json: { type: 'string' },
  },
});
const dist = resolve(values.dist);
const workers = Number(values.workers);
const cache = cacheFolder(values.cache);
const worker = (name) => join(root, 'scripts/openapi', name);

/** Documents above this size get a process of their own, so that its memory is theirs. */
const LARGE = 3_000_000;
const PEER_LIMIT_MS = 60_000;

const all = publicDocuments(cache);
const documents = all
  .filter(({ name }) => values.only === undefined || name.includes(values.only))
  .slice(0, values.limit === undefined ? undefined : Number(values.limit))
  .map((one) => ({ ...one, fresh: one.bytes > LARGE }));

const countOperations = (file) => operationsOf(JSON.parse(readFileSync(file, 'utf8'))).length;

const importAll = async (title, file, options) => {
  const results = [];
  const start = performance.now();
  let printed = start;
  await runTasks(file, documents, {
    workers,
    ...options,
    onResult: (task, result) => {
      const operations = result.crashed ? countOperations(task.file) : result.operations;
      results.push({ ...task, ...result, operations });
      if (performance.now() - printed < 15_000 && results.length < documents.length) return;
      printed = performance.now();
      if (values.json) writeFileSync(`${values.json}.part`, JSON.stringify(results));
      const seconds = Math.round((printed - start) / 1000);
      console.log(`${title}: ${results.length} of ${documents.length} documents, ${seconds} s`);
    },
  });
  return { results, wallMs: performance.now() - start };
};

/** Lets the peer import the same documents. Returns its row of the summary, where it is installed. */
const measurePeer = async () => {
  const peer = peerImporter(root, cache, { mayInstall: values.peer });
  if (peer === undefined) {
    console.log(
      'fastmcp is not compared: install bench/ (npm ci --prefix bench), or run npm run test:openapi -- --peer',
    );
    return {};
  }
  const name = `fastmcp ${peer.version}`;
  const { results } = await importAll(name, worker('fastmcp-worker.mjs'), {
    data: { importer: peer.file },
    taskMs: PEER_LIMIT_MS,
  });
  return { rows: { [name]: { ...report.summarize(results), judged: false } }, results };
};

const measureImports = async () => {
  const ours = await importAll('Toolcrib', worker('import-worker.mjs'), { data: { dist } });
  const theirs = values['no-peer'] ? {} : await measurePeer();
  const summary = report.summarize(ours.results);
  report.printDetails(ours.results);
  report.printSlowest(ours.results);
  console.log(
    `\nImports and checks took ${Math.round(ours.wallMs / 1000)} s with ${workers} processes\n`,
  );
  report.printSummary({ Toolcrib: summary, ...theirs.rows });
  if (values.json) {
    const content = { summary, results: ours.results, peer: theirs.results };
    writeFileSync(values.json, JSON.stringify(content, undefined, 1));
  }
  return report.missedTargets(summary);
};

const printPeer = async () => {
  const { rows = {}, results = [] } = await measurePeer();
  report.printDetails(results);
  report.printSummary(rows);
  return [];
};

const measure = values['only-peer'] ? printPeer : measureImports;
const missed = [
  ...(values['skip-imports'] ? [] : await measure()),
  ...(values['skip-calls'] || values['only-peer']
    ? []
    : await callSample({ all, only: values.only, dist, workers })),
];
for (const one of missed) console.log(`missed: ${one}`);
process.exitCode = missed.length > 0 ? 1 : 0;
