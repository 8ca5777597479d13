/** Emits an event when an MCP server changes its state. Looks only while there is a listener. */
import type { Events } from '../contract/events.ts';
import type { Runtime, Timer } from '../contract/runtime.ts';
import type { ServerState, Servers } from '../contract/servers.ts';

const EVERY_MS = 1000;

/** Starts watching; returns a function that stops it. */
export const watchServers = (
  servers: Pick<Servers, 'list'>,
  { events, runtime }: { readonly events: Events; readonly runtime: Pick<Runtime, 'after'> },
): (() => void) => {
  let states = new Map<string, ServerState>();
  let timer: Timer | undefined;
  const compare = (emits: boolean): void => {
    const before = states;
    states = new Map(servers.list().map(({ name, state }) => [name, state]));
    for (const [server, state] of states) {
      if (emits && before.get(server) !== state) events.emit('server.changed', { server, state });
    }
  };
  const again = (): void => {
    timer = runtime.after(EVERY_MS, () => {
      if (events.has('server.changed')) compare(true);
      again();
    });
    timer.keepAlive(false);
  };
  compare(false);
  again();
  return () => timer?.cancel();
};
