/** Turns the operations of a WebSocket service that answers requests into tools. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type {
  BuildDeps,
  ExternalSettings,
  ReadDeps,
  SourceDriver,
} from '../../contract/source-driver.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { socketTarget } from '../../kit/http/pinned-web-socket.ts';
import { buildOperation, type OperationDeps } from './build-operation.ts';
import { connectService } from './connect-service.ts';
import { readPath, readTemplate, TemplateFault } from './message-template.ts';
import { SharedConnection } from './shared-connection.ts';
import { ownSettings } from './websocket-settings.ts';

const FORMAT = 1;
const DEFAULTS = { maxMessageBytes: 1_000_000, heartbeatMs: 30_000, idleMs: 60_000 };

/** What is kept is only which operations there are: all else stands in the settings. */
interface WebsocketDefinition {
  readonly format: typeof FORMAT;
  readonly operations: readonly string[];
}

const isDefinition = (value: unknown): value is WebsocketDefinition =>
  isRecord(value) && value.format === FORMAT && Array.isArray(value.operations);

const invalid = (fault: TemplateFault): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The settings of the source cannot be read: ${fault.message}.`);

/** Finds faults that concern all operations. */
const assertReadable = (settings: ExternalSettings): void => {
  const { correlation, login } = ownSettings(settings);
  try {
    readPath(correlation.field);
    readPath(correlation.replyField);
    if (login) readTemplate(login.message);
    if (login?.replyField !== undefined) readPath(login.replyField);
  } catch (error) {
    throw error instanceof TemplateFault ? invalid(error) : error;
  }
};

const serviceDeps = (settings: ExternalSettings, runtime: Runtime) => {
  const own = ownSettings(settings);
  const { maxMessageBytes, heartbeatMs, idleMs } = { ...DEFAULTS, ...own };
  const login = own.login && readTemplate(own.login.message);
  return { settings, runtime, login, maxMessageBytes, heartbeatMs, idleMs };
};

/** Connects and logs in, as the next call would. */
const tryConnection = async (settings: ExternalSettings, deps: ReadDeps): Promise<void> => {
  const { host, port } = socketTarget(new URL(ownSettings(settings).url));
  const address = await deps.resolveHost(host, port);
  const secretOf = async (key: string): Promise<string> => {
    const value = await deps.secret(key);
    if (value !== undefined) return value;
    throw new ToolFailure('AUTH_MISSING', `The secret ${key} is not there.`, {
      suggestions: [`Store it: toolcrib secrets set ${key}`],
    });
  };
  const events = { onMessage: () => true, onEnd: () => undefined };
  const service = serviceDeps(settings, deps.runtime);
  (await connectService(service, { secretOf, address }, events)).close();
};

export const createWebsocketDriver = (): SourceDriver => {
  let shared: SharedConnection | undefined;
  const depsFor = (settings: ExternalSettings, { runtime }: BuildDeps): OperationDeps => {
    const { idleMs, ...service } = serviceDeps(settings, runtime);
    const { maxMessageBytes } = service;
    const replyPath = readPath(ownSettings(settings).correlation.replyField);
    shared ??= new SharedConnection({ runtime, maxMessageBytes, idleMs, replyPath });
    return { ...service, shared };
  };
  return {
    kind: 'websocket',
    locationOf: (settings) => ownSettings(settings).url,
    async read(settings) {
      assertReadable(settings);
      const operations = Object.keys(ownSettings(settings).operations);
      return { definition: { format: FORMAT, operations }, files: [] };
    },
    async ping(_definition, settings, deps) {
      // Heartbeats watch a connection that is open; some services allow only one.
      if (shared?.isOpen !== true) await tryConnection(settings, deps);
    },
    build(definition, settings, deps) {
      if (!isDefinition(definition)) return undefined;
      const operationDeps = depsFor(settings, deps);
      return Object.entries(ownSettings(settings).operations).flatMap(([name, operation]) => {
        try {
          return [buildOperation(name, operation, operationDeps)];
        } catch (error) {
          if (!(error instanceof TemplateFault)) throw error;
          deps.refuse({ name, reason: reasonOf(error) });
          return [] as Tool[];
        }
      });
    },
    async close() {
      shared?.close();
    },
  };
};
