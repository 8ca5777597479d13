/** One source: how it is, what it offers, what could not become a tool, what went wrong last. */
import { Facts } from '../../components/facts.tsx';
import { count } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { StateHeader } from '../../components/state-header.tsx';
import { HealthSection } from '../../health/health-section.tsx';
import { hrefOf } from '../../router/route.ts';
import { RefusedList } from './refused-list.tsx';
import { SourceActions } from './source-actions.tsx';
import { type SourceConfig, type SourceStatus, toolWords } from './source-records.ts';
import { sourceMeaning } from './source-state.ts';
import { WaitingTools } from './waiting-tools.tsx';

interface ViewProps {
  readonly source: SourceStatus;
  readonly config: SourceConfig | undefined;
  onChanged(): void;
}

const SourceFacts = ({ source }: Pick<ViewProps, 'source'>) => (
  <Facts
    of={[
      ['Kind', source.kind],
      ['Location', <SafeText key="location" text={source.location} />],
      ['Last read', source.readAt !== undefined && <RelativeTime at={source.readAt} />],
      [
        'Tools',
        source.tools === 0 ? (
          '0'
        ) : (
          <a key="tools" href={hrefOf(['tools'], { q: toolWords(source) })}>
            {count(source.tools)}
          </a>
        ),
      ],
      ['Refused', source.refused.length > 0 && count(source.refused.length)],
    ]}
  />
);

export const SourceView = ({ source, config, onChanged }: ViewProps) => {
  const own = config?.items.find(({ name }) => name === source.name);
  return (
    <>
      <StateHeader name={source.name} state={sourceMeaning(source)} lastError={source.lastError} />
      <SourceActions
        key={source.name}
        source={source}
        isEditable={config?.editable === true && own !== undefined}
        onDone={onChanged}
      />
      {source.tools > 0 && <WaitingTools key={`${source.name} waiting`} source={source} />}
      {own?.isOfProject && <p className="muted">It belongs to the project’s configuration.</p>}
      <SourceFacts source={source} />
      <HealthSection key={`${source.name} health`} subject={`source:${source.name}`} />
      <RefusedList refused={source.refused} />
    </>
  );
};
