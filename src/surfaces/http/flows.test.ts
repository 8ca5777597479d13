/** Flows over HTTP: started, listed in pages, looked at, continued and ended. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';

const pair = defineFlow({
  name: 'pair',
  version: '1.0.0',
  description: 'Calls a tool twice.',
  input: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  run: async (flow, { text }: { text: string }) => {
    const [first] = await flow.all([1, 2].map((n) => () => flow.call('echo', { text, n })));
    return first;
  },
});
const waiter = defineFlow({
  name: 'waiter',
  version: '1.0.0',
  run: (flow) => flow.waitForEvent('paid'),
});

const paid = aTool({ name: 'paid', cost: { model: 'usage_based', fixed: 0.01 } });
const buyer = defineFlow({
  name: 'buyer',
  version: '1.0.0',
  run: (flow) => flow.all([1, 2].map((n) => () => flow.call('paid', { n }))),
});
/** Makes more steps than are shown, and starts another run that pays, too. */
const buyers = defineFlow({
  name: 'buyers',
  version: '1.0.0',
  run: async (flow) => {
    const calls = Array.from({ length: 501 }, (_, n) => () => flow.call('paid', { n }));
    await flow.all(calls, { maxConcurrency: 50 });
    await flow.child(buyer, {});
  },
});

let http: TestHttp;
beforeAll(async () => {
  http = await openHttp([aTool(), paid]);
  http.crib.flows.register(pair);
  http.crib.flows.register(waiter);
});
afterAll(() => http.close());

const agent = () => ({ token: http.tokens.agent });
const start = (flow: string, body: object, headers: Record<string, string> = {}) =>
  http.ask(`/v1/flows/${flow}/runs`, { ...agent(), method: 'POST', body, headers });
const look = (id: string, token = http.tokens.agent) => http.ask(`/v1/flows/runs/${id}`, { token });
const act = (id: string, action: string, body?: object) =>
  http.ask(`/v1/flows/runs/${id}/${action}`, {
    ...agent(),
    method: 'POST',
    ...(body && { body }),
  });

describe('GET /v1/flows', () => {
  it('lists the registered flows with their input schema', async () => {
    const { json } = await http.ask('/v1/flows', agent());
    expect(json.items).toEqual([
      {
        name: 'pair',
        version: '1.0.0',
        versions: ['1.0.0'],
        description: 'Calls a tool twice.',
        source: 'code',
        input: expect.objectContaining({ required: ['text'] }),
      },
      {
        name: 'waiter',
        version: '1.0.0',
        versions: ['1.0.0'],
        description: '',
        source: 'code',
      },
    ]);
  });
});

