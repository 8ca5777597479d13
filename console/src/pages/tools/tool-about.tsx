/** What a tool can do, what it costs and reaches, and what its author wrote about it. */
import type { ReactNode } from 'react';
import type { Capability, ToolDetail } from '../../api/tool-records.ts';
import { Badge, TierBadge } from '../../components/badge.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { duration, money } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';

const list = (items: readonly string[] | undefined): ReactNode =>
  items && items.length > 0 && <SafeText text={items.join(', ')} />;

const costText = ({ cost }: ToolDetail): string => {
  if (!cost || cost.model === 'free') return 'free';
  const parts = [
    cost.fixed !== undefined && `${money(cost.fixed)} a call`,
    cost.perUnit && `${money(cost.perUnit.price)} a ${cost.perUnit.unit}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' and ') : cost.model.replace('_', ' ');
};

const authText = ({ auth }: ToolDetail): ReactNode => {
  if (!auth) return undefined;
  const state = { true: ', is there', false: ', is missing', undefined: '' }[String(auth.present)];
  return (
    <>
      <SafeCode text={auth.configKey} /> ({auth.type.replace('_', ' ')}){state}
    </>
  );
};

const factsOf = (tool: ToolDetail): readonly Fact[] => [
  ['Name for models', <SafeCode key="wire" text={tool.wireName} />],
  ['Renamed from', tool.renamedFrom && <SafeText text={tool.renamedFrom} />],
  ['Cost', <SafeText key="cost" text={costText(tool)} />],
  ['Time limit', tool.timeoutMs !== undefined && duration(tool.timeoutMs)],
  ['Secret', authText(tool)],
  ['Files', list(tool.needs?.paths?.map(({ path, access }) => `${path} (${access})`))],
  ['Hosts', list(tool.needs?.hosts)],
  ['Programs', list(tool.needs?.commands)],
  ['Secrets', list(tool.needs?.secrets)],
  ['Tags', list(tool.tags)],
];

const CapabilityLine = ({ capability }: { readonly capability: Capability }) => (
  <li className="capability">
    <SafeCode text={capability.action} />
    <span className="badges">
      {capability.tier && <TierBadge tier={capability.tier} />}
      {capability.destructive && <Badge tone="bad">destructive</Badge>}
      {capability.requiresConfirmation && <Badge tone="warn">asks</Badge>}
    </span>
    <span className="muted">
      <SafeText text={capability.description} />
    </span>
  </li>
);

export const ToolAbout = ({ tool }: { readonly tool: ToolDetail }) => (
  <>
    <Facts of={factsOf(tool)} />
    {tool.capabilities.length > 0 && (
      <section className="stack">
        <h2>What it can do</h2>
        <ul className="plain-list">
          {tool.capabilities.map((capability) => (
            <CapabilityLine key={capability.action} capability={capability} />
          ))}
        </ul>
      </section>
    )}
    {tool.documentation && (
      <section className="stack">
        <h2>Documentation</h2>
        <p className="documentation">
          <SafeText text={tool.documentation} />
        </p>
      </section>
    )}
    {tool.examples.length > 0 && (
      <section className="stack">
        <h2>Examples</h2>
        {tool.examples.map(({ title, input }) => (
          <div key={title} className="stack">
            <h3>
              <SafeText text={title} />
            </h3>
            <JsonView value={input} label={title} />
          </div>
        ))}
      </section>
    )}
    {tool.sandbox !== undefined && (
      <section className="stack">
        <h2>Sandbox</h2>
        <JsonView value={tool.sandbox} label="Sandbox" />
      </section>
    )}
  </>
);
