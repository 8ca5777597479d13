/** What needs the reader: questions, faults and what is stuck, each with the way to it. */
import { useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { StaleNote, WhenLoaded } from '../../components/states.tsx';
import { CALM_MS } from '../../figures/use-figures.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { usePolling } from '../../live/use-polling.ts';
import { NEED_SOURCES, type Need } from './needs.ts';

const SHOWN_AT_ONCE = 6;
/** No event tells of dead jobs. */
const POLL_MS = 20_000;

interface Needs {
  readonly needs: readonly Need[];
  /** One of the places could not be asked. */
  readonly error: ApiError | undefined;
}

const EVENTS = [...new Set(NEED_SOURCES.flatMap(({ events }) => events))];

const useNeeds = () => {
  const { api, now, session } = useServices();
  const asked = NEED_SOURCES.filter(({ isForPeople }) => !isForPeople || session.role !== 'agent');
  const needs = useLoad<Needs>('needs', async () => {
    const answers = await Promise.allSettled(
      asked.map(async ({ path, query, needsOf }) =>
        needsOf(await api.get<never>(path, query), now()),
      ),
    );
    const needs = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const failed = answers.find((each) => each.status === 'rejected');
    return {
      needs,
      error: failed && asApiError(failed.reason),
    };
  });
  useReloadOn(EVENTS, needs.reload, CALM_MS);
  usePolling(needs.reload, POLL_MS);
  return needs;
};

const NeedLine = ({ need }: { readonly need: Need }) => (
  <li>
    <a href={need.href}>
      <Badge tone={need.tone}>{need.kind}</Badge>
      <span className="need-text">
        <strong>
          <SafeText text={need.title} />
        </strong>
        {need.detail !== '' && (
          <span className="row-note">
            <SafeText text={need.detail} />
          </span>
        )}
      </span>
    </a>
  </li>
);

const NeedList = ({ needs }: { readonly needs: readonly Need[] }) => {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? needs : needs.slice(0, SHOWN_AT_ONCE);
  if (needs.length === 0) {
    return (
      <p className="all-well">
        <Icon name="check" /> Nothing needs you.
      </p>
    );
  }
  return (
    <>
      <ul className="needs">
        {shown.map((need) => (
          <NeedLine key={need.id} need={need} />
        ))}
      </ul>
      {shown.length < needs.length && (
        <Button isSmall onClick={() => setWhole(true)}>
          Show all {needs.length}
        </Button>
      )}
    </>
  );
};

export const NeedsPanel = () => {
  const needs = useNeeds();
  return (
    <section className="panel" aria-label="Needs you">
      <h2>
        Needs you{' '}
        {needs.data && needs.data.needs.length > 0 && (
          <span className="count">{needs.data.needs.length}</span>
        )}
      </h2>
      <WhenLoaded of={needs}>
        {({ needs: list, error }) => (
          <>
            {error && <StaleNote error={error} onRetry={needs.reload} />}
            {(list.length > 0 || !error) && <NeedList needs={list} />}
          </>
        )}
      </WhenLoaded>
    </section>
  );
};
