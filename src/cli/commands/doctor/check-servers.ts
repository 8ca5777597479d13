/** What `doctor` says of the MCP servers: each one that is switched on is started and asked. */
import type { Catalog } from '../../../contract/catalog.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { Io } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { whileShown } from '../../output/while-shown.ts';
import type { Check } from './doctor-checks.ts';

/** A server that answered before has this long to answer again. */
const MAX_ANSWER_MS = 30_000;

const NAME = 'servers';

const broken = (name: string, reason: string): Check => ({
  name: NAME,
  state: 'broken',
  message: `${name}: ${reason}`,
  fix: `See why: toolcrib servers test ${name}`,
});

/** One that was never listed has been waited for already when the tools were loaded. */
const checkServer = async (
  io: Io,
  { servers }: CribHost,
  { name, state, tools, lastError }: ServerStatus,
): Promise<Check> => {
  const ok: Check = { name: NAME, state: 'ok', message: `${name}: ${counted(tools, 'tool')}` };
  if (state === 'needs_login') {
    const fix = `Log in: toolcrib servers login ${name}`;
    return { name: NAME, state: 'warning', message: `${name} needs a login`, fix };
  }
  if (state === 'ready') return ok;
  if (lastError !== undefined) return broken(name, lastError);
  const late = new Promise<Check>((resolve) => {
    const seconds = MAX_ANSWER_MS / 1000;
    const timer = io.runtime.after(MAX_ANSWER_MS, () =>
      resolve(broken(name, `no answer in ${seconds} s`)),
    );
    timer.keepAlive(false);
  });
  const asked = servers.test(name).then(
    ({ tools: listed }): Check => ({ ...ok, message: `${name}: ${counted(listed, 'tool')}` }),
    (error: unknown) => broken(name, reasonOf(error)),
  );
  return Promise.race([asked, late]);
};

/** None for servers that are switched off. */
export const checkServers = (io: Io, crib: CribHost): Promise<readonly Check[]> => {
  const enabled = crib.servers.list().filter(({ state }) => state !== 'disabled');
  return whileShown(io, 'Asking the MCP servers', () =>
    Promise.all(enabled.map((status) => checkServer(io, crib, status))),
  );
};

/** Tools that go by another name than their own, and tools that were refused. */
export const checkLoads = ({ loads }: Pick<Catalog, 'loads'>): readonly Check[] =>
  loads.flatMap(({ source, renamed, refused }) => [
    ...renamed.map(
      ({ from, to }): Check => ({
        name: 'tools',
        state: 'warning',
        message: `${source}: ${from} is called ${to} here, its name was taken`,
      }),
    ),
    ...refused.map(
      ({ tool, reason }): Check => ({
        name: 'tools',
        state: 'warning',
        message: `${source}: ${tool} was refused: ${reason}`,
      }),
    ),
  ]);
