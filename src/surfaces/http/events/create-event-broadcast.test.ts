import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../../test/fixtures/fake-runtime.ts';
import { aTool, testCrib } from '../../../../test/fixtures/test-crib.ts';
import type { Role } from '../../../contract/tokens.ts';
import { createEventBus } from '../../../observation/event-bus.ts';
import { type StreamAnswer, toResponse } from '../../door/answer.ts';
import { fromWebRequest } from '../../door/http-request.ts';
import { createEventBroadcast, type EventBroadcastOptions } from './create-event-broadcast.ts';
import { MAX_CLIENT_BACKLOG } from './event-client.ts';

const ADDRESS = 'http://127.0.0.1:7420/v1/events';

const ask = (query = '', headers: Record<string, string> = {}) =>
  fromWebRequest(new Request(`${ADDRESS}${query}`, { headers }), '127.0.0.1');

const as = (role: Role, userId = 'somebody') => ({ role, userId });

const opened = (options: Partial<EventBroadcastOptions> = {}) => {
  const runtime = fakeRuntime();
  const events = createEventBus(runtime.log);
  const stream = createEventBroadcast(events, { runtime, run: 'run1', ...options });
  return { runtime, events, stream };
};

const responseOf = ({ status, headers, stream }: StreamAnswer): Response =>
  toResponse({ status, headers: Object.entries(headers).flat(), stream });

