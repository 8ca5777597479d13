/** Waits for MCP servers whose tools are not known yet, and no longer than a command can bear. */
import type { CribHost } from '../../contract/crib-host.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import type { Io } from '../io.ts';
import { whileShown } from '../output/while-shown.ts';

/** How long programs that stay wait for the first lists of their servers. */
const MAX_FIRST_LIST_MS = 2000;

/** What is waited for, as the progress line names it. */
export const pendingServers = ({ servers }: CribHost): string => {
  const names = servers.list().filter(({ state }) => state === 'starting');
  return `Starting ${visibleText(names.map(({ name }) => name).join(', ') || 'servers')}`;
};

/** Resolves when every server has listed its tools or failed, and after two seconds in any case. */
export const firstLists = async (
  { runtime }: Pick<Io, 'runtime'>,
  crib: CribHost,
): Promise<void> => {
  const patience = new AbortController();
  const timer = runtime.after(MAX_FIRST_LIST_MS, () => patience.abort());
  await crib.discoverTools(patience.signal);
  timer.cancel();
};

/** Starts servers that were never listed until one of them brings the tool. A tool that is there needs none. */
export const findTool = async (io: Io, crib: CribHost, name: string): Promise<void> => {
  if (crib.tools.get(name)) return;
  const found = new AbortController();
  const stop = crib.events.on('tool.registered', () => {
    if (crib.tools.get(name)) found.abort();
  });
  await whileShown(
    io,
    () => pendingServers(crib),
    () => crib.discoverTools(found.signal),
  );
  stop();
};
