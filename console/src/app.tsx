/** Decides between signing in and the console itself, and hands the services to all pages. */
import { useEffect, useState } from 'react';
import { ServicesProvider } from './api/services.tsx';
import { ErrorState, Skeleton } from './components/states.tsx';
import { ToastProvider } from './components/toast.tsx';
import { Layout } from './layout/layout.tsx';
import { type LineParts, type LiveEvents, openLiveEvents } from './live/live-events.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { type SessionParts, useSession } from './session/use-session.ts';

export interface AppParts extends SessionParts {
  readonly now: () => number;
  readonly wait: LineParts['wait'];
}

/** One live line for as long as somebody is signed in; another one for another session. */
const useLine = (
  session: string | undefined,
  { fetch, wait, onSignedOut }: LineParts,
): LiveEvents | undefined => {
  const [live, setLive] = useState<LiveEvents>();
  useEffect(() => {
    if (session === undefined) return;
    const line = openLiveEvents({ fetch, wait, onSignedOut });
    setLive(line);
    return () => {
      line.close();
      setLive(undefined);
    };
  }, [session, fetch, wait, onSignedOut]);
  return live;
};

export const App = (parts: AppParts) => {
  const { api, standing, signIn, signOut, onSignedOut, begin } = useSession(parts);
  const live = useLine(standing.is === 'in' ? standing.session.csrf : undefined, {
    ...parts,
    onSignedOut,
  });
  switch (standing.is) {
    case 'out':
      return (
        <SignInPage key={standing.why} why={standing.why} failed={standing.error} onCode={signIn} />
      );
    case 'cut-off':
      return (
        <main className="sign-in">
          <ErrorState error={standing.error} onRetry={begin} />
        </main>
      );
    case 'in':
      if (live) break;
      return <Skeleton />;
    default:
      return <Skeleton />;
  }
  const services = { api, live, now: parts.now, session: standing.session, signOut };
  return (
    <ServicesProvider value={services}>
      <ToastProvider>
        <Layout />
      </ToastProvider>
    </ServicesProvider>
  );
};
