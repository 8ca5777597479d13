/** The context of sandboxed code: its members, and a host that refuses all of them. */
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxHost } from '../contract/sandbox.ts';

/** The members. Each call of one goes to the host, which judges it. */
export const CONTEXT_NAMES = [
  ...['fs.resolve', 'fs.read', 'fs.write', 'fs.remove', 'fs.list', 'fs.stat'],
  ...['model.generate', 'fetch', 'exec', 'call', 'secret', 'progress', 'warn', 'charge'],
  ...['memory.read', 'memory.write', 'memory.writeFor', 'memory.delete'],
  ...['logger.debug', 'logger.info', 'logger.warn', 'logger.error'],
] as const;

/** Refuses every request, for a run without a host. */
export const NO_HOST: SandboxHost = {
  request: (method) =>
    Promise.reject(new ToolFailure('PERMISSION_DENIED', `The code may not ask for ${method}.`)),
};
