/** Finds the route of a request by its method and path, with what stands in place of the parameters. */
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { Route } from './route.ts';

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export type RouteFinder = (method: string, path: string) => FoundRoute | undefined;

/** The path as it was sent, without query. */
export const pathOf = (url: string): string => {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  if (start < 0) return '/';
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
};

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

export const createRouteFinder = (routes: readonly Route[]): RouteFinder => {
  const router = new SmartRouter<Route>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const route of routes) router.add(route.method.toUpperCase(), route.path, route);
  return (method, path) => {
    const [matched, stash] = router.match(method === 'HEAD' ? 'GET' : method, path);
    const [first] = matched;
    if (!first) return undefined;
    const [route, names] = first;
    const params = decoded(names, stash);
    return params && { route, params };
  };
};
