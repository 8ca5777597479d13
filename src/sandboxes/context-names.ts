/** The members of the context of sandboxed code. Each call of one goes to the host, which judges it. */
export const CONTEXT_NAMES = [
  ...['fs.resolve', 'fs.read', 'fs.write', 'fs.remove', 'fs.list', 'fs.stat'],
  ...['model.generate', 'fetch', 'exec', 'call', 'secret', 'progress', 'warn', 'charge'],
  ...['memory.read', 'memory.write', 'memory.writeFor', 'memory.delete'],
  ...['logger.debug', 'logger.info', 'logger.warn', 'logger.error'],
] as const;
