/** Finds the built product: `../dist`, or the folder that TOOLCRIB_DIST names. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '..');

const distFolder = () => resolve(process.env.TOOLCRIB_DIST ?? join(root, 'dist'));

/** The product's public face. Throws with what to do when it is not built. */
export const productUrl = () => {
  const entry = join(distFolder(), 'index.js');
  if (!existsSync(entry)) {
    throw new Error(`${entry} is missing. Run "npm run build" in the repository root first.`);
  }
  return pathToFileURL(entry).href;
};

export const loadProduct = async () => import(productUrl());

export const wasmSandboxUrl = () =>
  pathToFileURL(join(distFolder(), 'sandboxes/wasm/create-wasm-sandbox.js')).href;

/** The wasm sandbox by itself, without the pipeline around it. */
export const loadWasmSandbox = () => import(wasmSandboxUrl());

/** The process sandbox by itself. */
export const loadProcessSandbox = () =>
  import(pathToFileURL(join(distFolder(), 'sandboxes/process/create-process-sandbox.js')).href);

/** The path of the `toolcrib` program, as the package declares it. */
export const programPath = () => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const declared = typeof bin === 'string' ? bin : bin?.toolcrib;
  if (declared === undefined) throw new Error('package.json declares no "toolcrib" program.');
  const path = resolve(root, declared.replace(/^(\.\/)?dist\//, `${distFolder()}/`));
  if (!existsSync(path)) {
    throw new Error(`${path} is missing. Run "npm run build" in the repository root first.`);
  }
  return path;
};

/** The parts of the server by themselves, as the command line puts them together. */
export const loadServer = async () => {
  const load = (file) => import(pathToFileURL(join(distFolder(), file)).href);
  return {
    ...(await load('server/open-server.js')),
    ...(await load('trust/load-config.js')),
    ...(await load('crib/create-runtime.js')),
    ...(await load('surfaces/http/auth/token-service.js')),
  };
};
