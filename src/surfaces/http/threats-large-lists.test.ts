/** Threat: an agent fills the lists of jobs, runs and questions with large items, and whoever reads one fills the server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';

const LARGE = 30;
const SMALL = 60;
const MAX_CHARS = 4_200_000;

const idle = defineFlow({ name: 'idle', version: '1.0.0', run: async () => null });
const busy = defineFlow({ name: 'busy', version: '1.0.0', run: async () => null });

let http: TestHttp;
beforeAll(async () => {
  http = await openHttp([aTool(), aTool({ name: 'send', tier: 'external_api' })]);
  http.crib.flows.register(idle);
  http.crib.flows.register(busy);
  const { flows, jobs } = http.crib;
  const as = { userId: 'token:agent' };
  const add = async (index: number, { flow, queue, text }: Readonly<Record<string, string>>) => {
    const input = { index, text };
    await (await flows.start(flow ?? '', input, as)).finished;
    await jobs.enqueue('tool', { tool: 'echo', input }, { ...as, ...(queue && { queue }) });
    await http.crib.execute('send', input, { ...as, permissions: ['*'] });
  };
  const large = { flow: 'busy', queue: 'large', text: 'x'.repeat(900_000) };
  for (let index = 0; index < LARGE; index += 1) await add(index, large);
  for (let index = 0; index < SMALL; index += 1) {
    await add(index, { flow: 'idle', queue: 'small', text: 'x' });
  }
});
afterAll(() => http.close());

interface Listed {
  readonly input?: { readonly index: number };
  readonly request?: { readonly input: { readonly index: number } };
  readonly payload?: { readonly input: { readonly index: number } };
}

/** Reads all pages of a list; the largest one, and the indexes of the items, in order. */
const allPages = async (path: string) => {
  const indexes: number[] = [];
  let [pages, largest, cursor] = [0, 0, ''];
  do {
    const query = cursor === '' ? '' : `&cursor=${cursor}`;
    const { json, text } = await http.ask(`${path}&limit=200${query}`, {
      token: http.tokens.agent,
    });
    const items: readonly Listed[] = json.items;
    for (const { input, payload, request } of items) {
      indexes.push((input ?? payload?.input ?? request?.input)?.index ?? -1);
    }
    largest = Math.max(largest, text.length);
    pages += 1;
    cursor = json.next ?? '';
  } while (cursor !== '' && pages < 100);
  return { indexes: indexes.toSorted((one, other) => one - other), pages, largest };
};

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('threat: a list of items that are large', () => {
  it.each(['/v1/jobs?queue=large', '/v1/flows/runs?flow=busy'])(
    'hostile: %s is answered in pages of bounded size, which show each item once',
    async (path) => {
      const { indexes, pages, largest } = await allPages(path);
      expect(largest).toBeLessThan(MAX_CHARS);
      expect(pages).toBeGreaterThan(5);
      expect(indexes).toEqual(range(LARGE));
    },
  );

  it('hostile: the inbox with large questions is answered in pages of bounded size, which show each once', async () => {
    const { indexes, pages, largest } = await allPages('/v1/approvals?state=waiting');
    expect(largest).toBeLessThan(MAX_CHARS);
    expect(pages).toBeGreaterThan(5);
    expect(indexes).toEqual([...range(LARGE), ...range(SMALL)].toSorted((one, two) => one - two));
  });

  it.each(['/v1/jobs?queue=small', '/v1/flows/runs?flow=idle'])(
    'benign: %s is answered in one page where all that was asked for is small',
    async (path) => {
      const { indexes, pages } = await allPages(path);
      expect(pages).toBe(1);
      expect(indexes).toEqual(range(SMALL));
    },
  );
});
