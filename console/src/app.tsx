/** Decides between signing in and the console itself, and hands the services to all pages. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { type ApiError, asApiError } from './api/api-error.ts';
import type { Session } from './api/call-records.ts';
import { createApi } from './api/create-api.ts';
import { ServicesProvider } from './api/services.tsx';
import { Skeleton } from './components/states.tsx';
import { ToastProvider } from './components/toast.tsx';
import { Layout } from './layout/layout.tsx';
import { type LiveEvents, openLiveEvents } from './live/live-events.ts';
import { SignInPage } from './session/sign-in-page.tsx';

export interface AppParts {
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From the sign-in link, if one was opened. */
  readonly code: string | undefined;
}

type Standing =
  | { readonly is: 'unknown' }
  | { readonly is: 'out'; readonly error?: ApiError }
  | { readonly is: 'in'; readonly session: Session };

const useSession = ({ fetch, code }: AppParts) => {
  const [standing, setStanding] = useState<Standing>({ is: 'unknown' });
  const api = useMemo(
    () =>
      createApi({
        fetch,
        // An answer of 401 to the sign-in itself must not wipe what it says.
        onSignedOut: () => setStanding((old) => (old.is === 'in' ? { is: 'out' } : old)),
      }),
    [fetch],
  );
  const enter = (session: Session): void => {
    api.setCsrf(session.csrf);
    setStanding({ is: 'in', session });
  };
  const signIn = async (code: string): Promise<void> =>
    enter(await api.send<Session>('POST', '/v1/session', { code }));
  const signOut = async (): Promise<void> => {
    await api.send('DELETE', '/v1/session');
    api.setCsrf('');
    setStanding({ is: 'out' });
  };
  // Once, even where React mounts twice: the code works only once.
  const hasBegun = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the start only
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    const begin = code === undefined ? api.get<Session>('/v1/session').then(enter) : signIn(code);
    begin.catch((thrown: unknown) => {
      const error = asApiError(thrown);
      const isPlain = code === undefined && error.status === 401;
      setStanding(isPlain ? { is: 'out' } : { is: 'out', error });
    });
  }, []);
  return { api, standing, signIn, signOut };
};

/** One live line for as long as somebody is signed in. */
const useLine = (isIn: boolean, { fetch, wait }: AppParts): LiveEvents | undefined => {
  const [live, setLive] = useState<LiveEvents>();
  useEffect(() => {
    if (!isIn) return;
    const line = openLiveEvents({ fetch, wait });
    setLive(line);
    return () => {
      line.close();
      setLive(undefined);
    };
  }, [isIn, fetch, wait]);
  return live;
};

export const App = (parts: AppParts) => {
  const { api, standing, signIn, signOut } = useSession(parts);
  const live = useLine(standing.is === 'in', parts);
  if (standing.is === 'out') return <SignInPage failed={standing.error} onCode={signIn} />;
  if (standing.is === 'unknown' || !live) return <Skeleton />;
  const services = { api, live, now: parts.now, session: standing.session, signOut };
  return (
    <ServicesProvider value={services}>
      <ToastProvider>
        <Layout />
      </ToastProvider>
    </ServicesProvider>
  );
};
