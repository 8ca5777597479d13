/** Tells when an MCP server comes into another state. Looks only while somebody listens. */
import type { Events } from '../contract/events.ts';
import type { Runtime, Timer } from '../contract/runtime.ts';
import type { ServerState, Servers } from '../contract/servers.ts';

const EVERY_MS = 1000;

/** Returns how to stop. */
export const watchServers = (
  servers: Pick<Servers, 'list'>,
  { events, runtime }: { readonly events: Events; readonly runtime: Pick<Runtime, 'after'> },
): (() => void) => {
  let known = new Map<string, ServerState>();
  let timer: Timer | undefined;
  const look = (tell: boolean): void => {
    const before = known;
    known = new Map(servers.list().map(({ name, state }) => [name, state]));
    for (const [server, state] of known) {
      if (tell && before.get(server) !== state) events.emit('server.changed', { server, state });
    }
  };
  const again = (): void => {
    timer = runtime.after(EVERY_MS, () => {
      if (events.has('server.changed')) look(true);
      again();
    });
    timer.keepAlive(false);
  };
  look(false);
  again();
  return () => timer?.cancel();
};