describe('POST /v1/flows/:name/runs', () => {
  it('starts a run as the holder of the token, and shows its steps and graph', async () => {
    const started = await start('pair', { input: { text: 'hi' } });
    expect(started.status).toBe(201);
    await http.crib.flows.finished(started.json.id);
    const { json } = await look(started.json.id);
    expect(json).toMatchObject({
      status: 'completed',
      flow: 'pair',
      caller: { userId: 'token:agent' },
      output: { text: 'hi', n: 1 },
      stepCount: 2,
      costUsd: 0,
    });
    expect(json.steps).toMatchObject([
      { key: '1', kind: 'call', name: 'echo', state: 'done', input: { text: 'hi', n: 1 } },
      { key: '2', kind: 'call', name: 'echo', state: 'done', value: { text: 'hi', n: 2 } },
    ]);
    expect(json.graph.nodes).toHaveLength(2);
    expect(JSON.stringify(json)).not.toMatch(/"(seal|endSeal|epoch|permissions|digest)"/);
  });

  it('shows the cost from the ledger: all calls, those of runs that it has started included', async () => {
    http.crib.flows.register(buyer);
    http.crib.flows.register(buyers);
    const { id } = (await start('buyers', { input: {} })).json;
    const statusNow = async () => {
      await http.crib.runtime.advance(100);
      return (await http.crib.flows.get(id))?.status;
    };
    await expect.poll(statusNow, { timeout: 20_000 }).toBe('completed');
    const { json } = await look(id);
    expect(json.stepCount).toBe(502);
    expect(json.costUsd).toBeCloseTo(5.03);
    expect(json.cost).toEqual({ usd: json.costUsd, heldUsd: 0, tokens: 0 });
  });

  it('gives the same run for the same key and input, and CONFLICT for other input', async () => {
    const key = { 'idempotency-key': 'monday' };
    const first = await start('pair', { input: { text: 'a' } }, key);
    const again = await start('pair', { input: { text: 'a' } }, key);
    expect(again.json.id).toBe(first.json.id);
    const conflict = await start('pair', { input: { text: 'b' } }, key);
    expect(conflict.status).toBe(409);
    // The client has sent no runId.
    expect(conflict.json.error.message).toBe(
      'This idempotency key was used for a run of pair with another input or plan.',
    );
    expect(conflict.json.error.suggestions.join()).not.toContain('runId');
    const other = await http.ask('/v1/flows/pair/runs', {
      token: http.tokens.operator,
      method: 'POST',
      body: { input: { text: 'a' } },
      headers: key,
    });
    expect(other.status).toBe(201);
    expect(other.json.id).not.toBe(first.json.id);
  });

  it('refuses an unknown flow, an unknown version and input that does not fit', async () => {
    expect(await start('pear', { input: {} })).toMatchObject({ status: 404 });
    expect(await start('pair', { input: { text: 'x' }, version: '9.0.0' })).toMatchObject({
      status: 404,
    });
    const { status, json } = await start('pair', { input: { text: 7, more: 1 } });
    expect(status).toBe(400);
    expect(json.error.issues.length).toBeGreaterThan(0);
  });
});

