/** One tool: what it is, whether it is on, and its tabs. */
import { lazy, Suspense, useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import type { ToolDetail } from '../../api/tool-records.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { count } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, Skeleton, WhenLoaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { HealthSection } from '../../health/health-section.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf, replaceRoute } from '../../router/route.ts';
import { ToolAbout } from './tool-about.tsx';
import { ToolBadges } from './tool-badges.tsx';
import { ToolQuarantine } from './tool-quarantine.tsx';
import { ToolVersions } from './tool-versions.tsx';
import { TryTool } from './try-tool.tsx';

/** Its charts are half of the page, and most readers come for the form. */
const ToolFigures = lazy(async () => ({
  default: (await import('./tool-figures.tsx')).ToolFigures,
}));

interface ViewProps {
  readonly tool: ToolDetail;
  onChanged(): void;
}

const toolPath = (name: string): string => `/v1/tools/${encodeURIComponent(name)}`;

const EnableButton = ({ tool, onChanged }: ViewProps) => {
  const { api } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const [isBusy, setBusy] = useState(false);
  const mayChange = useMay('operator');
  const turn = (): void => {
    setBusy(true);
    api
      .send('PATCH', toolPath(tool.name), { enabled: !tool.enabled })
      .then(() => {
        toast({ tone: 'good', text: tool.enabled ? 'Switched off.' : 'Switched on.' });
        onChanged();
      }, fail)
      .finally(() => setBusy(false));
  };
  return (
    <Button isBusy={isBusy} disabled={!mayChange || tool.quarantine !== undefined} onClick={turn}>
      {tool.enabled ? 'Switch off' : 'Switch on'}
    </Button>
  );
};

const Schemas = ({ tool }: { readonly tool: ToolDetail }) => (
  <>
    <section className="stack">
      <h2>Input</h2>
      <JsonView value={tool.input} label="Input schema" />
    </section>
    {tool.output && (
      <section className="stack">
        <h2>Output</h2>
        <JsonView value={tool.output} label="Output schema" />
      </section>
    )}
  </>
);

/** Lists the tabs; for a tool in quarantine, its reason comes first. */
const tabsOf = ({ quarantine, lock, versions }: ToolDetail, mayRead: boolean) => [
  ...(quarantine || lock ? [{ id: 'quarantine', title: quarantine ? 'Quarantine' : 'Lock' }] : []),
  { id: 'try', title: 'Try' },
  { id: 'about', title: 'About' },
  ...(mayRead ? [{ id: 'figures', title: 'Figures' }] : []),
  { id: 'schema', title: 'Schema' },
  { id: 'health', title: 'Health' },
  { id: 'versions', title: versions.length > 1 ? `Versions (${versions.length})` : 'Versions' },
];

const Panel = ({ tool, onChanged, tab }: ViewProps & { readonly tab: string }) => {
  switch (tab) {
    case 'quarantine':
      return <ToolQuarantine tool={tool} onAccepted={onChanged} />;
    case 'about':
      return <ToolAbout tool={tool} />;
    case 'health':
      return <HealthSection subject={`tool:${tool.name}`} />;
    case 'figures':
      return (
        <Suspense fallback={<Skeleton />}>
          <ToolFigures tool={tool.name} />
        </Suspense>
      );
    case 'schema':
      return <Schemas tool={tool} />;
    case 'versions':
      return <ToolVersions tool={tool} onChanged={onChanged} />;
    default:
      return null;
  }
};

const Content = ({ tool, onChanged, tab }: ViewProps & { readonly tab: string }) => {
  // Figures are of the calls of everybody.
  const tabs = tabsOf(tool, useServices().session.role !== 'agent');
  const preferred = tool.quarantine && tab === 'try' ? 'quarantine' : tab;
  const selected = tabs.some(({ id }) => id === preferred) ? preferred : 'try';
  return (
    <>
      <p className="tool-lead">
        <SafeText text={tool.description} />
      </p>
      <p className="tool-line">
        <ToolBadges tool={tool} />
        <span className="muted">
          {tool.source} · {tool.category.replace('_', ' ')} · <SafeText text={tool.version} /> ·{' '}
          {count(tool.tokens)} tokens in a prompt
        </span>
      </p>
      <Tabs
        label={`About ${tool.name}`}
        tabs={tabs}
        selected={selected}
        onSelect={(next) => replaceRoute(hrefOf(['tools', tool.name], { tab: next }))}
      >
        <Panel tool={tool} onChanged={onChanged} tab={selected} />
        {/* Kept while another tab is read: nobody wants to type the input twice. */}
        <div hidden={selected !== 'try'}>
          <TryTool tool={tool} />
        </div>
      </Tabs>
    </>
  );
};

const NoSuchTool = () => (
  <EmptyState icon="search" title="There is no tool of that name">
    <p>It was renamed or taken away, or its server does not answer.</p>
    <a href={hrefOf(['tools'])}>Search the tools</a>
  </EmptyState>
);

export const ToolView = ({ name, tab }: { readonly name: string; readonly tab: string }) => {
  const { api } = useServices();
  const tool = useLoad(name, () => api.get<ToolDetail>(toolPath(name)));
  useReloadOn(['tool.*'], tool.reload);
  return (
    <PageFrame
      title={name}
      actions={
        <>
          <LinkButton kind="quiet" icon="back" href={hrefOf(['tools'])}>
            All tools
          </LinkButton>
          {tool.data && <EnableButton tool={tool.data} onChanged={tool.reload} />}
        </>
      }
    >
      <WhenLoaded of={tool} missing={<NoSuchTool />}>
        {(detail) => <Content tool={detail} tab={tab} onChanged={tool.reload} />}
      </WhenLoaded>
    </PageFrame>
  );
};
