/** Tools of a source that are held back until a person has accepted them. */
import type { Page } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import type { ToolSummary } from '../../api/tool-records.ts';
import { useLoad } from '../../api/use-load.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf } from '../../router/route.ts';
import { type SourceStatus, toolWords } from './source-records.ts';

const MAX_ITEMS = 200;

export const WaitingTools = ({ source }: { readonly source: SourceStatus }) => {
  const { api } = useServices();
  const q = toolWords(source);
  const { data, reload } = useLoad(`waiting tools ${q} ${source.readAt}`, () =>
    api.get<Page<ToolSummary>>('/v1/tools', { q, enabled: false, limit: MAX_ITEMS }),
  );
  useReloadOn(['tool.*'], reload);
  const held = (data?.items ?? []).filter(({ quarantine }) => quarantine).length;
  if (held === 0) return null;
  const many = data?.next === undefined ? String(held) : `${held} or more`;
  return (
    <p className="note note-warn">
      <a href={hrefOf(['tools'], { q, enabled: 'false' })}>
        {held === 1 ? '1 tool waits' : `${many} tools wait`}
      </a>{' '}
      for somebody to accept {held === 1 ? 'it' : 'them'}: new or changed tools from outside run
      only after a person has looked at them.
    </p>
  );
};
