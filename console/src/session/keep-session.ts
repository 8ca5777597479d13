/** The session of this tab: how it begins and ends, and how it follows what other tabs make of it. */
import type { ApiError } from '../api/api-error.ts';
import type { Session } from '../api/call-records.ts';
import { type Api, createApi } from '../api/create-api.ts';
import { whoseSession } from './whose-session.ts';

export type SessionState =
  | { readonly is: 'unknown' }
  /** `left`: by oneself, or never in; `ended`: the session was over. */
  | { readonly is: 'out'; readonly why: 'left' | 'ended'; readonly error?: ApiError | undefined }
  /** The server did not answer, so nobody knows. */
  | { readonly is: 'cut-off'; readonly error: ApiError }
  | { readonly is: 'in'; readonly session: Session }
  /** Somebody else signed in to this browser. */
  | { readonly is: 'other'; readonly was: Session; readonly session: Session };

export interface KeptSession {
  readonly api: Api;
  enter(session: Session): void;
  leave(): void;
  onSignedOut(): void;
  /**
   * Looks whose session the browser holds. True when a request that was refused would be taken now:
   * the same person came in again, and there is a new proof.
   */
  follow(): Promise<boolean>;
}

export const OUT = { is: 'out', why: 'left' } as const satisfies SessionState;

const ended = (old: SessionState): SessionState =>
  old.is === 'in' || old.is === 'other' ? { is: 'out', why: 'ended' } : old;

export const keepSession = (
  fetch: typeof globalThis.fetch,
  become: (next: SessionState | ((old: SessionState) => SessionState)) => void,
): KeptSession => {
  let held: Session | undefined;
  const enter = (session: Session): void => {
    held = session;
    api.setCsrf(session.csrf);
    become({ is: 'in', session });
  };
  const onSignedOut = (): void => {
    held = undefined;
    become(ended);
  };
  const follow = async (): Promise<boolean> => {
    const mine = held;
    const present = mine && (await api.present().catch(() => undefined));
    // Meanwhile one may have signed out.
    if (!present || !held) return false;
    const whose = whoseSession(mine, present);
    if (whose === 'other') become({ is: 'other', was: mine, session: present });
    if (whose === 'renewed') enter(present);
    return whose === 'renewed';
  };
  const leave = (): void => {
    held = undefined;
    api.setCsrf('');
    become(OUT);
  };
  const api = createApi({ fetch, onSignedOut, onForbidden: follow });
  return { api, enter, leave, onSignedOut, follow };
};
