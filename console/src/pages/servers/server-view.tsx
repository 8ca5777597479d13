/** One server: how it is, what it offers, what went wrong last, what it writes. */
import type { Loaded } from '../../api/use-load.ts';
import { Facts } from '../../components/facts.tsx';
import { count, duration } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StateHeader } from '../../components/state-header.tsx';
import { HealthSection } from '../../health/health-section.tsx';
import { hrefOf } from '../../router/route.ts';
import { ServerActions } from './server-actions.tsx';
import { ServerConfigPanel } from './server-config.tsx';
import { ServerLogs } from './server-logs.tsx';
import type { ServerConfig, ServerStatus } from './server-records.ts';
import { stateMeaning } from './server-state.ts';

const ServerFacts = ({ server }: { readonly server: ServerStatus }) => (
  <Facts
    of={[
      ['Transport', server.transport],
      ['Protocol', server.protocol],
      ['Started', server.startedAt !== undefined && <RelativeTime at={server.startedAt} />],
      ['Process', server.pid !== undefined && String(server.pid)],
      ['Latency', server.latencyMs !== undefined && duration(server.latencyMs)],
      ['Restarts', count(server.restarts)],
      [
        'Tools',
        <a key="tools" href={hrefOf(['tools'], { q: `mcp ${server.name}` })}>
          {count(server.tools)}
        </a>,
      ],
      ['Resources', count(server.resources)],
      ['Prompts', count(server.prompts)],
    ]}
  />
);

interface ViewProps {
  readonly server: ServerStatus;
  readonly config: Loaded<ServerConfig>;
  onChanged(): void;
}

export const ServerView = ({ server, config, onChanged }: ViewProps) => {
  return (
    <>
      <StateHeader name={server.name} state={stateMeaning(server)} lastError={server.lastError} />
      <ServerActions server={server} onDone={onChanged} />
      <ServerFacts server={server} />
      <HealthSection key={`${server.name} health`} subject={`server:${server.name}`} />
      <ServerConfigPanel key={`${server.name} config`} name={server.name} config={config} />
      <ServerLogs key={server.name} name={server.name} />
    </>
  );
};
