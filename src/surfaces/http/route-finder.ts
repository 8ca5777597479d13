/** Finds the route of a request by its method and path, and the values of its parameters. */
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { Route } from './route.ts';

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type RouteFinder = (method: string, path: string) => FoundRoute | undefined;

/** Decodes the parameters; returns undefined for invalid encoding. */
const decoded = (
  names: Readonly<Record<string, string | number>>,
  stash: readonly string[] | undefined,
): Record<string, string> | undefined => {
  const params: Record<string, string> = {};
  try {
    for (const [name, at] of Object.entries(names)) {
      params[name] = decodeURIComponent(typeof at === 'number' ? (stash?.[at] ?? '') : at);
    }
    return params;
  } catch {
    return undefined;
  }
};

const MAX_CACHED = 1000;
const MAX_KEY_CHARS = 300;

/** Makes the finder. It caches routes, because clients repeat the same few paths. */
export const createRouteFinder = (routes: readonly Route[]): RouteFinder => {
  const router = new SmartRouter<Route>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const route of routes) router.add(route.method.toUpperCase(), route.path, route);
  const search = (method: string, path: string): FoundRoute | undefined => {
    const [matched, stash] = router.match(method, path);
    const [first] = matched;
    if (!first) return undefined;
    const [route, names] = first;
    const params = decoded(names, stash);
    return params && { route, params };
  };
  const cache = new Map<string, FoundRoute>();
  return (requested, path) => {
    const method = requested === 'HEAD' ? 'GET' : requested;
    const key = `${method} ${path}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const match = search(method, path);
    if (!match || key.length > MAX_KEY_CHARS) return match;
    // A client could ask for any number of paths.
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, match);
    return match;
  };
};
