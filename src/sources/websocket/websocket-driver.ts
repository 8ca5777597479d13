/** Turns the operations of a WebSocket service that answers requests into tools. */
import { ToolFailure } from '../../contract/errors.ts';
import type { BuildDeps, ExternalSettings, SourceDriver } from '../../contract/source-driver.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { buildOperation, type OperationDeps } from './build-operation.ts';
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

export const createWebsocketDriver = (): SourceDriver => {
  let shared: SharedConnection | undefined;
  const depsFor = (settings: ExternalSettings, { runtime }: BuildDeps): OperationDeps => {
    const own = ownSettings(settings);
    const { maxMessageBytes, heartbeatMs, idleMs } = { ...DEFAULTS, ...own };
    const replyPath = readPath(own.correlation.replyField);
    shared ??= new SharedConnection({ runtime, maxMessageBytes, idleMs, replyPath });
    const login = own.login && readTemplate(own.login.message);
    return { settings, runtime, shared, login, maxMessageBytes, heartbeatMs };
  };
  return {
    kind: 'websocket',
    locationOf: (settings) => ownSettings(settings).url,
    async read(settings) {
      assertReadable(settings);
      const operations = Object.keys(ownSettings(settings).operations);
      return { definition: { format: FORMAT, operations }, files: [] };
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
