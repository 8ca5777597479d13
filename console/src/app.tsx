/** Decides between signing in and the console itself, and hands the services to all pages. */
import { useEffect, useState } from 'react';
import type { Session } from './api/call-records.ts';
import { ServicesProvider } from './api/services.tsx';
import { ErrorState, Skeleton } from './components/states.tsx';
import { ToastProvider } from './components/toast.tsx';
import { Layout } from './layout/layout.tsx';
import { type LiveEvents, type LiveEventsDeps, openLiveEvents } from './live/live-events.ts';
import { OtherSessionPage } from './session/other-session-page.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { type CliSessionDeps, useSession } from './session/use-session.ts';

export interface AppDeps extends CliSessionDeps {
  readonly now: () => number;
  readonly wait: LiveEventsDeps['wait'];
}

/** Opens one event stream for as long as somebody is signed in; another one for another person. */
const useLiveEvents = (
  person: string | undefined,
  { fetch, wait, onSignedOut }: LiveEventsDeps,
): LiveEvents | undefined => {
  const [live, setLive] = useState<LiveEvents>();
  useEffect(() => {
    if (person === undefined) return;
    const events = openLiveEvents({ fetch, wait, onSignedOut });
    setLive(events);
    return () => {
      events.close();
      setLive(undefined);
    };
  }, [person, fetch, wait, onSignedOut]);
  return live;
};

const personOf = ({ user, role }: Session): string => `${role} ${user}`;

export const App = (parts: AppDeps) => {
  const { api, state, signIn, signOut, onSignedOut, begin, goOn } = useSession(parts);
  const live = useLiveEvents(state.is === 'in' ? personOf(state.session) : undefined, {
    ...parts,
    onSignedOut,
  });
  switch (state.is) {
    case 'out':
      return <SignInPage key={state.why} why={state.why} failed={state.error} onCode={signIn} />;
    case 'cut-off':
      return (
        <main className="sign-in">
          <ErrorState error={state.error} onRetry={begin} />
        </main>
      );
    case 'other':
      return (
        <OtherSessionPage was={state.was} now={state.session} onGoOn={() => goOn(state.session)} />
      );
    case 'in':
      if (live) break;
      return <Skeleton />;
    default:
      return <Skeleton />;
  }
  const services = { api, live, now: parts.now, session: state.session, signOut };
  return (
    <ServicesProvider value={services}>
      <ToastProvider>
        <Layout />
      </ToastProvider>
    </ServicesProvider>
  );
};
