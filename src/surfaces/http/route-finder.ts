/** Finds the route of a request by its method and path, with what stands in place of the parameters. */
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import type { Route } from './route.ts';

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type RouteFinder = (method: string, path: string) => FoundRoute | undefined;

/** Undefined for what no client that encodes properly would send. */
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

const MOST_KEPT = 1000;
const LONGEST = 300;

/** Remembers what it found: the same few paths are asked for all the time. */
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
  const found = new BoundedMap<string, FoundRoute>(MOST_KEPT);
  return (asked, path) => {
    const method = asked === 'HEAD' ? 'GET' : asked;
    const key = `${method} ${path}`;
    const known = found.get(key);
    if (known) return known;
    const fresh = search(method, path);
    if (!fresh || key.length > LONGEST) return fresh;
    // Anybody can think of more paths than fit.
    found.set(key, fresh);
    return fresh;
  };
};
