/** Starts a server of `http-server.mjs` and ends it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const startServer = async (name) => {
  const child = fork(join(import.meta.dirname, 'http-server.mjs'), [name], {
    execArgv: ['--expose-gc'],
  });
  const [said] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The server "${name}" ended with ${code} before it listened.`);
    }),
  ]);
  return {
    ...said,
    /** Resident bytes, after a collection. */
    memory: async () => {
      child.send('memory');
      const [{ rss }] = await once(child, 'message');
      return rss;
    },
    /** Microseconds of processor time so far. */
    cpu: async () => {
      child.send('cpu');
      const [{ cpu }] = await once(child, 'message');
      return cpu;
    },
    stop: async () => {
      child.send('stop');
      await once(child, 'exit');
    },
  };
};
