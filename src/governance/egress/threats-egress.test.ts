/** Threat class "Egress", judged by effect: no socket may even try, and the canary stays untouched. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  codeOf,
  guarded,
  type LocalSite,
  openSite,
  type Watch,
  watchConnections,
  type Zone,
} from '../../../test/fixtures/local-site.ts';
import { judgeUrl } from './judge-url.ts';

interface Case {
  readonly url: string;
  readonly hosts?: readonly string[];
  readonly allowPrivate?: readonly string[];
  readonly dns?: Zone;
}

interface Cases {
  readonly hostile: readonly (Case & { readonly technique: string })[];
  readonly reached: readonly (Case & { readonly what: string })[];
  readonly public: readonly string[];
}

const {
  hostile,
  reached,
  public: open,
} = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/egress-cases.json', import.meta.url), 'utf8'),
) as Cases;

const REFUSALS = ['PERMISSION_DENIED', 'SECURITY_VIOLATION', 'VALIDATION_ERROR'];
const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');

let canary: LocalSite;
let canary6: LocalSite | undefined;
let watch: Watch;

beforeAll(async () => {
  canary = await openSite();
  if (hasIPv6) canary6 = await openSite(undefined, '::1');
  else process.stderr.write('no ::1 here: the canary listens on 127.0.0.1 alone\n');
  watch = watchConnections();
});

afterAll(async () => {
  watch.stop();
  await canary.close();
  await canary6?.close();
});

const guardFor = ({ hosts, allowPrivate = [], dns }: Case, port: number) => {
  const withPort = (text: string): string => text.replaceAll('{port}', String(port));
  const guard = guarded({
    hosts: (hosts ?? ['*']).map(withPort),
    allowPrivate: allowPrivate.map(withPort),
    zone: { '*': ['127.0.0.1'], ...dns },
  });
  return { ...guard, ask: (url: string) => guard.get(withPort(url)) };
};

describe('hostile URLs and answers', () => {
  it('the list of hostile URLs and answers is long enough', () =>
    expect(hostile.length).toBeGreaterThanOrEqual(200));

  it.each(hostile.map((one) => [one.technique, JSON.stringify(one.url), one] as const))(
    'hostile: %s: %s reaches nothing forbidden',
    async (_technique, _url, one) => {
      const sites = canary6 ? [canary, canary6] : [canary];
      for (const { port } of sites) {
        const { ask, egress } = guardFor(one, port);
        const before = watch.attempts.length;
        expect(REFUSALS).toContain(await codeOf(ask(one.url)));
        await egress.close();
        expect(watch.attempts.slice(before)).toEqual([]);
      }
    },
  );

  it('no hostile URL has reached a canary', () => {
    expect(canary.hits).toEqual([]);
    expect(canary.sockets()).toBe(0);
    expect(canary6?.hits ?? []).toEqual([]);
    expect(canary6?.sockets() ?? 0).toBe(0);
  });
});

describe('benign URLs', () => {
  it('the list of benign URLs is long enough', () =>
    expect(reached.length + open.length).toBeGreaterThanOrEqual(60));

  it.each(reached.map((one) => [one.what, JSON.stringify(one.url), one] as const))(
    'benign: %s: %s arrives',
    async (_what, _url, one) => {
      const site = await openSite();
      const before = watch.attempts.length;
      const { ask, egress } = guardFor(one, site.port);
      const response = await ask(one.url);
      expect([response.status, await response.text()]).toEqual([200, 'hello']);
      expect(site.hits).toHaveLength(1);
      expect(watch.attempts.slice(before)).toEqual(['127.0.0.1']);
      await egress.close();
      await site.close();
    },
  );

  it.each(open)('%s is public', (url) => {
    expect(judgeUrl(url, ['*'])).toMatchObject({ allowed: true });
  });
});