/** Reads until the text holds what is waited for, or the stream is over. */
const reading = (answer: StreamAnswer) => {
  const reader = (responseOf(answer).body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  return {
    until: async (wanted: string): Promise<string> => {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      return text;
    },
    leave: () => reader.cancel(),
  };
};

const registered = { tool: 'echo', version: '1.0.0' };

describe('createEventBroadcast', () => {
  it('sends events with an id and a type, and without inputs and results', async () => {
    const crib = await testCrib([aTool()]);
    const stream = createEventBroadcast(crib.events, { runtime: crib.runtime, run: 'run1' });
    const client = reading(stream.open(ask(), as('viewer')));
    await crib.execute('echo', { note: 'canary-value' });
    const text = await client.until('event: call.finished');
    expect(text).toContain('event: call.started\n');
    expect(text).toMatch(/id: run1\.2\nevent: call\.finished\ndata: \{.*"status":"success"/);
    expect(text).not.toContain('canary');
    stream.close();
  });

  it('sends the headers of an event stream', () => {
    const { stream } = opened();
    const { status, headers } = stream.open(ask(), as('viewer'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
  });

  it('sends only the requested types', async () => {
    const { stream, events } = opened();
    const client = reading(
      stream.open(ask('?types=tool.unregistered,server.changed'), as('admin')),
    );
    events.emit('tool.registered', registered);
    events.emit('server.changed', { server: 'files', state: 'ready' });
    const text = await client.until('server.changed');
    expect(text).not.toContain('tool.registered');
  });

  it.each(['?types=call.exploded', '?types=__proto__', '?types=call.started,effect.notified'])(
    'refuses types that do not exist: %s',
    (query) => {
      const { stream } = opened();
      expect(() => stream.open(ask(query), as('admin'))).toThrow('no such type');
      expect(stream.clients).toBe(0);
    },
  );

  it('resumes after the last event that was seen', async () => {
    const { stream, events } = opened();
    const first = reading(stream.open(ask(), as('viewer')));
    events.emit('tool.registered', { tool: 'one', version: '1.0.0' });
    await first.until('"one"');
    await first.leave();
    events.emit('tool.registered', { tool: 'two', version: '1.0.0' });
    const again = reading(stream.open(ask('', { 'last-event-id': 'run1.1' }), as('viewer')));
    const text = await again.until('retry:');
    expect(text).toContain('"two"');
    expect(text).not.toContain('"one"');
    expect(text).not.toContain('stream.reset');
  });

  it.each(['run0.1', 'run1.99', 'nonsense', 'run1.-1', 'run1.1e3'])(
    'asks a client with an id it cannot resume (%s) to reload',
    async (id) => {
      const { stream, events } = opened();
      stream.open(ask(), as('viewer'));
      events.emit('tool.registered', registered);
      const client = reading(stream.open(ask('', { 'last-event-id': id }), as('viewer')));
      expect(await client.until('retry:')).toContain('event: stream.reset');
    },
  );

  it('asks a client to reload when missed events are gone', async () => {
    const { stream, events } = opened({ keep: 10 });
    stream.open(ask(), as('viewer'));
    for (let at = 0; at < 50; at++) events.emit('tool.registered', registered);
    const client = reading(stream.open(ask('', { 'last-event-id': 'run1.3' }), as('viewer')));
    expect(await client.until('retry:')).toContain('stream.reset');
  });

  it('keeps idle connections alive with comments', async () => {
    const { stream, runtime } = opened();
    const client = reading(stream.open(ask(), as('viewer')));
    await client.until('retry:');
    await runtime.advance(15_000);
    expect(await client.until('\n\n:\n\n')).toContain('\n\n:\n\n');
  });

  it('does not listen to the crib without clients', async () => {
    const { stream, events, runtime } = opened();
    expect(events.has('call.measured')).toBe(false);
    const client = reading(stream.open(ask(), as('viewer')));
    expect(events.has('call.measured')).toBe(true);
    await client.leave();
    expect(events.has('call.measured')).toBe(true);
    await runtime.advance(120_000);
    expect(events.has('call.measured')).toBe(false);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('has no data of calls copied for it', async () => {
    const { stream, events } = opened();
    stream.open(ask(), as('viewer'));
    expect(events.has('call.finished')).toBe(false);
    stream.close();
  });

  it('names the version of the tool and the question that a call waits for', async () => {
    const tool = aTool({ tier: 'execute', version: '2.1.0' });
    const crib = await testCrib([tool]);
    const stream = createEventBroadcast(crib.events, { runtime: crib.runtime, run: 'run1' });
    const client = reading(stream.open(ask(), as('viewer')));
    const { approval } = await crib.execute('echo', {});
    const text = await client.until('event: call.finished');
    expect(text).toContain('"version":"2.1.0"');
    expect(text).toContain(`"approvalId":"${approval?.approvalId}"`);
    stream.close();
  });

  it('reports when the first client connects, and when the last one has left', async () => {
    const said: boolean[] = [];
    const { stream, runtime } = opened({ onWatched: (isWatched) => said.push(isWatched) });
    const first = reading(stream.open(ask(), as('viewer')));
    stream.open(ask(), as('viewer'));
    expect(said).toEqual([true]);
    await first.leave();
    stream.close();
    await runtime.advance(120_000);
    expect(said).toEqual([true, false]);
  });

  it('ends every stream when it closes', async () => {
    const { stream, events } = opened();
    const client = reading(stream.open(ask(), as('viewer')));
    stream.close();
    expect(await client.until('never said')).toContain('retry:');
    expect([stream.clients, events.has('call.measured')]).toEqual([0, false]);
  });
});

describe('threats of the event stream', () => {
  it('a client that does not read has little queued for it, and is let go; others hear everything', async () => {
    const { stream, events, runtime } = opened();
    const slow = stream.open(ask(), as('viewer'));
    const body = responseOf(slow);
    const quick = reading(stream.open(ask(), as('viewer')));
    const long = 'x'.repeat(1000);
    for (let at = 1; at <= 200; at++) {
      events.emit('tool.registered', { tool: long, version: `${at}` });
      await quick.until(`"${at}"`);
    }
    expect(slow.stream.backlog).toBeGreaterThan(MAX_CLIENT_BACKLOG);
    expect(slow.stream.backlog).toBeLessThan(MAX_CLIENT_BACKLOG + 2000);
    await runtime.advance(45_000);
    expect(stream.clients).toBe(2);
    await runtime.advance(60_000);
    expect(stream.clients).toBe(1);
    await expect(body.text()).rejects.toThrow('does not read');
  });

  it('a slow client hears what waited for it in the ring, in order and once, when it reads again', async () => {
    const { stream, events } = opened();
    const slow = reading(stream.open(ask(), as('viewer')));
    for (let at = 1; at <= 900; at++) {
      events.emit('tool.registered', { tool: 'x'.repeat(100), version: `v${at}` });
    }
    const text = await slow.until('"v900"');
    const versions = [...text.matchAll(/"version":"v(\d+)"/g)].map(([, number]) => Number(number));
    expect(versions).toEqual(Array.from({ length: 900 }, (_, at) => at + 1));
    expect(text).not.toContain('stream.reset');
    stream.close();
  });

  it('clients that take long to write to are sent several events together', async () => {
    const runtime = fakeRuntime();
    const events = createEventBus(runtime.log);
    let elapsed = 0;
    // Each look at this clock takes 10 ms: so does each round of sending.
    const slow = { ...runtime, elapsed: () => (elapsed += 10) };
    const stream = createEventBroadcast(events, { runtime: slow, run: 'run1' });
    const answer = stream.open(ask(), as('viewer'));
    const client = reading(answer);
    for (const tool of ['one', 'two', 'three']) {
      events.emit('tool.registered', { tool, version: '1.0.0' });
    }
    expect(await client.until('"one"')).not.toContain('"two"');
    await runtime.advance(40);
    expect(await client.until('"three"')).toContain('"two"');
    await runtime.advance(1000);
    expect(runtime.pendingTimers).toBe(1);
    stream.close();
  });

  it('a slow client with too large a backlog is sent a reload, and then new events', async () => {
    const { stream, events } = opened({ keep: 10 });
    const slow = reading(stream.open(ask(), as('viewer')));
    for (let at = 1; at <= 2000; at++) {
      events.emit('tool.registered', { tool: 'x'.repeat(100), version: `v${at}` });
    }
    await slow.until('stream.reset');
    events.emit('tool.registered', { tool: 'last', version: '1.0.0' });
    const text = await slow.until('"last"');
    expect(text.match(/stream\.reset/g)).toHaveLength(1);
    stream.close();
  });

  it('an agent gets events of its own calls and of tools, and no others', async () => {
    const crib = await testCrib([aTool()]);
    const stream = createEventBroadcast(crib.events, { runtime: crib.runtime, run: 'run1' });
    const client = reading(stream.open(ask(), as('agent', 'bot')));
    await crib.execute('echo', {}, { userId: 'other-user' });
    crib.events.emit('approval.requested', { approvalId: 'approval-1', tool: 'echo', summary: '' });
    crib.events.emit('permission.granted', { grantId: 'g', resource: 'tool:echo' });
    await crib.execute('echo', {}, { userId: 'bot' });
    crib.events.emit('tool.unregistered', { tool: 'echo' });
    const text = await client.until('tool.unregistered');
    expect(text.match(/event: .*/g)).toEqual([
      'event: call.started',
      'event: call.finished',
      'event: tool.unregistered',
    ]);
    expect(text).not.toContain('other-user');
    stream.close();
  });

  it('an agent that resumes gets no events of the calls of others', async () => {
    const crib = await testCrib([aTool()]);
    const stream = createEventBroadcast(crib.events, { runtime: crib.runtime, run: 'run1' });
    stream.open(ask(), as('admin'));
    await crib.execute('echo', {}, { userId: 'other-user' });
    const back = ask('', { 'last-event-id': 'run1.0' });
    const client = reading(stream.open(back, as('agent', 'bot')));
    expect(await client.until('retry:')).not.toContain('call.');
    stream.close();
  });

  it('an unknown role receives no events', async () => {
    const { stream, events } = opened();
    const client = reading(stream.open(ask(), as('root' as Role)));
    events.emit('tool.registered', registered);
    stream.close();
    expect(await client.until('tool.registered')).not.toContain('tool.registered');
  });

  it('a client that may no longer read is disconnected, and one that has left is released', () => {
    const { stream } = opened();
    const ends = new Set<() => void>();
    const hold = (end: () => void) => {
      ends.add(end);
      return () => void ends.delete(end);
    };
    for (const userId of ['good', 'revoked']) {
      stream.open(ask(), as('viewer', userId)).stream.holdBy(hold);
    }
    [...ends][1]?.();
    expect([stream.clients, ends.size]).toEqual([1, 1]);
    stream.close();
    expect([stream.clients, ends.size]).toEqual([0, 0]);
  });

  it('refuses more clients than its limit', () => {
    const { stream } = opened({ maxClients: 2 });
    stream.open(ask(), as('viewer'));
    stream.open(ask(), as('viewer'));
    expect(() => stream.open(ask(), as('viewer'))).toThrow('Too many clients');
  });

  it('a name with line breaks forges no event', async () => {
    const { stream, events } = opened();
    const client = reading(stream.open(ask(), as('viewer')));
    const tool = 'a\n\nevent: approval.decided\ndata: {"approved":true}\n\n';
    events.emit('call.started', { executionId: 'e', tool, userId: 'u' });
    const text = await client.until('call.started');
    expect(text.match(/^event: .*/gm)).toEqual(['event: call.started']);
  });
});

describe('events of other processes', () => {
  const finished = (executionId: string) => ({
    userId: 'bot',
    data: { executionId, tool: 'echo', userId: 'bot', status: 'success' },
  });

  it('sends events of another process to clients that may see them', async () => {
    const { stream } = opened();
    const [staff, agent] = [as('viewer'), as('agent', 'other-bot')].map((viewer) =>
      reading(stream.open(ask(), viewer)),
    );
    stream.relay('call.finished', finished('exec-1'));
    expect(await staff?.until('exec-1')).toContain('event: call.finished');
    stream.close();
    expect(await agent?.until('never')).not.toContain('exec-1');
  });

  it('sends a call of this process once, although the store is read before or after its event', async () => {
    const crib = await testCrib([aTool()]);
    const stream = createEventBroadcast(crib.events, { runtime: crib.runtime, run: 'run1' });
    const client = reading(stream.open(ask('?types=call.finished,approval.decided'), as('viewer')));
    const { metadata } = await crib.execute('echo', {});
    stream.relay('call.finished', finished(metadata.executionId));
    stream.relay('approval.decided', { data: { approvalId: 'a-1', approved: true } });
    stream.relay('approval.decided', { data: { approvalId: 'a-1', approved: true } });
    crib.events.emit('approval.decided', { approvalId: 'a-1', approved: true });
    stream.relay('call.finished', finished('the-last'));
    const text = await client.until('the-last');
    expect(text.match(/event: .*/g)).toEqual([
      'event: call.finished',
      'event: approval.decided',
      'event: call.finished',
    ]);
    stream.close();
  });

  it('keeps no events of other processes without clients', async () => {
    const { stream } = opened();
    stream.relay('call.finished', finished('exec-1'));
    const client = reading(stream.open(ask('', { 'last-event-id': 'run1.0' }), as('viewer')));
    expect(await client.until('retry:')).not.toContain('exec-1');
    stream.close();
  });

  it('sends every client a reload when more happened than is sent one by one', async () => {
    const { stream, events } = opened();
    const client = reading(stream.open(ask(), as('viewer')));
    events.emit('tool.registered', registered);
    stream.reset();
    events.emit('tool.registered', { tool: 'after', version: '1.0.0' });
    const text = await client.until('"after"');
    expect(text.match(/event: .*/g)).toEqual([
      'event: tool.registered',
      'event: stream.reset',
      'event: tool.registered',
    ]);
    const back = reading(stream.open(ask('', { 'last-event-id': 'run1.1' }), as('viewer')));
    expect(await back.until('retry:')).toContain('stream.reset');
    stream.close();
  });
});
