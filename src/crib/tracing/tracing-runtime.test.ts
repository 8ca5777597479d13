/** Spans of a crib in a program that has set OpenTelemetry up, as its own SDK sees them. */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { createCrib } from '../create-crib.ts';

const exporter = new InMemorySpanExporter();
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

beforeAll(() => {
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

const inner = defineTool({
  name: 'inner',
  description: 'Says how it was called.',
  tier: 'read_only',
  input: z.object({ secret: z.string().optional() }),
  run: (_input, { trace: own }) => own?.traceparent ?? 'none',
});
const outer = defineTool({
  name: 'outer',
  description: 'Calls inner.',
  tier: 'read_only',
  input: z.object({}),
  run: async (_input, { call }) => (await call('inner', {})).data,
});
const failing = defineTool({
  name: 'failing',
  description: 'Fails.',
  tier: 'read_only',
  input: z.object({}),
  run: () => {
    throw new Error('no');
  },
});

const openCrib = () =>
  createCrib({ builtins: false, tools: [inner, outer, failing], store: 'memory' });

const spanOf = (name: string) => {
  const span = exporter.getFinishedSpans().find((each) => each.name === name);
  if (!span) throw new Error(`no ${name}`);
  return span;
};

describe('a crib in a program that traces', () => {
  it('makes its calls children of the span around them, and inner calls children of calls', async () => {
    const crib = await openCrib();
    const around = trace.getTracer('test').startSpan('agent');
    const result = await context.with(trace.setSpan(context.active(), around), () =>
      crib.execute('outer', {}),
    );
    around.end();
    const { traceId, spanId } = around.spanContext();
    expect(result.metadata.traceId).toBe(traceId);
    expect(spanOf('execute_tool outer').parentSpanContext?.spanId).toBe(spanId);
    const stage = spanOf('execute_tool inner').parentSpanContext?.spanId;
    const stages = exporter.getFinishedSpans().filter(({ name }) => name === 'stage execute');
    expect(stages.map((each) => each.spanContext().spanId)).toContain(stage);
    const traces = exporter.getFinishedSpans().map((each) => each.spanContext().traceId);
    expect([...new Set(traces)]).toEqual([traceId]);
    expect(result.data).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    await crib.close();
  });

  it('joins the trace that the caller names', async () => {
    const crib = await openCrib();
    const { metadata } = await crib.execute('inner', {}, { trace: { traceparent: TRACEPARENT } });
    expect(metadata.traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(spanOf('execute_tool inner').parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    await crib.close();
  });

  it('marks failures by their code, and contains neither input nor result', async () => {
    const crib = await openCrib();
    await crib.execute('failing', {});
    await crib.execute('inner', { secret: 'hunter2-in-the-input' });
    expect(spanOf('execute_tool failing').attributes).toMatchObject({
      'error.type': 'EXECUTION_FAILED',
      'toolcrib.call.status': 'failure',
    });
    const said = exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes }));
    expect(JSON.stringify(said)).not.toContain('hunter2');
    await crib.close();
  });

  it('threat: names that a caller makes up do not become names of spans', async () => {
    const crib = await openCrib();
    await crib.execute('made-up-by-the-caller', {});
    const names = exporter.getFinishedSpans().map(({ name }) => name);
    expect(names).toContain('execute_tool (unknown)');
    expect(names.join()).not.toContain('made-up');
    await crib.close();
  });

  it('threat: spans name callers without their secrets, and no token behind a session', async () => {
    const crib = await openCrib();
    const key = 'sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6';
    const names = { userId: 'token:ci-2', agentId: `token:ci-2/${key}` };
    await crib.execute('outer', {}, { ...names, sessionId: `token:tok_42/${key}` });
    await crib.execute('failing', {}, { ...names, sessionId: 'token:tok_42/thread-7' });
    const spans = exporter.getFinishedSpans().map(({ attributes }) => attributes);
    expect(JSON.stringify(spans)).not.toMatch(/tok_42|sk-ant/);
    const [outerCall, innerCall, failed] = ['outer', 'inner', 'failing'].map(
      (tool) => spanOf(`execute_tool ${tool}`).attributes,
    );
    expect(failed?.['user.id']).toBe('token:ci-2');
    expect(failed?.['gen_ai.conversation.id']).toMatch(/^session-[\w-]{16}\/thread-7$/);
    const session = String(failed?.['gen_ai.conversation.id']).split('/')[0];
    for (const each of [outerCall, innerCall]) {
      expect(each?.['gen_ai.agent.id']).toMatch(/^token:ci-2\//);
      expect(String(each?.['gen_ai.conversation.id']).split('/')[0]).toBe(session);
    }
    await crib.close();
  });

  it('names the session that a program chose as it is', async () => {
    const crib = await openCrib();
    await crib.execute('inner', {}, { sessionId: 'thread-7' });
    expect(spanOf('execute_tool inner').attributes['gen_ai.conversation.id']).toBe('thread-7');
    await crib.close();
  });

  it('threat: a malformed trace is refused before anything runs', async () => {
    const crib = await openCrib();
    const { error } = await crib.execute('inner', {}, { trace: { traceparent: '00-x' } });
    expect(error?.code).toBe('VALIDATION_ERROR');
    await crib.close();
  });

  it('has the addition of a job, its attempt and the calls that it makes in one trace', async () => {
    const crib = await openCrib();
    crib.jobs.register('relay', (_job, { call }) => call('inner', {}));
    const id = await crib.jobs.enqueue('relay', {}, { trace: { traceparent: TRACEPARENT } });
    await crib.jobs.work();
    const job = await eventually(async () => {
      const current = await crib.jobs.get(id);
      expect(current?.state).toBe('completed');
      return current;
    });
    const [enqueue, attempt, call] = [
      spanOf('enqueue default'),
      spanOf('process default'),
      spanOf('execute_tool inner'),
    ];
    expect(enqueue.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(attempt.parentSpanContext?.spanId).toBe(enqueue.spanContext().spanId);
    expect(call.parentSpanContext?.spanId).toBe(attempt.spanContext().spanId);
    expect(attempt.attributes).toMatchObject({
      'messaging.message.id': id,
      'toolcrib.job.type': 'relay',
      'toolcrib.job.attempt': 1,
      'toolcrib.job.end': 'completed',
    });
    expect(job?.trace?.traceparent).toContain(enqueue.spanContext().spanId);
    await crib.close();
  });

  it('marks an attempt at a job that failed by the code of its error', async () => {
    const crib = await openCrib();
    crib.jobs.register('fail', (_job, { call }) => call('failing', {}));
    const id = await crib.jobs.enqueue('fail', {}, { retries: 0 });
    await crib.jobs.work();
    await eventually(async () => expect((await crib.jobs.get(id))?.state).toBe('dead'));
    expect(spanOf('process default').attributes).toMatchObject({
      'error.type': 'EXECUTION_FAILED',
      'toolcrib.job.end': 'failed',
    });
    await crib.close();
  });

  it('has the turns and calls of a run of a flow in one trace', async () => {
    const crib = await openCrib();
    crib.flows.register(
      defineFlow({
        name: 'twice',
        version: '1.0.0',
        input: z.object({}),
        run: async (flow) => {
          await flow.call('inner', {});
          await flow.sleep(1);
          return flow.call('inner', {});
        },
      }),
    );
    const { finished } = await crib.flows.start('twice', {});
    await finished;
    const turns = exporter.getFinishedSpans().filter(({ name }) => name.includes('twice'));
    const calls = exporter.getFinishedSpans().filter(({ name }) => name === 'execute_tool inner');
    const traces = [...turns, ...calls].map((each) => each.spanContext().traceId);
    expect([turns.length >= 1, calls.length, new Set(traces).size]).toEqual([true, 2, 1]);
    await (await crib.flows.start('twice', {}, { trace: { traceparent: TRACEPARENT } })).finished;
    const joined = exporter
      .getFinishedSpans()
      .filter((each) => each.spanContext().traceId === TRACEPARENT.slice(3, 35));
    expect(joined.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['invoke_workflow twice', 'execute_tool inner']),
    );
    expect(spanOf('invoke_workflow twice').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'twice',
    });
    await crib.close();
  });
});
