/** What admins may change of the servers: add and take over, set the risk, remove. */
import { useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import { TIERS } from '../../api/tool-records.ts';
import { type Loaded, useLoad } from '../../api/use-load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { hrefOf, replaceRoute } from '../../router/route.ts';
import { AddServerDialog } from './add-server-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { TIER_WORDS } from './server-fields.tsx';
import type { ConfiguredServer, ServerConfig } from './server-records.ts';

const NONE: ServerConfig = { editable: false, items: [] };

/** Loads the configured servers for admins; does not ask for anybody else. */
export const useServerConfig = (): Loaded<ServerConfig> => {
  const { api } = useServices();
  const may = useMay('admin');
  return useLoad(`server config ${may}`, async () =>
    may ? api.get<ServerConfig>('/v1/servers/config') : NONE,
  );
};

interface ConfigProps {
  readonly config: Loaded<ServerConfig>;
}

export const ServerPageActions = ({ config }: ConfigProps) => {
  const [open, setOpen] = useState<'add' | 'import'>();
  if (config.data?.editable !== true) return null;
  const shared = { onDone: config.reload, onClose: () => setOpen(undefined) };
  return (
    <>
      <Button icon="plus" onClick={() => setOpen('add')}>
        Add a server
      </Button>
      <Button onClick={() => setOpen('import')}>Import servers…</Button>
      {open === 'add' && <AddServerDialog {...shared} />}
      {open === 'import' && <ImportDialog {...shared} />}
    </>
  );
};

export const PendingNote = ({ config }: ConfigProps) => {
  const pending = config.data?.items.filter((server) => server.pending !== undefined) ?? [];
  if (pending.length === 0) return null;
  return (
    <div className="note note-warn" role="status">
      <h2>Restart Toolcrib to use these changes</h2>
      <ul className="plain-list">
        {pending.map((server) => (
          <li key={server.name}>
            <SafeText text={server.name} /> <Badge tone="warn">{server.pending}</Badge>{' '}
            <span className="muted">
              <SafeText text={server.reach} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
};

const RemoveDialog = (props: { readonly name: string; onDone(): void; onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const remove = async (): Promise<void> => {
    await api.send('DELETE', `/v1/servers/${encodeURIComponent(props.name)}`);
    toast({ tone: 'good', text: `${props.name} was removed from the configuration.` });
    props.onDone();
    replaceRoute(hrefOf(['sources']));
  };
  return (
    <ConfirmDialog
      title={`Remove ${props.name}?`}
      confirm="Remove"
      kind="danger"
      onConfirm={remove}
      onClose={props.onClose}
    >
      <p>
        It is ended and taken out of the configuration, and a login to it is forgotten. Calls of it
        that run right now fail.
      </p>
    </ConfirmDialog>
  );
};

const TierChoice = ({ server, onDone }: { readonly server: ConfiguredServer; onDone(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const set = (tier: string): void => {
    api
      .send('PATCH', `/v1/servers/${encodeURIComponent(server.name)}`, { tier })
      .then(() =>
        toast({ tone: 'good', text: `The tools of ${server.name}: ${TIER_WORDS[tier]}.` }),
      )
      .catch(fail)
      .finally(onDone);
  };
  return (
    <label className="filter">
      <span>Risk of its tools</span>
      <select
        value={server.tier ?? 'external_api'}
        disabled={server.isOfProject}
        onChange={(event) => set(event.target.value)}
      >
        {TIERS.map((tier) => (
          <option key={tier} value={tier}>
            {TIER_WORDS[tier]}
          </option>
        ))}
      </select>
    </label>
  );
};

/** Shows the configuration of one server; nothing for those who may not see it. */
export const ServerConfigPanel = ({ name, config }: ConfigProps & { readonly name: string }) => {
  const [isAsking, setAsking] = useState(false);
  const server = config.data?.items.find((each) => each.name === name);
  if (!server || config.data?.editable !== true || server.pending === 'removed') return null;
  return (
    <section className="stack" aria-label="Configuration">
      <h3>Configuration</h3>
      <p>
        <code>
          <SafeText text={server.reach} />
        </code>
      </p>
      <div className="filters">
        <TierChoice server={server} onDone={config.reload} />
        <Button kind="danger" onClick={() => setAsking(true)}>
          Remove
        </Button>
      </div>
      {server.isOfProject && <p className="muted">It belongs to the project’s configuration.</p>}
      {isAsking && (
        <RemoveDialog name={name} onDone={config.reload} onClose={() => setAsking(false)} />
      )}
    </section>
  );
};
