/** Starts servers of `http-server.mjs` and ends them. */
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

/** Starts one server a name. Where one does not start, none is left running. */
export const startServers = async (names) => {
  const starts = await Promise.allSettled(names.map(startServer));
  const failed = starts.find(({ status }) => status === 'rejected');
  if (!failed) return starts.map(({ value }) => value);
  await Promise.all(starts.map(({ value }) => value?.stop()));
  throw failed.reason;
};
