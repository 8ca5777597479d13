/** Takes the one-time code out of a sign-in link, and out of the address so that nobody finds it there. */
export interface AddressBar {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState'>;
}

const LINK = /^#code=([^&]+)/;

export const isSignInLink = (hash: string): boolean => LINK.test(hash);

/** Takes the code of `/#code=…` from the address; `undefined` when there is none. */
export const takeCode = ({ location, history }: AddressBar): string | undefined => {
  const match = LINK.exec(location.hash);
  if (!match) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    return decodeURIComponent(match[1] ?? '');
  } catch {
    return undefined;
  }
};
