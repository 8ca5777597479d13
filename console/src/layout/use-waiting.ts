/** How many questions wait for a person, kept up to date by live events. */
import type { ApprovalRecord, Page } from '../api/call-records.ts';
import { useServices } from '../api/services.tsx';
import { useLoad } from '../api/use-load.ts';
import { useNow } from '../components/relative-time.tsx';
import { useReloadOn } from '../live/use-live.ts';

const MAX_ITEMS = 200;

/** Counts the waiting questions: `200+` when there are more; empty when none waits. */
export const useWaiting = (): string => {
  const { api } = useServices();
  const now = useNow();
  const waiting = useLoad('waiting', () =>
    api.get<Page<ApprovalRecord>>('/v1/approvals', { state: 'waiting', limit: MAX_ITEMS }),
  );
  useReloadOn(['approval.*', 'call.finished'], waiting.reload);
  const items = waiting.data?.items ?? [];
  const open = items.filter(({ expiresAt }) => expiresAt > now).length;
  if (open === 0) return '';
  return waiting.data?.next === undefined ? String(open) : `${open}+`;
};
