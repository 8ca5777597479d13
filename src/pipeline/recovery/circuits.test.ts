/** What the circuits of tools and of the servers that they share say about themselves. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CribEvents } from '../../contract/events.ts';
import { RetryPolicies } from '../../contract/retry.ts';

const unreachable = () => {
  throw new ToolFailure('NETWORK', 'no route');
};

const breaker = { failures: 2, restMs: 1000 };

/** Two tools of one server; both fail until told otherwise. */
const sharedServer = async () => {
  const state = { isDown: true };
  const tool = (name: string) =>
    aTool({
      name,
      server: 'mcp:demo',
      breaker,
      retry: RetryPolicies.NONE,
      run: () => (state.isDown ? unreachable() : 'ok'),
    });
  const crib = await testCrib([tool('one'), tool('two'), aTool({ name: 'other' })]);
  const events: (CribEvents['circuit.opened'] & { readonly is: string })[] = [];
  crib.events.on('circuit.opened', (event) => events.push({ is: 'opened', ...event }));
  crib.events.on('circuit.closed', (event) => events.push({ is: 'closed', ...event }));
  return { crib, events, state };
};

describe('the circuit of a tool', () => {
  it('says that it is open until when, half-open after that, and closed after a success', async () => {
    const { crib, state } = await sharedServer();
    expect(await crib.health.circuit('one')).toEqual({ tool: 'one', state: 'closed', failures: 0 });
    await crib.execute('one', {});
    expect(await crib.health.circuit('one')).toMatchObject({ state: 'closed', failures: 1 });
    await crib.execute('one', {});
    expect(await crib.health.circuit('one')).toMatchObject({
      state: 'open',
      failures: 2,
      openUntil: crib.runtime.now() + 1000,
    });
    await crib.runtime.advance(1000);
    expect((await crib.health.circuit('one')).state).toBe('half-open');
    state.isDown = false;
    await crib.execute('one', {});
    expect(await crib.health.circuit('one')).toEqual({ tool: 'one', state: 'closed', failures: 0 });
  });

  it('is NOT_FOUND for an unknown tool', async () => {
    const { crib } = await sharedServer();
    await expect(crib.health.circuit('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that is open for one caller only says so', async () => {
    const run = () => {
      throw new Error('may be the input');
    };
    const crib = await testCrib([aTool({ run, breaker, retry: RetryPolicies.NONE })]);
    for (let at = 0; at < 2; at++) await crib.execute('echo', {}, { userId: 'ada' });
    expect(await crib.health.circuit('echo')).toMatchObject({ state: 'open', callers: 1 });
    expect((await crib.execute('echo', {}, { userId: 'eve' })).error?.code).not.toBe(
      'CIRCUIT_OPEN',
    );
  });
});

describe('the circuit of a server', () => {
  it('counts all its tools as resting, and is announced once, by the name of the server', async () => {
    const { crib, events, state } = await sharedServer();
    await crib.execute('one', {});
    await crib.execute('two', {});
    expect(events).toEqual([{ is: 'opened', tool: 'two', server: 'mcp:demo' }]);
    expect(crib.health.circuits().map(({ tool, server }) => [tool, server])).toEqual([
      ['one', 'mcp:demo'],
      ['two', 'mcp:demo'],
    ]);
    await crib.runtime.advance(1000);
    await crib.execute('one', {});
    const ofServer = events.filter(({ server }) => server !== undefined);
    expect(ofServer, 'a probe that fails is no news').toHaveLength(1);
    await crib.runtime.advance(1000);
    state.isDown = false;
    await crib.execute('two', {});
    expect(events.slice(1)).toContainEqual({ is: 'closed', tool: 'two', server: 'mcp:demo' });
  });

  it('that only one caller opened names that caller', async () => {
    const run = () => {
      throw new Error('boom');
    };
    const crib = await testCrib([aTool({ run, breaker, retry: RetryPolicies.NONE })]);
    const opened: unknown[] = [];
    crib.events.on('circuit.opened', (event) => opened.push(event));
    for (let at = 0; at < 2; at++) await crib.execute('echo', {}, { userId: 'ada' });
    expect(opened).toEqual([{ tool: 'echo', userId: 'ada' }]);
  });
});
