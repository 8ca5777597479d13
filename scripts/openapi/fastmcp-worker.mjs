/** Imports one document a message with the importer of fastmcp. Runs in a process of its own. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { operationsOf } from './document.mjs';

const { importer } = JSON.parse(process.argv[2]);
const { fromOpenAPI } = await import(pathToFileURL(importer).href);

/** Counts the tools as they are registered: the server itself does not list them. */
const countingServer = () => {
  const names = [];
  const count = (tool) => names.push(tool.name);
  const server = {
    addTool: count,
    addTools: (tools) => tools.forEach(count),
    addResource: count,
    addResourceTemplate: count,
  };
  return { names, server };
};

const answer = async ({ file }) => {
  const operations = operationsOf(JSON.parse(readFileSync(file, 'utf8'))).length;
  const { names, server } = countingServer();
  const start = performance.now();
  let result;
  try {
    // Where a document names no server, an address keeps the peer from refusing it for that.
    await fromOpenAPI({ spec: file, server, maxTools: 1e6, baseUrl: 'https://example.com' });
    result = { operations, tools: names.length, uniqueNames: new Set(names).size };
  } catch (error) {
    result = { operations, tools: 0, refused: String(error?.message ?? error).slice(0, 300) };
  }
  process.send({
    ...result,
    importMs: performance.now() - start,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1000),
    rssMb: Math.round(process.memoryUsage.rss() / 1e6),
  });
};

process.on('message', (task) => void answer(task));
