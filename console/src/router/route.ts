/** Where in the console one is, kept in the hash of the address: `#/tools/file_read?tab=try`. */
import { useSyncExternalStore } from 'react';

export interface Route {
  /** The page, e.g. `tools`; empty at the start. */
  readonly page: string;
  /** What follows the page, each part decoded. */
  readonly rest: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [page = '', ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  return { page, rest, query: Object.fromEntries(new URLSearchParams(query)) };
};

/** Finds the choice that an address names; empty when there is no such one. */
export const choiceOf = (value: string | undefined, choices: readonly string[]): string =>
  value !== undefined && choices.includes(value) ? value : '';

/** Makes the address of a page, for `href`. Empty query values are left out. */
export const hrefOf = (
  parts: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given as [string, string][]).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
};

export const goTo = (href: string): void => {
  window.location.hash = href;
};

/** Changes the address without a step in the history: for filters. */
export const replaceRoute = (href: string): void => {
  window.history.replaceState(window.history.state, '', href);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
};

const watchHash = (listener: () => void): (() => void) => {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
};

export const useRoute = (): Route =>
  parseRoute(useSyncExternalStore(watchHash, () => window.location.hash));
