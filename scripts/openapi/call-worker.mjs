/** Calls the sampled operations of one document a message. Runs in a process of its own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBedServer } from './bed-server.mjs';
import { callOperation } from './call-operation.mjs';
import { operationsOf } from './document.mjs';
import { loadCreateCrib } from './open-bed-crib.mjs';

const { dist } = JSON.parse(process.argv[2]);
const createCrib = await loadCreateCrib(dist);
const server = await startBedServer();

const answer = async ({ file, operations }) => {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const all = operationsOf(document);
  const results = [];
  for (const operation of operations) {
    const found = all.find(({ method, path }) => `${method} ${path}` === operation);
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-openapi-call-'));
    let result;
    try {
      result = await callOperation({ document, found, server, createCrib, folder });
    } catch (error) {
      result = { ok: false, step: 'threw', fault: String(error?.stack ?? error).slice(0, 500) };
    }
    rmSync(folder, { recursive: true, force: true });
    results.push({ operation, ...result });
  }
  process.send({ results, rssMb: Math.round(process.memoryUsage.rss() / 1e6) });
};

process.on('message', (task) => void answer(task));
