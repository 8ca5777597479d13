import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { webhookNode } from '../../../test/fixtures/vendors/n8n-server.ts';
import { parseConfig } from '../../config/load/parse-config.ts';
import type { ExternalSettings, ReadDeps } from '../../contract/source-driver.ts';
import type { RefusedTool } from '../../contract/sources.ts';
import { pinDefinition } from '../../registry/lock/pin-definition.ts';
import { discoverWorkflows } from './discover-workflows.ts';
import { createN8nDriver } from './n8n-driver.ts';
import { type DiscoveredWorkflow, isUsableSchema, nameOf, readWorkflow } from './read-workflow.ts';
import { generateIdempotencyKey } from './workflow-tool.ts';

const workflow = (more: Readonly<Record<string, unknown>>) => ({
  ...{ id: '1', name: 'Mail', active: true, nodes: [webhookNode('mail')] },
  ...more,
});

const note = (content: unknown) => ({ type: 'n8n-nodes-base.stickyNote', parameters: { content } });

const withNote = (fields: unknown) =>
  readWorkflow(
    workflow({ nodes: [webhookNode('mail'), note(`toolcrib\n${JSON.stringify(fields)}`)] }),
  );

const SETTINGS: ExternalSettings = {
  ...{ name: 'flows', kind: 'n8n', enabled: true, toolTiers: {}, headers: {} },
  ...{ timeoutMs: 1000, maxOutputBytes: 1000, own: { baseUrl: 'http://localhost:5678' } },
};

const toolsOf = (workflows: readonly DiscoveredWorkflow[], refused: RefusedTool[] = []) =>
  createN8nDriver().build({ format: 1, workflows, refused: [] }, SETTINGS, {
    ...{ runtime: fakeRuntime(), redact: (text) => text },
    refuse: (one) => void refused.push(one),
  });

describe('threat: a workflow that somebody else has written', () => {
  it.each([
    '../../api/v1/users',
    'a/../../b',
    '..',
    './a',
    '/absolute',
    'a//b',
    'a?b=c',
    'a#b',
    'a%2e%2e/b',
    'user/:id',
    'a b',
    'http://evil.example.com',
    'a\\b',
    '',
    'x'.repeat(501),
    7,
  ])('cannot lead a request elsewhere by the path %j', (path) => {
    const nodes = [webhookNode('x', { path })];
    expect(readWorkflow(workflow({ nodes }))).toMatchObject({
      refused: { name: 'Mail', reason: 'the path of its webhook cannot be called' },
    });
  });

  it.each(['a/../b', '..', '/a', 'a?b', 'a%2f', ':id'])(
    'is refused in the configuration with the path %j as well',
    (webhookPath) => {
      const flows = { baseUrl: 'http://localhost:5678', workflows: { a: { webhookPath } } };
      expect(() => parseConfig({ sources: { n8n: { flows } } } as never)).toThrow();
    },
  );

  it('cannot set its own risk, permissions, time limit or price by a note', () => {
    const reading = withNote({
      ...{ name: 'mail', tier: 'read_only', permissions: [], timeoutMs: 1, costUsd: 0 },
      ...{ asksFirst: false, webhookPath: 'other', workflowId: '2', mode: 'async' },
    });
    expect(reading).toEqual({
      workflow: {
        ...{ name: 'mail', workflowId: '1', webhookPath: 'mail' },
        description: 'Runs the n8n workflow "Mail".',
      },
    });
  });

  it.each([
    { $ref: 'https://evil.example.com/schema.json' },
    { type: 'object', properties: { a: { $dynamicRef: 'file:///etc/passwd' } } },
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    { type: 'object', properties: { constructor: {} } },
    Array.from({ length: 6_000 }, () => ({})),
    'object',
    null,
  ])('cannot bring the schema %#', (schema) => {
    expect(isUsableSchema(schema)).toBe(false);
    expect(withNote({ input: schema })).toMatchObject({ workflow: { name: 'mail' } });
    expect(withNote({ input: schema })).not.toHaveProperty('workflow.input');
  });

  it('cannot bring a schema that is too deep or too large, nor a note that is too long', () => {
    let deep: object = {};
    for (let at = 0; at < 100; at += 1) deep = { items: deep };
    expect(isUsableSchema({ type: 'object', properties: { a: deep } })).toBe(false);
    const long = JSON.stringify({ description: 'x'.repeat(200_000) });
    const nodes = [webhookNode('mail'), note(`toolcrib\n${long}`), note(7), 'no node', null];
    expect(readWorkflow(workflow({ nodes }))).toMatchObject({
      workflow: { description: 'Runs the n8n workflow "Mail".' },
    });
  });

  it.each([
    ['Sénd  Émail!', 'se_nd_e_mail'],
    ['toolcrib:undo', 'toolcrib_undo'],
    ['日本', undefined],
    ['', undefined],
    ['x'.repeat(300), 'x'.repeat(64)],
  ])('is named by safe characters alone: %j', (text, name) => {
    expect(nameOf(text)).toBe(name);
  });

  it.each([undefined, null, 7, [], {}, { active: false }, { active: true, nodes: 'x' }])(
    'is left out when it is %j',
    (value) => {
      expect(readWorkflow(value)).toBeUndefined();
    },
  );

  it('cannot take the name of a tool that reads or delivers runs', () => {
    const refused: RefusedTool[] = [];
    const named = (name: string) => ({
      name,
      workflowId: name,
      webhookPath: name,
      description: '',
    });
    const workflows = ['get_workflow_result', 'n8n_deliver_flows', 'mail'].map(named);
    const tools = toolsOf(workflows, refused);
    expect(tools?.map(({ name }) => name)).toEqual(['mail']);
    expect(refused.map(({ name }) => name)).toEqual(['get_workflow_result', 'n8n_deliver_flows']);
  });

  it('is pinned by the lock with the webhook that it leads to', () => {
    const toolFor = (webhookPath: string) => {
      const found = { name: 'mail', workflowId: '1', webhookPath, description: 'Mail.' };
      const [tool] = toolsOf([found]) ?? [];
      return tool && pinDefinition(tool, () => ({ type: 'object' }))?.fingerprint;
    };
    expect(toolFor('mail')).toBe(toolFor('mail'));
    expect(toolFor('mail')).not.toBe(toolFor('delete-all'));
  });

  it('is left out when it is archived, switched off or has no webhook that takes POST', () => {
    expect(readWorkflow(workflow({ isArchived: true }))).toBeUndefined();
    const off = { ...webhookNode('mail'), disabled: true };
    expect(readWorkflow(workflow({ nodes: [off] }))).toBeUndefined();
    const get = webhookNode('mail', { httpMethod: undefined });
    expect(readWorkflow(workflow({ nodes: [get] }))).toHaveProperty('refused');
    const both = webhookNode('mail', { httpMethod: ['GET', 'POST'] });
    expect(readWorkflow(workflow({ nodes: [both] }))).toHaveProperty('workflow');
  });
});

