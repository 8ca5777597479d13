/** Finds out whether the program has set OpenTelemetry up, and traces with it then. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Telemetry } from '../../contract/telemetry.ts';
import { ownVersion } from '../../kit/file/own-version.ts';
import { createRuntime } from '../create-runtime.ts';

/** Where all copies of OpenTelemetry's API meet, so that it does not have to be loaded to know. */
const GLOBAL_API = Symbol.for('opentelemetry.js.api.1');

const isSetUp = (): boolean => {
  const api: unknown = Reflect.get(globalThis, GLOBAL_API);
  return typeof api === 'object' && api !== null && Reflect.get(api, 'trace') !== undefined;
};

/** Returns `undefined` where the program does not trace: nothing is loaded then. */
const findTelemetry = async (): Promise<Telemetry | undefined> => {
  if (!isSetUp()) return undefined;
  const { createOtelTelemetry } = await import('../../observation/telemetry/otel-telemetry.ts');
  return createOtelTelemetry({ version: ownVersion(), recordsContent: false });
};

/** Makes the runtime of a crib, with the program's tracing where it has some. */
export const tracingRuntime = async (overrides: Partial<Runtime> = {}): Promise<Runtime> =>
  createRuntime({
    ...overrides,
    telemetry: overrides.telemetry ?? (await findTelemetry()),
  });
