import { describe, expect, it } from 'vitest';
import { takeCode } from '../session/take-code.ts';
import { hrefOf, parseRoute } from './route.ts';

describe('routes', () => {
  it.each([
    ['', { page: '', rest: [], query: {} }],
    ['#/', { page: '', rest: [], query: {} }],
    [
      '#/tools/a%2Fb?tab=try&q=x+y',
      { page: 'tools', rest: ['a/b'], query: { tab: 'try', q: 'x y' } },
    ],
    ['#/tools/%E0%A4%A', { page: 'tools', rest: ['%E0%A4%A'], query: {} }],
  ])('%s is understood', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it('survives the way there and back, whatever a tool is called', () => {
    for (const name of ['a/b', 'mcp:x?y#z', '../..', 'ü %']) {
      expect(parseRoute(hrefOf(['tools', name], { tab: name, none: '' }))).toEqual({
        page: 'tools',
        rest: [name],
        query: { tab: name },
      });
    }
  });
});

describe('the sign-in link', () => {
  const open = (hash: string) => {
    const seen: string[] = [];
    const code = takeCode({
      location: { hash, pathname: '/', search: '?x=1' },
      history: { replaceState: (_data, _unused, url) => seen.push(String(url)) },
    });
    return { code, seen };
  };

  it('threat: a code left in the address: it is taken out at once', () => {
    expect(open('#code=ab%2Dc')).toEqual({ code: 'ab-c', seen: ['/?x=1'] });
    expect(open('#code=%E0%A4%A')).toEqual({ code: undefined, seen: ['/?x=1'] });
  });

  it('leaves other addresses alone', () => {
    expect(open('#/tools?code=1')).toEqual({ code: undefined, seen: [] });
  });
});
