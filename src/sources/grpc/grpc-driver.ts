/** Turns the methods of a gRPC server into tools: definitions by reflection or from proto files. */
import { ToolFailure } from '../../contract/errors.ts';
import type {
  ExternalSettings,
  ReadDeps,
  SourceDriver,
  SourceReading,
} from '../../contract/source-driver.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { callMetadata } from './call/call-metadata.ts';
import { type Channels, createChannels } from './call/channels.ts';
import { openClient } from './call/open-client.ts';
import { statusFailure } from './call/status-failure.ts';
import { MalformedMessage } from './codec/wire-reader.ts';
import { buildInProcess } from './definition/build-in-process.ts';
import { isOwnService, isTypeName } from './definition/checked-names.ts';
import type { FileDescriptor } from './definition/descriptors.ts';
import { DEFINITION_FORMAT, type GrpcDefinition, type ServiceModel } from './definition/model.ts';
import { MAX_PROTO_BYTES, readProtoFiles } from './definition/read-proto-files.ts';
import { MAX_REFLECTION_MESSAGE, readReflection } from './definition/read-reflection.ts';
import { type GrpcSettings, grpcSettings } from './grpc-settings.ts';
import { loadGrpc } from './load-libraries.ts';
import { buildTools } from './tools/build-tools.ts';
import { checkHealth } from './tools/check-health.ts';

const MAX_READ_MS = 60_000;
const MAX_CA_BYTES = 1_000_000;

interface ReadFiles {
  readonly files: readonly FileDescriptor[];
  readonly paths: readonly string[];
  readonly missing: GrpcDefinition['missing'];
  /** The services that the server lists; `undefined` where it was not asked. */
  readonly listed: readonly string[] | undefined;
}

const readFromServer = async (
  settings: GrpcSettings,
  ca: string | undefined,
  deps: ReadDeps,
): Promise<ReadFiles> => {
  const grpc = await loadGrpc();
  const address = await deps.resolveHost(settings.host, settings.port);
  const secret = (key: string): Promise<string | undefined> => deps.secret(key);
  const metadata = await callMetadata(settings, { grpc, address, secret });
  const limits = { maxReceiveBytes: MAX_REFLECTION_MESSAGE, maxSendBytes: 100_000, ca };
  const client = openClient(grpc, address, { settings, limits });
  try {
    const { host } = settings;
    const { signal, runtime } = deps;
    const deadline = runtime.now() + MAX_READ_MS;
    const { files, services, missing } = await readReflection(client, {
      host,
      metadata,
      signal,
      deadline,
    });
    return { files, paths: [], missing, listed: services };
  } catch (error) {
    if (deps.signal.aborted) throw deps.signal.reason;
    throw readFailure(error, deps);
  } finally {
    client.close();
  }
};

const readFailure = (error: unknown, deps: ReadDeps): ToolFailure => {
  if (error instanceof MalformedMessage) {
    return new ToolFailure('SERVER_ERROR', `The reflection cannot be read: ${error.message}.`);
  }
  return statusFailure(error, { redact: (text) => deps.redact(text), isRepeatable: true });
};

const readFromFiles = async (
  { proto, includeDirs }: GrpcSettings,
  deps: ReadDeps,
): Promise<ReadFiles> => {
  const { files, paths, missing } = await readProtoFiles(proto, includeDirs, {
    signal: deps.signal,
    absolutePath: (path) => deps.absolutePath(path),
    readFile: (path) => deps.readFile(path, { maxBytes: MAX_PROTO_BYTES }),
  });
  const reason = 'this import is in none of the folders; name its folder with includeDirs';
  const named = missing.map((name) => ({ name, reason }));
  return { files, paths, missing: named, listed: undefined };
};

const readCa = async ({ ca }: GrpcSettings, deps: ReadDeps): Promise<string | undefined> => {
  if (ca === undefined) return undefined;
  const text = Buffer.from(await deps.readFile(ca, { maxBytes: MAX_CA_BYTES })).toString('latin1');
  if (text.length <= MAX_CA_BYTES && text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ToolFailure('CONFIG_INVALID', 'The file of ca holds no certificate.', {
    suggestions: ['Give a file in PEM form.'],
  });
};

/** Lists services that the server names but does not describe. */
const undescribed = (
  services: readonly ServiceModel[],
  { listed = [], missing }: ReadFiles,
): GrpcDefinition['missing'] => {
  const names = new Set([...services, ...missing].map(({ name }) => name));
  const reason = 'the files that the server sent do not describe it';
  return listed
    .filter((name) => isTypeName(name) && !isOwnService(name) && !names.has(name))
    .map((name) => ({ name, reason }));
};

const definitionOf = async (
  read: ReadFiles,
  ca: string | undefined,
  { signal }: ReadDeps,
): Promise<GrpcDefinition> => {
  const { files, listed } = read;
  const built = await buildInProcess({ files, listed }, signal);
  return {
    format: DEFINITION_FORMAT,
    ...built,
    missing: [...read.missing, ...undescribed(built.services, read)],
    ...(ca !== undefined && { ca }),
  };
};

const read = async (
  external: ExternalSettings,
  deps: ReadDeps,
): Promise<SourceReading<GrpcDefinition>> => {
  const settings = grpcSettings(external);
  const ca = await readCa(settings, deps);
  const files =
    settings.proto.length > 0
      ? await readFromFiles(settings, deps)
      : await readFromServer(settings, ca, deps);
  const caPath = settings.ca === undefined ? [] : [deps.absolutePath(settings.ca)];
  const definition = await definitionOf(files, ca, deps);
  return { definition, files: [...files.paths, ...caPath] };
};

const isDefinition = (value: unknown): value is GrpcDefinition =>
  isRecord(value) && value.format === DEFINITION_FORMAT && Array.isArray(value.services);

/** Asks the server how it is, where its definitions come from files. */
const ping = async (
  definition: unknown,
  external: ExternalSettings,
  { resolveHost, redact, runtime }: ReadDeps,
): Promise<void> => {
  const settings = grpcSettings(external);
  if (settings.proto.length === 0 || !isDefinition(definition)) return;
  const channels = createChannels(settings, {
    maxReceiveBytes: external.maxOutputBytes,
    maxSendBytes: settings.maxRequestBytes,
    ca: definition.ca,
  });
  const now = (): number => runtime.now();
  try {
    const { healthy, message } = await checkHealth({
      settings,
      channels,
      resolveHost,
      redact,
      now,
    });
    if (!healthy) throw new ToolFailure('NETWORK', message ?? 'The server does not answer.');
  } finally {
    channels.close();
  }
};

export const createGrpcDriver = (): SourceDriver => {
  /** By the authorities that the server is checked against: readings share their connections. */
  const opened = new Map<string, Channels>();
  return {
    kind: 'grpc',
    locationOf: ({ own }) => String(Reflect.get(own as object, 'address')),
    read,
    ping,
    build(definition, external, deps) {
      if (!isDefinition(definition)) return undefined;
      const settings = grpcSettings(external);
      const { ca = '' } = definition;
      const channels =
        opened.get(ca) ??
        createChannels(settings, {
          maxReceiveBytes: external.maxOutputBytes,
          maxSendBytes: settings.maxRequestBytes,
          ca: definition.ca,
        });
      opened.set(ca, channels);
      return buildTools(definition, { ...deps, settings, external, channels });
    },
    async close() {
      for (const channels of opened.values()) channels.close();
      opened.clear();
    },
  };
};
