// Serves the fixtures of the official MCP conformance suite through our surface, over HTTP. Prints
// its address and runs until it is told to end. The first argument is the folder of the build.
import { AsyncLocalStorage } from 'node:async_hooks';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fixturePrompts, fixtureResources } from './mcp-server-resources.mjs';
import { fixtureTools } from './mcp-server-tools.mjs';

const load = (path) => import(pathToFileURL(resolve(process.argv[2] ?? 'dist', path)).href);
const [{ createCrib }, { defineTool }, { createRuntime }, surfaces, http] = await Promise.all([
  load('crib/create-crib.js'),
  load('contract/define-tool.js'),
  load('crib/create-runtime.js'),
  load('surfaces/mcp/create-mcp-surface.js'),
  load('surfaces/mcp/http/serve-mcp-http.js'),
]);

const links = new AsyncLocalStorage();
let promptsChanged = () => undefined;
let added = 0;
const change = {
  prompts: () => promptsChanged(),
  tools: () => {
    added += 1;
    crib.tools.register(
      defineTool({
        name: `test_added_${added}`,
        description: 'Added while it ran.',
        tier: 'read_only',
        input: { type: 'object' },
        run: () => 'here',
      }),
    );
  },
};
const tools = fixtureTools(defineTool, { linkOf: () => links.getStore(), change });
const crib = await createCrib({ builtins: false, store: 'memory', tools });

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, fields) => console.error(message, fields),
  error: (message, fields) => console.error(message, fields),
};
const runtime = createRuntime({ log });
const surface = await surfaces.createMcpSurface(crib, {
  runtime,
  version: '0.0.0-conformance',
  caller: {},
  resources: [fixtureResources],
  prompts: [
    fixturePrompts((changed) => {
      promptsChanged = changed;
      return () => undefined;
    }),
  ],
  aroundCall: (link, run) => links.run(link, run),
  // The suite sends no token: whoever reaches this port is the tester.
  http: { authenticate: async () => ({ key: 'conformance', caller: { agentId: 'conformance' } }) },
});
const server = await http.serveMcpHttp(surface, { port: 0, log });
console.log(server.url);

const end = async () => {
  await surface.close();
  await server.close();
  await crib.close();
};
process.once('SIGTERM', () => void end());
process.once('SIGINT', () => void end());
