/** Settings: the configuration in force, tokens, standing permissions, the machine, the theme. */
import type { ReactNode } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { goTo, hrefOf, useRoute } from '../../router/route.ts';
import { ConfigPanel } from './config-panel.tsx';
import { GrantsPanel } from './grants-panel.tsx';
import { HealthPanel, MachinePanel } from './health-panel.tsx';
import { PeoplePanel } from './people-panel.tsx';
import type { SettingsView } from './setting-records.ts';
import { ThemePanel } from './theme-panel.tsx';
import { TokensPanel } from './tokens-panel.tsx';
import './settings.css';

const TABS = [
  { id: 'configuration', title: 'Configuration' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'people', title: 'People' },
  { id: 'permissions', title: 'Permissions' },
  { id: 'health', title: 'Health' },
  { id: 'appearance', title: 'Appearance' },
] as const;

const AdminsOnly = ({ children }: { readonly children: ReactNode }) =>
  useMay('admin') ? (
    children
  ) : (
    <EmptyState icon="settings" title="For admins">
      <p>Your role does not see this. Ask an admin for a sign-in link with that role.</p>
    </EmptyState>
  );

const Loaded = ({ children }: { readonly children: (view: SettingsView) => ReactNode }) => {
  const { api } = useServices();
  const view = useLoad('settings', () => api.get<SettingsView>('/v1/settings'));
  return <WhenLoaded of={view}>{children}</WhenLoaded>;
};

const Panel = ({ id }: { readonly id: (typeof TABS)[number]['id'] }) => {
  switch (id) {
    case 'permissions':
      return <GrantsPanel />;
    case 'appearance':
      return <ThemePanel />;
    case 'tokens':
      return (
        <AdminsOnly>
          <TokensPanel />
        </AdminsOnly>
      );
    case 'people':
      return (
        <AdminsOnly>
          <PeoplePanel />
        </AdminsOnly>
      );
    case 'health':
      return <HealthPanel machine={<Loaded>{(view) => <MachinePanel view={view} />}</Loaded>} />;
    default:
      return (
        <AdminsOnly>
          <Loaded>{(view) => <ConfigPanel lines={view.config} />}</Loaded>
        </AdminsOnly>
      );
  }
};

export const SettingsPage = () => {
  const { rest } = useRoute();
  const open = TABS.find(({ id }) => id === rest[0])?.id ?? 'configuration';
  return (
    <PageFrame title="Settings" lead="How this server is set up, and who may come in.">
      <Tabs
        label="Settings"
        tabs={TABS}
        selected={open}
        onSelect={(id) => goTo(hrefOf(['settings', id]))}
      >
        <Panel id={open} />
      </Tabs>
    </PageFrame>
  );
};
