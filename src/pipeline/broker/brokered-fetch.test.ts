import { afterEach, describe, expect, it } from 'vitest';
import { codeOf, type LocalSite, openSite } from '../../../test/fixtures/local-site.ts';
import type { Call } from '../../contract/call.ts';
import { defineTool } from '../../contract/define-tool.ts';
import {
  createEgress,
  type Egress,
  type EgressScope,
} from '../../governance/egress/create-egress.ts';
import { brokeredFetch } from './brokered-fetch.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const site = async (): Promise<LocalSite> => {
  const opened = await openSite();
  open.push(opened);
  return opened;
};

const guard = (): Egress => {
  const egress = createEgress({ allowPrivate: ['127.0.0.1'] });
  open.push(egress);
  return egress;
};

const callOf = (hosts?: readonly string[]) => {
  const tool = defineTool({
    name: 't',
    description: '',
    tier: 'external_api',
    input: {},
    run: () => 1,
    ...(hosts && { needs: { hosts } }),
  });
  const abort = new AbortController();
  const call = {
    ready: { tool },
    control: {
      get reason() {
        return abort.signal.reason;
      },
      onAbort: (callback: () => void) => abort.signal.addEventListener('abort', callback),
    },
    notes: { resources: undefined },
  } as unknown as Call<'ready'>;
  return { call, abort };
};

describe('fetch of a tool', () => {
  it('reaches a declared host and notes its origin once', async () => {
    const { port } = await site();
    const { call } = callOf(['127.0.0.1']);
    const fetch = brokeredFetch(call, guard());
    const origin = `http://127.0.0.1:${port}`;
    expect(await (await fetch(origin)).text()).toBe('hello');
    expect(await (await fetch(new URL('/x', origin))).text()).toBe('hello');
    expect(await (await fetch(new Request(origin))).text()).toBe('hello');
    expect([...(call.notes.resources ?? [])]).toEqual([origin]);
  });

  it('carries the trace to hosts that may know it, and has a span for all', async () => {
    const { port } = await site();
    const { call } = callOf(['127.0.0.1']);
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'v=1' };
    const ended: unknown[] = [];
    const own = {
      trace,
      run: (work: () => unknown) => work(),
      end: (of: unknown) => ended.push(of),
    };
    const traced = { ...call, span: { child: () => own } } as unknown as Call<'ready'>;
    const sent: (string | null)[][] = [];
    const egress = guard();
    const noting: Pick<Egress, 'fetch'> = {
      fetch: (input, init) => {
        const headers = new Headers(init?.headers);
        sent.push([headers.get('traceparent'), headers.get('tracestate'), headers.get('x-own')]);
        return egress.fetch(input, init);
      },
    };
    const address = `http://127.0.0.1:${port}/`;
    const init = { headers: { 'x-own': '1' } };
    for (const sendsTraceTo of [() => true, () => false, undefined]) {
      await brokeredFetch(traced, noting, sendsTraceTo && { sendsTraceTo })(address, init);
    }
    const set = { headers: { traceparent: 'of the tool' } };
    await brokeredFetch(traced, noting, { sendsTraceTo: () => true })(address, set);
    expect(sent).toEqual([
      [trace.traceparent, 'v=1', '1'],
      [null, null, '1'],
      [null, null, '1'],
      ['of the tool', null, null],
    ]);
    expect(ended).toHaveLength(4);
  });

  it('reaches nothing without declared hosts', async () => {
    const { port, hits } = await site();
    const { call } = callOf();
    const asking = brokeredFetch(call, guard())(`http://127.0.0.1:${port}/`);
    expect(await codeOf(asking)).toBe('PERMISSION_DENIED');
    expect([hits, call.notes.resources]).toEqual([[], undefined]);
  });

  it('a scope that the tool brings itself does not count', async () => {
    const { port, hits } = await site();
    const { call } = callOf(['api.example.com']);
    const scope: EgressScope = {
      hosts: ['*'],
      signal: () => new AbortController().signal,
      onHop: () => undefined,
    };
    const init = { scope } as RequestInit;
    const asking = brokeredFetch(call, guard())(`http://127.0.0.1:${port}/`, init);
    expect(await codeOf(asking)).toBe('PERMISSION_DENIED');
    expect(hits).toEqual([]);
  });

  it('ends with the call, also when the tool passes its own signal', async () => {
    const opened = await openSite(() => undefined);
    open.push(opened);
    const { call, abort } = callOf(['127.0.0.1']);
    const { signal } = new AbortController();
    const asking = brokeredFetch(call, guard())(`http://127.0.0.1:${opened.port}/`, {
      signal,
    });
    abort.abort(new Error('over'));
    await expect(asking).rejects.toThrow('over');
  });
});
