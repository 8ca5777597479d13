/** Traces with OpenTelemetry when the program has set it up. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Telemetry } from '../../contract/telemetry.ts';
import { ownVersion } from '../../kit/file/own-version.ts';
import { createRuntime } from '../create-runtime.ts';

/** The global that all copies of OpenTelemetry's API share; reading it needs no library. */
const GLOBAL_API = Symbol.for('opentelemetry.js.api.1');

const isSetUp = (): boolean => {
  const api: unknown = Reflect.get(globalThis, GLOBAL_API);
  return typeof api === 'object' && api !== null && Reflect.get(api, 'trace') !== undefined;
};

/** Returns `undefined`, and loads nothing, when the program does not trace. */
const findTelemetry = async (): Promise<Telemetry | undefined> => {
  if (!isSetUp()) return undefined;
  const { createOtelTelemetry } = await import('../../observation/telemetry/otel-telemetry.ts');
  return createOtelTelemetry({ version: ownVersion(), recordsContent: false });
};

/** Makes the runtime of a crib, with the program's tracing if there is any. */
export const tracingRuntime = async (overrides: Partial<Runtime> = {}): Promise<Runtime> =>
  createRuntime({
    ...overrides,
    telemetry: overrides.telemetry ?? (await findTelemetry()),
  });
