import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, expect, it } from 'vitest';
import { ERAS, openSurface, type TestSurface, textOf } from '../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ClientLink } from './client-link.ts';

let open: TestSurface | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const form = (message: string) => ({
  method: 'elicitation/create' as const,
  params: {
    message,
    requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
  },
});

const nameIn = (answer: unknown): unknown =>
  (answer as { content?: { name?: unknown } }).content?.name;
const links = new AsyncLocalStorage<ClientLink>();

/** Asks twice, one after the other: the first answer has to survive the second round. */
const greet = aTool({
  name: 'greet',
  run: async () => {
    const link = links.getStore() as ClientLink;
    const first = await link.ask('first', form('First name?'), (answer) => nameIn(answer) !== '');
    const last = await link.ask('last', form('Last name?'));
    return `${String(nameIn(first))} ${String(nameIn(last))}`;
  },
});

it.each(ERAS)("a program's own tool can ask the client of the %s era", async (era) => {
  open = await openSurface([greet], { aroundCall: (link, run) => links.run(link, run) });
  const asked: string[] = [];
  const client = await open.client(era, ({ message }) => {
    asked.push(message);
    const name = message === 'First name?' ? 'Ada' : 'Lovelace';
    return { action: 'accept', content: { name } };
  });
  const reply = await client.callTool({ name: 'greet', arguments: {} });
  expect(textOf(reply)).toBe('Ada Lovelace');
  expect(asked).toEqual(['First name?', 'Last name?']);
});

it.each(ERAS)('other tools cannot reach the client of the %s era', async (era) => {
  open = await openSurface([greet]);
  const asked: string[] = [];
  const client = await open.client(era, ({ message }) => {
    asked.push(message);
    return { action: 'accept', content: {} };
  });
  const reply = await client.callTool({ name: 'greet', arguments: {} });
  expect([reply.isError, asked]).toEqual([true, []]);
});
