/**
 * Reads the definitions of a server by reflection: v1, else v1alpha. Bounded in files, bytes and
 * time.
 */
import type { Client, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { isServiceError } from '../call/status-failure.ts';
import { type Decoding, decodeMessage, newDecoding } from '../codec/decode-message.ts';
import { encodeMessage } from '../codec/encode-message.ts';
import { createTypeTable } from '../codec/type-table.ts';
import { isOwnService, isTypeName } from './checked-names.ts';
import type { FileDescriptor } from './descriptors.ts';
import { KNOWN_FILES } from './known-types.ts';
import { PROTOCOL_TYPES } from './protocol-types.ts';

const VERSIONS = ['v1', 'v1alpha'] as const;
const UNIMPLEMENTED = 12;

const MAX_SERVICES = 1000;
const MAX_FILES = 2000;
const MAX_FILE_BYTES = 32_000_000;
/** Of the descriptors as JSON: small messages can stand for much. */
const MAX_JSON = 40_000_000;
export const MAX_REFLECTION_MESSAGE = 16_000_000;

export interface ReflectedFiles {
  readonly files: readonly FileDescriptor[];
  /** The services that the server lists. */
  readonly services: readonly string[];
  readonly missing: readonly { readonly name: string; readonly reason: string }[];
}

interface Answer {
  readonly files?: { readonly fileDescriptorProto: readonly string[] };
  readonly services?: { readonly service: readonly { readonly name?: string }[] };
  readonly error?: { readonly errorCode?: number; readonly errorMessage?: string };
}

interface Reflection {
  ask(question: Readonly<Record<string, string>>): Promise<Answer>;
  readonly decoding: Decoding;
}

const tooMuch = (what: string): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', `The reflection of the server sends too much: ${what}.`, {
    suggestions: ['Give its proto files: --proto <file>, or the setting proto of the source.'],
  });

type Stream = ClientDuplexStream<Buffer, Buffer>;

/** Asks one question after the other on one stream. */
const reflectionOn = (stream: Stream, host: string): Reflection => {
  const types = createTypeTable(PROTOCOL_TYPES);
  const decoding = newDecoding(types, MAX_JSON);
  const answers = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  return {
    decoding,
    async ask(question) {
      stream.write(encodeMessage('reflection.Request', { host, ...question }, types));
      const { value, done } = await answers.next();
      if (done) throw new ToolFailure('SERVER_ERROR', 'The server ended its reflection too early.');
      return decodeMessage('reflection.Response', value, decoding) as Answer;
    },
  };
};

interface FileSet {
  readonly byName: Map<string, FileDescriptor>;
  bytes: number;
}

/** Adds the files of an answer; returns those that are new. */
const addFiles = ({ files }: Answer, set: FileSet, decoding: Decoding): readonly FileDescriptor[] =>
  (files?.fileDescriptorProto ?? []).flatMap((text) => {
    const bytes = Buffer.from(text, 'base64');
    set.bytes += bytes.length;
    if (set.bytes > MAX_FILE_BYTES) throw tooMuch(`more than ${MAX_FILE_BYTES} bytes`);
    if (set.byName.size >= MAX_FILES) throw tooMuch(`more than ${MAX_FILES} files`);
    const type = 'google.protobuf.FileDescriptorProto';
    const file = decodeMessage(type, bytes, decoding) as FileDescriptor;
    const name = file.name ?? '';
    if (set.byName.has(name)) return [];
    set.byName.set(name, file);
    return [file];
  });

/**
 * Fetches the files that the new ones import, until there are none. A cycle ends where it began.
 */
const addImports = async (
  added: readonly FileDescriptor[],
  set: FileSet,
  { ask, decoding }: Reflection,
): Promise<void> => {
  const imports = new Set<string>();
  const open = [...added];
  for (const file of open) {
    for (const name of file.dependency) {
      if (set.byName.has(name) || KNOWN_FILES.has(name) || imports.has(name)) continue;
      imports.add(name);
      if (imports.size > MAX_FILES) throw tooMuch(`more than ${MAX_FILES} imports`);
      // A file that the server does not have may hold nothing that is needed.
      open.push(...addFiles(await ask({ fileByFilename: name }), set, decoding));
    }
  }
};

const listServices = async (reflection: Reflection): Promise<readonly string[]> => {
  const { services, error } = await reflection.ask({ listServices: '*' });
  if (error) throw new ToolFailure('SERVER_ERROR', visibleText(error.errorMessage ?? ''));
  const names = services?.service.map(({ name = '' }) => name) ?? [];
  if (names.length > MAX_SERVICES) throw tooMuch(`more than ${MAX_SERVICES} services`);
  return [...new Set(names)];
};

const MAX_SHOWN = 200;

const readAll = async (reflection: Reflection): Promise<ReflectedFiles> => {
  const set: FileSet = { byName: new Map(), bytes: 0 };
  const missing: { name: string; reason: string }[] = [];
  const services = await listServices(reflection);
  for (const name of services) {
    if (isOwnService(name)) continue;
    const shown = visibleText(name.slice(0, MAX_SHOWN));
    if (!isTypeName(name)) {
      missing.push({ name: shown, reason: 'its name is no name of a service' });
      continue;
    }
    const answer = await reflection.ask({ fileContainingSymbol: name });
    const { error } = answer;
    if (error) {
      const words = visibleText((error.errorMessage ?? '').slice(0, MAX_SHOWN));
      missing.push({ name: shown, reason: `the server does not describe it: ${words}` });
      continue;
    }
    await addImports(addFiles(answer, set, reflection.decoding), set, reflection);
  }
  return { files: [...set.byName.values()], services, missing };
};

export interface ReflectionOptions {
  readonly host: string;
  readonly metadata: Metadata;
  readonly deadline: number;
  readonly signal: AbortSignal;
}

const readVersion = async (
  client: Client,
  version: string,
  { host, metadata, deadline, signal }: ReflectionOptions,
): Promise<ReflectedFiles> => {
  const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  const same = (bytes: Buffer): Buffer => bytes;
  const stream = client.makeBidiStreamRequest(path, same, same, metadata, { deadline });
  // The end of the stream is told by the iterator; a late error must not end the process.
  stream.on('error', () => undefined);
  const cancel = (): void => stream.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await readAll(reflectionOn(stream, host));
  } finally {
    signal.removeEventListener('abort', cancel);
    stream.cancel();
  }
};

/** Fails with CONFIG_INVALID where the server has no reflection. */
export const readReflection = async (
  client: Client,
  options: ReflectionOptions,
): Promise<ReflectedFiles> => {
  for (const version of VERSIONS) {
    try {
      return await readVersion(client, version, options);
    } catch (error) {
      if (!isServiceError(error) || error.code !== UNIMPLEMENTED) throw error;
    }
  }
  throw new ToolFailure('CONFIG_INVALID', 'The server offers no reflection.', {
    suggestions: ['Give its proto files with the setting proto.'],
  });
};