describe('threat: an API that never ends', () => {
  const answering = (page: (url: string) => unknown): ReadDeps & { readonly urls: string[] } => {
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return new Response(JSON.stringify(page(url)));
    };
    const deps = { urls, fetch, secret: async () => 'key', redact: (text: string) => text };
    return { ...deps, signal: AbortSignal.timeout(60_000) } as never;
  };
  const own = { baseUrl: 'http://localhost:5678', apiKey: 'K' };

  it('is read to a bounded number of pages and workflows', async () => {
    const same = answering(() => ({ data: [], nextCursor: 'again' }));
    await discoverWorkflows(own, same);
    expect(same.urls).toHaveLength(2);
    let cursor = 0;
    const endless = answering(() => ({ data: [], nextCursor: String(cursor++) }));
    await discoverWorkflows(own, endless);
    expect(endless.urls).toHaveLength(200);
    let id = 0;
    const many = answering(() => ({
      data: Array.from({ length: 100 }, () => workflow({ name: `w${id++}` })),
      nextCursor: String(id),
    }));
    const { workflows, refused } = await discoverWorkflows({ ...own, maxWorkflows: 250 }, many);
    expect([workflows.length, many.urls.length]).toEqual([250, 3]);
    expect(refused).toEqual([{ name: '…', reason: 'there are more than 250 workflows' }]);
  });

  it.each([[], { data: 'x' }, 'text', null])('is refused when it answers %j', async (page) => {
    await expect(
      discoverWorkflows(
        own,
        answering(() => page),
      ),
    ).rejects.toThrow('did not answer');
  });
});

describe('the idempotency key of a run', () => {
  it('is the same for the same parts in any order, and another one for others', () => {
    const key = (input: unknown, workflowId = 'w', triggeredBy = 't') =>
      generateIdempotencyKey({ workflowId, input, triggeredBy });
    expect(key({ a: 1, b: { c: 2, d: 3 } })).toBe(key({ b: { d: 3, c: 2 }, a: 1 }));
    const keys = [key({ a: 1 }), key({ a: 2 }), key({ a: 1 }, 'v'), key({ a: 1 }, 'w', 'u')];
    expect(new Set(keys).size).toBe(4);
  });
});