describe('GET /v1/flows/runs', () => {
  it('pages through runs of one moment without losing or repeating one', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 7; n += 1) {
      ids.add((await start('waiter', { input: n })).json.id);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const query = `flow=waiter&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { json } = await http.ask(`/v1/flows/runs?${query}`, agent());
      expect(json.items.length).toBeLessThanOrEqual(2);
      seen.push(...json.items.map(({ id }: { id: string }) => id));
      cursor = json.next ?? '';
    } while (cursor !== '');
    expect(new Set(seen)).toEqual(ids);
    expect(seen).toHaveLength(ids.size);
  });

  it('filters by status', async () => {
    const { json } = await http.ask('/v1/flows/runs?status=completed', agent());
    expect(json.items.length).toBeGreaterThan(0);
    for (const { status } of json.items) expect(status).toBe('completed');
  });
});

describe('a run that waits', () => {
  it('continues with an event that is sent to it', async () => {
    const { json } = await start('waiter', { input: null });
    expect(await act(json.id, 'send', { event: 'paid', payload: { invoice: 7 } })).toMatchObject({
      status: 200,
    });
    const finished = http.crib.flows.finished(json.id);
    await http.crib.runtime.advance(3000);
    expect(await finished).toMatchObject({ output: { invoice: 7 } });
    expect(await act(json.id, 'send', { event: 'paid' })).toMatchObject({ status: 409 });
  });

  it('is cancelled once', async () => {
    const { json } = await start('waiter', { input: null });
    expect(await act(json.id, 'cancel')).toMatchObject({ json: { cancelled: true } });
    expect((await look(json.id)).json).toMatchObject({ status: 'cancelled' });
    expect(await act(json.id, 'cancel')).toMatchObject({ status: 409 });
    expect(await act(json.id, 'resume')).toMatchObject({ status: 409 });
  });
});

describe('GET /v1/flows/runs/:id/graph', () => {
  it('draws the steps as SVG without script, or as Mermaid', async () => {
    const { json } = await start('pair', { input: { text: 'drawn' } });
    await http.crib.flows.finished(json.id);
    const picture = await http.ask(`/v1/flows/runs/${json.id}/graph`, agent());
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
    expect(picture.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(picture.text).toMatch(/^<svg /);
    expect(picture.text).not.toMatch(/<script|\son\w+=/i);
    const text = await http.ask(`/v1/flows/runs/${json.id}/graph?format=mermaid`, agent());
    expect(text.text).toMatch(/^flowchart TD\n {2}n0\["echo/);
  });
});

describe('a declared flow', () => {
  const declared = {
    name: 'declared',
    version: '1.0.0',
    steps: [
      { id: 'first', call: 'echo', input: { text: { from: 'input.text' } } },
      { id: 'second', call: 'echo', input: { text: { from: 'steps.first.data.text' } } },
    ],
  };

  it('is planned, drawn and run, and its run is drawn with the declared steps', async () => {
    const other = await openHttp([aTool()]);
    await other.crib.flows.registerData(declared);
    const agentOf = { token: other.tokens.agent };
    const ask = (path: string, body?: object) =>
      other.ask(path, { ...agentOf, ...(body && { method: 'POST', body }) });
    const input = { text: 'hi' };
    const plan = await ask('/v1/flows/declared/plan', { input });
    expect(plan.json).toMatchObject({ levels: [['first'], ['second']], denied: [] });
    const picture = await ask('/v1/flows/declared/graph?format=mermaid');
    expect(picture.text).toContain('first');
    const { json } = await ask('/v1/flows/declared/runs', { input });
    await other.crib.flows.finished(json.id);
    const run = await ask(`/v1/flows/runs/${json.id}`);
    expect(run.json).toMatchObject({ status: 'completed', stepCount: 2 });
    expect(run.json.steps).toHaveLength(2);
    expect(run.json.graph).toMatchObject({
      nodes: [
        { id: 'first', state: 'done' },
        { id: 'second', state: 'done' },
      ],
      edges: [{ from: 'first', to: 'second' }],
    });
    await other.close();
  });

  it('threat: an agent cannot approve its own plan; another person can, and nothing is asked again', async () => {
    const saved: unknown[] = [];
    const save = aTool({ name: 'save', tier: 'execute', run: (input) => saved.push(input) });
    const other = await openHttp([save]);
    const step = { call: 'save', input: { text: 'hi' } };
    const steps = [
      { id: 'one', ...step },
      { id: 'two', ...step },
    ];
    await other.crib.flows.registerData({ name: 'saving', version: '1.0.0', steps });
    const ask = (token: string, path: string, body: object) =>
      other.ask(path, { token, method: 'POST', body });
    const { agent: own, operator } = other.tokens;
    const asked = await ask(own, '/v1/flows/saving/plan/approval', { input: {} });
    expect(asked).toMatchObject({ status: 201 });
    const planApproval = asked.json.approvalId as string;
    const decide = (token: string) =>
      ask(token, `/v1/approvals/${planApproval}/decide`, { approve: true });
    const run = (token = own) => ask(token, '/v1/flows/saving/runs', { input: {}, planApproval });
    expect((await decide(own)).status).toBe(403);
    expect((await run()).status).not.toBe(201);
    expect((await decide(operator)).json).toEqual({ decided: true });
    expect((await run(operator)).status).not.toBe(201);
    const started = await run();
    expect(started.status).toBe(201);
    expect(await other.crib.flows.finished(started.json.id)).toMatchObject({ status: 'completed' });
    expect(saved).toHaveLength(2);
    expect((await run()).status).not.toBe(201);
    await other.close();
  });

  it('a flow as code, or the text of a flow, cannot be planned over HTTP', async () => {
    const asking = { ...agent(), method: 'POST', body: { input: {} } };
    expect(await http.ask('/v1/flows/pair/plan', asking)).toMatchObject({ status: 404 });
    const text = encodeURIComponent('{name: x, version: 1.0.0, steps: []}');
    expect(await http.ask(`/v1/flows/${text}/plan`, asking)).toMatchObject({ status: 404 });
  });
});

describe('the stream of events', () => {
  it('sends runs and steps to its listeners', async () => {
    const seen: string[] = [];
    const stops = [
      http.crib.events.on('flow.changed', ({ status }) => seen.push(status)),
      http.crib.events.on('flow.stepped', ({ step }) => seen.push(`${step.name} ${step.state}`)),
    ];
    const { json } = await start('pair', { input: { text: 'watched' } });
    await http.crib.flows.finished(json.id);
    await new Promise((resolve) => setImmediate(resolve));
    for (const stop of stops) stop();
    expect(seen).toContain('echo done');
    expect(seen.at(-1)).toBe('completed');
  });
});
