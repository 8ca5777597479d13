/** Who is signed in, from the first look at the session to its end. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Session } from '../api/call-records.ts';
import { type Api, createApi } from '../api/create-api.ts';

export interface SessionParts {
  readonly fetch: typeof fetch;
  /** The code of the sign-in link in the address, if there is one; it is taken out of there. */
  takeCode(): string | undefined;
  /** Calls back when a link is opened in a tab where the console is open already. */
  onAddress(listener: () => void): () => void;
}

export type Standing =
  | { readonly is: 'unknown' }
  /** `left`: by oneself, or never in; `ended`: the session was over. */
  | { readonly is: 'out'; readonly why: 'left' | 'ended'; readonly error?: ApiError | undefined }
  /** The server did not answer, so nobody knows. */
  | { readonly is: 'cut-off'; readonly error: ApiError }
  | { readonly is: 'in'; readonly session: Session };

const OUT: Standing = { is: 'out', why: 'left' };

/** What a first look that failed means. */
const afterFailure = (error: ApiError, hadCode: boolean): Standing => {
  if (error.status === 0) return { is: 'cut-off', error };
  return !hadCode && error.status === 401 ? OUT : { ...OUT, error };
};

interface SignedIn {
  readonly api: Api;
  readonly standing: Standing;
  signIn(code: string): Promise<void>;
  signOut(): Promise<void>;
  onSignedOut(): void;
  /** Looks once more, after the server was not there. */
  begin(): void;
}

/** By the code, or by the session one has: who opens a used link and is signed in goes on as before. */
const firstLook = async (api: Api, code: string | undefined): Promise<Session> => {
  const resume = (): Promise<Session> => api.get<Session>('/v1/session');
  if (code === undefined) return resume();
  return api.signIn(code).catch((thrown: unknown) =>
    resume().catch(() => {
      throw thrown;
    }),
  );
};

export const useSession = ({ fetch, takeCode, onAddress }: SessionParts): SignedIn => {
  const [standing, setStanding] = useState<Standing>({ is: 'unknown' });
  const onSignedOut = useCallback(
    () => setStanding((old) => (old.is === 'in' ? { is: 'out', why: 'ended' } : old)),
    [],
  );
  const api = useMemo(() => createApi({ fetch, onSignedOut }), [fetch, onSignedOut]);
  const enter = useCallback(
    (session: Session): void => {
      api.setCsrf(session.csrf);
      setStanding({ is: 'in', session });
    },
    [api],
  );
  /** A code that the server has not seen is good for another try. */
  const unused = useRef<string>(undefined);
  const begin = useCallback((): void => {
    const code = takeCode() ?? unused.current;
    unused.current = undefined;
    firstLook(api, code).then(enter, (thrown: unknown) => {
      const error = asApiError(thrown);
      if (error.status === 0) unused.current = code;
      setStanding(afterFailure(error, code !== undefined));
    });
  }, [api, enter, takeCode]);
  const signIn = async (code: string): Promise<void> => enter(await api.signIn(code));
  const signOut = async (): Promise<void> => {
    await api.send('DELETE', '/v1/session');
    api.setCsrf('');
    setStanding(OUT);
  };
  // Once, even where React mounts twice: the code works only once.
  const hasBegun = useRef(false);
  useEffect(() => {
    if (!hasBegun.current) begin();
    hasBegun.current = true;
    return onAddress(begin);
  }, [begin, onAddress]);
  return { api, standing, signIn, signOut, onSignedOut, begin };
};
