/**
 * A crib that knows what its servers bring today. What a server brought last is remembered and would
 * do for a list; who is to accept it, or to verify it, needs the present truth.
 */

import type { Crib } from '../../../contract/crib.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note } from '../../io.ts';
import { type OpenCrib, type OpenOptions, withCrib } from '../../session/open-crib.ts';

export interface FreshCrib extends OpenCrib {
  /** The servers that could not be asked; their tools are as they were known last. */
  readonly unreachable: readonly string[];
}

export interface FreshOptions extends OpenOptions {
  /** Only these are asked; all that are switched on otherwise. */
  readonly servers?: readonly string[];
}

const askAll = async (
  io: Io,
  { servers }: Crib,
  only: readonly string[] | undefined,
): Promise<readonly string[]> => {
  const running = servers
    .list()
    .filter(({ name, state }) => state !== 'disabled' && (only?.includes(name) ?? true));
  const asked = await Promise.all(
    running.map(async ({ name }) => {
      try {
        await servers.test(name);
        return [];
      } catch (error) {
        const reason = reasonOf(error);
        note(io, `${io.noteInk.yellow('!')} ${visibleText(`${name}: ${reason}`)}`);
        return [name];
      }
    }),
  );
  return asked.flat();
};

/** Asks every server, then opens a second time, with what they answered. */
export const withFreshCrib = async <T>(
  io: Io,
  work: (open: FreshCrib) => Promise<T>,
  { servers, ...options }: FreshOptions = {},
): Promise<T> => {
  const first = await withCrib(
    io,
    async (open) => {
      if (open.crib.servers.list().length > 0)
        return { unreachable: await askAll(io, open.crib, servers) };
      return { done: await work({ ...open, unreachable: [] }) };
    },
    options,
  );
  if ('done' in first) return first.done;
  const { unreachable } = first;
  return withCrib(io, (open) => work({ ...open, unreachable }), { ...options, silent: true });
};
