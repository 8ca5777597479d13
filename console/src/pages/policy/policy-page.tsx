/** Policy: the rules in force, what they say about a call, and what those on trial would say. */
import { Tabs } from '../../components/tabs.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { goTo, hrefOf, useRoute } from '../../router/route.ts';
import { ExplainPanel } from './explain-panel.tsx';
import { RulesPanel } from './rules-panel.tsx';
import { ShadowPanel } from './shadow-panel.tsx';
import './policy.css';

const TABS = [
  { id: 'rules', title: 'Rules' },
  { id: 'explain', title: 'Explain a call' },
  { id: 'shadow', title: 'Shadow findings' },
] as const;

export const PolicyPage = () => {
  const { rest, query } = useRoute();
  const open = TABS.find(({ id }) => id === rest[0])?.id ?? 'rules';
  return (
    <PageFrame title="Policy" lead="What may run, what a person is asked about, what is refused.">
      <Tabs
        label="Policy"
        tabs={TABS}
        selected={open}
        onSelect={(id) => goTo(hrefOf(['policy', id]))}
      >
        {open === 'rules' && <RulesPanel />}
        {open === 'explain' && <ExplainPanel tool={query.tool ?? ''} />}
        {open === 'shadow' && <ShadowPanel />}
      </Tabs>
    </PageFrame>
  );
};
