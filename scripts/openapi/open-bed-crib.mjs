/** Opens a crib with one OpenAPI source, as a program would: policy, egress guard and audit are on. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ALLOW_ALL = { version: 1, rules: [{ name: 'all', effect: 'allow' }] };

const APPROVER = { ask: async () => ({ answer: 'approve', by: 'bed' }) };

/** Loads the public face of a build. */
export const loadCreateCrib = async (dist) => {
  const { createCrib } = await import(pathToFileURL(join(dist, 'index.js')).href);
  return createCrib;
};

/** `settings` go to the source beside its document; `keys` are the secrets by their keys. */
export const openBedCrib = async ({ createCrib, folder, document, settings = {}, keys = {} }) => {
  const crib = await createCrib({
    store: 'memory',
    builtins: false,
    watch: false,
    home: folder,
    root: folder,
    policy: ALLOW_ALL,
    approver: APPROVER,
    secrets: { get: async (key) => (Object.hasOwn(keys, key) ? keys[key] : undefined) },
    runtime: { log: SILENT },
    config: {
      registry: { lock: 'off' },
      // Deprecated operations are judged like the others.
      sources: { openapi: { api: { document, deprecated: true, ...settings } } },
    },
  });
  return { crib, close: () => crib.close() };
};

const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
