/** Who is signed in, from the first look at the session to its end. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Session } from '../api/call-records.ts';
import type { Api } from '../api/create-api.ts';
import { keepSession, OUT, type SessionState } from './keep-session.ts';

export interface CliSessionDeps {
  readonly fetch: typeof fetch;
  /** Takes the code of the sign-in link from the address, if there is one. */
  takeCode(): string | undefined;
  /** Calls back when a link is opened in a tab where the console is open already. */
  onAddress(listener: () => void): () => void;
  readonly tabs: OtherTabs;
}

/** The console in other tabs of this browser, which share the one session that a browser holds. */
export interface OtherTabs {
  /** Says there that the session is another one, or over. */
  tell(): void;
  onTold(listener: () => void): () => void;
}

/** Finds the state after the first look at the session failed. */
const afterFailure = (error: ApiError, hadCode: boolean): SessionState => {
  if (error.status === 0) return { is: 'cut-off', error };
  return !hadCode && error.status === 401 ? OUT : { ...OUT, error };
};

interface SignedIn {
  readonly api: Api;
  readonly state: SessionState;
  signIn(code: string): Promise<void>;
  signOut(): Promise<void>;
  onSignedOut(): void;
  /** Looks once more, after the server was not there. */
  begin(): void;
  /** Continues as whoever is signed in to this browser now. */
  goOn(session: Session): void;
}

/** Signs in by the code, else resumes the present session: a used link does no harm to who is signed in. */
const firstLook = async (api: Api, code: string | undefined): Promise<Session> => {
  const resume = (): Promise<Session> => api.present();
  if (code === undefined) return resume();
  return api.signIn(code).catch((thrown: unknown) =>
    resume().catch(() => {
      throw thrown;
    }),
  );
};

export const useSession = ({ fetch, takeCode, onAddress, tabs }: CliSessionDeps): SignedIn => {
  const [state, setState] = useState<SessionState>({ is: 'unknown' });
  const keeper = useMemo(() => keepSession(fetch, setState), [fetch]);
  const { api, enter, follow } = keeper;
  useEffect(() => tabs.onTold(() => void follow()), [tabs, follow]);
  const enterAnew = useCallback(
    (session: Session): void => {
      enter(session);
      tabs.tell();
    },
    [enter, tabs],
  );
  /** A code that the server has not seen is good for another try. */
  const unused = useRef<string>(undefined);
  const begin = useCallback((): void => {
    const code = takeCode() ?? unused.current;
    unused.current = undefined;
    firstLook(api, code).then(code === undefined ? enter : enterAnew, (thrown: unknown) => {
      const error = asApiError(thrown);
      if (error.status === 0) unused.current = code;
      setState(afterFailure(error, code !== undefined));
    });
  }, [api, enter, enterAnew, takeCode]);
  const signIn = async (code: string): Promise<void> => enterAnew(await api.signIn(code));
  const signOut = async (): Promise<void> => {
    await api.send('DELETE', '/v1/session');
    keeper.leave();
    tabs.tell();
  };
  // Once, even where React mounts twice: the code works only once.
  const hasBegun = useRef(false);
  useEffect(() => {
    if (!hasBegun.current) begin();
    hasBegun.current = true;
    return onAddress(begin);
  }, [begin, onAddress]);
  return { ...keeper, state, signIn, signOut, begin, goOn: enter };
};
