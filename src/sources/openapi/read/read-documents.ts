/**
 * Reads an OpenAPI document and those that it refers to. Bounded in number, size and depth; a document
 * of the web leads to no file, and every request goes through the egress guard.
 */
import { posix } from 'node:path';
import { ToolFailure } from '../../../contract/errors.ts';
import type { ExternalSettings, ReadDeps } from '../../../contract/source-driver.ts';
import { isObject, isRecord } from '../../../kit/data/is-record.ts';
import { readBytes } from '../../../kit/http/read-reply.ts';
import { codeForStatus } from '../../../kit/http/status-code.ts';
import { resolveSecrets } from '../../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { INLINE, isAddress, isInline, optionsOf } from '../openapi-settings.ts';
import type { OpenapiDefinition } from '../operations/definition.ts';
import { mayRefer, resolveAddress } from './document-address.ts';
import type { DocumentPool } from './document-pool.ts';
import { unreadable } from './unreadable.ts';

const MAX_DOCUMENTS = 300;
const MAX_BYTES = 100_000_000;
/** A document that is referred to over more steps is not read. */
const MAX_STEPS = 20;
/** Requests at a time. */
const MAX_AT_ONCE = 8;

const ACCEPT = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5';

interface Reading {
  readonly pool: DocumentPool;
  readonly documents: Record<string, unknown>;
  bytesLeft: number;
}

/**
 * Returns the headers for a request: they are meant for the API, so a document gets them only at the same
 * origin.
 */
const headersFor = async (
  settings: ExternalSettings,
  deps: ReadDeps,
  address: string,
): Promise<Record<string, string>> => {
  const { baseUrl } = optionsOf(settings);
  const isOwn = baseUrl !== undefined && new URL(baseUrl).origin === new URL(address).origin;
  if (!isOwn) return {};
  return resolveSecrets(settings.headers, deps.secret);
};

const fetchBytes = async (
  address: string,
  settings: ExternalSettings,
  { deps, maxBytes }: { readonly deps: ReadDeps; readonly maxBytes: number },
): Promise<Uint8Array> => {
  const headers = { accept: ACCEPT, ...(await headersFor(settings, deps, address)) };
  const response = await deps.fetch(address, { headers, signal: deps.signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new ToolFailure(
      codeForStatus(response.status),
      `The OpenAPI document could not be fetched: HTTP ${response.status}.`,
      { suggestions: ['Check the address; save the document as a file if it needs a login.'] },
    );
  }
  return readBytes(response, maxBytes);
};

const rootOf = (document: string): string => (isInline(document) ? INLINE : document);

/** Lowers the first letter, so that a sentence can follow a colon. */
const lowerFirst = (text: string): string =>
  text.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '');

const bytesOf = async (
  address: string,
  settings: ExternalSettings,
  { deps, maxBytes }: { readonly deps: ReadDeps; readonly maxBytes: number },
): Promise<Uint8Array> => {
  if (isAddress(address)) return fetchBytes(address, settings, { deps, maxBytes });
  const { document } = optionsOf(settings);
  const root = rootOf(document);
  if (address === INLINE && root === INLINE) return Buffer.from(document);
  // The user chose the first file; its author chose the others.
  const within = address === root ? {} : { within: posix.dirname(root) };
  try {
    return await deps.readFile(address, { maxBytes, ...within });
  } catch (error) {
    if (error instanceof ToolFailure) throw unreadable(lowerFirst(error.message));
    const code = isObject(error) && typeof error.code === 'string' ? error.code : 'unreadable';
    throw unreadable(`the file ${visibleText(address)} is missing or unreadable (${code})`);
  }
};

/** Lists the addresses that a document refers to, those of other documents only. */
const foreignReferences = (document: unknown, address: string): readonly string[] => {
  const addresses = new Set<string>();
  const open: unknown[] = [document];
  while (open.length > 0) {
    const node = open.pop();
    if (!isObject(node)) continue;
    const reference = node.$ref;
    if (typeof reference === 'string' && reference !== '' && !reference.startsWith('#')) {
      const target = resolveAddress(reference, address);
      if (target !== undefined && target !== address) addresses.add(target);
    }
    for (const value of Object.values(node)) if (isObject(value)) open.push(value);
  }
  return [...addresses];
};

const versionOf = (document: unknown): string | undefined => {
  if (!isRecord(document)) return undefined;
  const version = document.openapi ?? document.swagger;
  return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
};

/** Throws CONFIG_INVALID for a document of an unsupported version. */
const assertVersion = (document: unknown): void => {
  const version = versionOf(document);
  if (version === undefined) throw unreadable('it has no "openapi" or "swagger" field');
  // YAML reads `openapi: 3.0` as the number 3.
  if (!/^(?:3|(?:3\.[012]|2)(?:\..*)?)$/.test(version)) {
    throw unreadable(`its version is ${visibleText(version.slice(0, 20))}`);
  }
};

/** Reads one document into the collection. A missing one that is only referred to is left out. */
const readOne = async (
  address: string,
  reading: Reading,
  { settings, deps, isRoot }: { settings: ExternalSettings; deps: ReadDeps; isRoot: boolean },
): Promise<void> => {
  try {
    const bytes = await bytesOf(address, settings, { deps, maxBytes: reading.bytesLeft });
    reading.bytesLeft -= bytes.byteLength;
    if (reading.bytesLeft < 0) throw unreadable(`it is larger than ${MAX_BYTES} bytes`);
    reading.documents[address] = await reading.pool.parse(bytes, deps.signal);
  } catch (error) {
    if (isRoot || deps.signal.aborted) throw error;
    const reason = error instanceof Error ? deps.redact(error.message) : 'unknown';
    deps.runtime.log.warn('A document that an OpenAPI document refers to could not be read', {
      address: visibleText(address),
      reason,
    });
  }
};

/** Reads all documents; the definition keeps them unchanged. */
export const readDocuments = async (
  settings: ExternalSettings,
  deps: ReadDeps,
  pool: DocumentPool,
): Promise<OpenapiDefinition> => {
  const root = rootOf(optionsOf(settings).document);
  const reading: Reading = { pool, documents: {}, bytesLeft: MAX_BYTES };
  const seen = new Set([root]);
  let step: readonly string[] = [root];
  for (let depth = 0; step.length > 0 && depth < MAX_STEPS; depth += 1) {
    const isRoot = depth === 0;
    for (let at = 0; at < step.length; at += MAX_AT_ONCE) {
      await Promise.all(
        step
          .slice(at, at + MAX_AT_ONCE)
          .map((address) => readOne(address, reading, { settings, deps, isRoot })),
      );
    }
    if (isRoot) assertVersion(reading.documents[root]);
    const next = new Set<string>();
    for (const from of step) {
      for (const target of foreignReferences(reading.documents[from], from)) {
        if (!seen.has(target) && mayRefer(root, from, target)) next.add(target);
      }
    }
    for (const target of next) seen.add(target);
    if (seen.size > MAX_DOCUMENTS) {
      throw unreadable(`it refers to more than ${MAX_DOCUMENTS} documents`);
    }
    step = [...next];
  }
  return { format: 1, root, documents: reading.documents };
};
