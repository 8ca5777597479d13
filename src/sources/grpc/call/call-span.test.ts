import * as grpc from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import type { Span, SpanAttributes, SpanError, SpanStart } from '../../../contract/telemetry.ts';
import { inCallSpan } from './call-span.ts';

const TRACE = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };
const OWN = { traceparent: `00-${'a'.repeat(32)}-${'c'.repeat(16)}-01` };

/** A context that notes its spans; `isOwnHost` says whether the server may know the trace. */
const tracing = (isOwnHost: boolean) => {
  const started: { name: string; start: Omit<SpanStart, 'parent'> | undefined }[] = [];
  const ended: { attributes: SpanAttributes | undefined; error: SpanError | undefined }[] = [];
  const span = {
    trace: OWN,
    run: <T>(work: () => T) => work(),
    end: (attributes?: SpanAttributes, error?: SpanError) => void ended.push({ attributes, error }),
  } as unknown as Span;
  const startSpan = (name: string, start?: Omit<SpanStart, 'parent'>) => {
    started.push({ name, start });
    return span;
  };
  return { startSpan, trace: TRACE, sendsTraceTo: () => isOwnHost, started, ended };
};

const aCall = () => ({
  grpc,
  path: '/shop.Orders/Get',
  settings: { host: 'orders.example', port: 443 },
  metadata: new grpc.Metadata(),
});

describe('inCallSpan', () => {
  it('describes a call as the conventions have it, and sends the trace to servers that may know it', async () => {
    const context = tracing(true);
    const traced = aCall();
    expect(await inCallSpan(context, traced, async () => 7)).toBe(7);
    expect(context.started).toEqual([
      {
        name: 'shop.Orders/Get',
        start: {
          kind: 'client',
          attributes: {
            'rpc.system.name': 'grpc',
            'rpc.method': 'shop.Orders/Get',
            'server.address': 'orders.example',
            'server.port': 443,
          },
        },
      },
    ]);
    expect(context.ended).toEqual([
      { attributes: { 'rpc.response.status_code': 'OK' }, error: undefined },
    ]);
    expect(traced.metadata.getMap()).toEqual(OWN);
  });

  it('threat: a server that is not named for it does not learn the trace', async () => {
    const traced = aCall();
    await inCallSpan(tracing(false), traced, async () => 1);
    expect(traced.metadata.getMap()).toEqual({});
  });

  it('leaves metadata of the source alone, and passes on a trace that is not recorded here', async () => {
    const set = aCall();
    set.metadata.set('traceparent', 'of the source');
    await inCallSpan(tracing(true), set, async () => 1);
    expect(set.metadata.getMap()).toEqual({ traceparent: 'of the source' });
    const passed = aCall();
    const { startSpan: _startSpan, ...unrecorded } = tracing(true);
    await inCallSpan(unrecorded, passed, async () => 1);
    expect(passed.metadata.getMap()).toEqual(TRACE);
  });

  it('ends the span with the status of the server, or without one for what failed on the way', async () => {
    const refusal = Object.assign(new Error('gone'), { code: 5, metadata: new grpc.Metadata() });
    for (const [error, type] of [
      [refusal, 'NOT_FOUND'],
      [new Error('broken'), 'Error'],
    ] as const) {
      const context = tracing(true);
      const call = inCallSpan(context, aCall(), () => Promise.reject(error));
      await expect(call).rejects.toBe(error);
      expect(context.ended[0]?.error).toEqual({ type });
    }
  });
});
