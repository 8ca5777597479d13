import { Buffer } from 'node:buffer';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ERAS, openSurface, type TestSurface, textOf } from '../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';

let open: TestSurface | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const echo = aTool({
  input: z.object({ text: z.string() }) as never,
  output: z.object({ text: z.string() }),
});

describe.each(ERAS)('an MCP client of the %s era', (era) => {
  it('lists and calls tools', async () => {
    open = await openSurface([echo]);
    const client = await open.client(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo']);
    const reply = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(reply.isError).toBeFalsy();
    expect(reply.structuredContent).toEqual({ text: 'hello' });
    expect(textOf(reply)).toBe('{"text":"hello"}');
  });

  it('gets a result by handle although the output schema does not foresee it', async () => {
    const large = aTool({
      name: 'large',
      output: z.object({ rows: z.array(z.string()) }),
      run: () => ({ rows: Array.from({ length: 2000 }, () => 'x'.repeat(1000)) }),
    });
    open = await openSurface([large]);
    const client = await open.client(era);
    await client.listTools();
    const reply = await client.callTool({ name: 'large', arguments: {} });
    const { handle } = reply.structuredContent as { handle: string };
    const page = await client.readResource({ uri: `toolcrib://results/${handle}?limit=20` });
    expect(page.contents).toEqual([
      {
        uri: `toolcrib://results/${handle}?limit=20`,
        mimeType: 'text/plain',
        text: '{"rows":["xxxxxxxxxx',
      },
    ]);
  });

  it('reads what went wrong, with its code and what to do', async () => {
    const broken = aTool({
      name: 'broken',
      run: () => {
        throw new ToolFailure('NETWORK', 'No route.', { suggestions: ['Try the other host.'] });
      },
    });
    open = await openSurface([echo, broken]);
    const client = await open.client(era);
    const failed = await client.callTool({ name: 'broken', arguments: {} });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('NETWORK: No route.');
    expect(textOf(failed)).toContain('- Try the other host.');
    const invalid = await client.callTool({ name: 'echo', arguments: { text: 7 } });
    expect(invalid.isError).toBe(true);
    expect(textOf(invalid)).toMatch(/VALIDATION_ERROR[\s\S]*- text: /);
  });

  it('gets an error for an unknown tool, and the attempt is on record', async () => {
    open = await openSurface([echo]);
    const client = await open.client(era);
    await expect(client.callTool({ name: 'ecco', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    const rows = await open.crib.audit.query({ tool: 'ecco' });
    expect(rows).toMatchObject([{ code: 'TOOL_NOT_FOUND', agentId: 'mcp' }]);
  });

  it('receives content blocks unchanged', async () => {
    const data = Buffer.from('picture').toString('base64');
    const picture = aTool({
      name: 'picture',
      run: () => ({ content: [{ type: 'image', data, mimeType: 'image/png' }] }),
    });
    const image = (bytes: string) => ({
      content: [{ type: 'image', data: bytes, mimeType: 'image/png' }],
    });
    const screenshot = aTool({ name: 'screenshot', run: () => image('A'.repeat(20_000)) });
    const broken = aTool({ name: 'broken', run: () => image('!'.repeat(20_000)) });
    open = await openSurface([picture, screenshot, broken]);
    const client = await open.client(era);
    const reply = await client.callTool({ name: 'picture', arguments: {} });
    expect(reply.content).toEqual([{ type: 'image', data, mimeType: 'image/png' }]);
    const large = await client.callTool({ name: 'screenshot', arguments: {} });
    expect(large.content).toEqual(image('A'.repeat(20_000)).content);
    const short = await client.callTool({ name: 'broken', arguments: {} });
    expect(textOf(short)).toContain('[The image was left out: it is too large.]');
  });

  it('receives progress when it asked for it', async () => {
    const slow = aTool({
      name: 'slow',
      run: (_input: never, context) => {
        context.progress(0.25, 'a quarter');
        context.progress(0.25, 'still a quarter');
        context.progress(1, 'done');
        return 'ok';
      },
    });
    open = await openSurface([slow]);
    const client = await open.client(era);
    const heard: unknown[] = [];
    await client.callTool(
      { name: 'slow', arguments: {} },
      { onprogress: ({ progress, message }) => heard.push([progress, message]) },
    );
    expect(heard).toEqual([
      [0.25, 'a quarter'],
      [1, 'done'],
    ]);
  });

  it('cancels a call', async () => {
    let seen: AbortSignal | undefined;
    const stuck = aTool({
      name: 'stuck',
      run: (_input: never, { signal }) => {
        seen = signal;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
      },
    });
    open = await openSurface([stuck]);
    const client = await open.client(era);
    const cancel = new AbortController();
    const call = client.callTool({ name: 'stuck', arguments: {} }, { signal: cancel.signal });
    call.catch(() => undefined);
    await expect.poll(() => seen, { timeout: 20_000 }).toBeDefined();
    cancel.abort('enough');
    await expect(call).rejects.toThrow();
    await expect.poll(() => seen?.aborted, { timeout: 20_000 }).toBe(true);
    const { audit } = await open.crib.store();
    await expect
      .poll(async () => (await audit.query({ tool: 'stuck', kind: 'outcome' }))[0]?.code, {
        timeout: 20_000,
      })
      .toBe('CANCELLED');
  });

  it('does not see tools that are off', async () => {
    open = await openSurface([echo, aTool({ name: 'other' })]);
    open.crib.tools.setEnabled('other', false);
    const client = await open.client(era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    const reply = await client.callTool({ name: 'other', arguments: {} });
    expect(textOf(reply)).toContain('TOOL_DISABLED');
  });

  it('pages through the list, and cannot make up a cursor', async () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => aTool({ name }));
    open = await openSurface(many, { pageSize: 2 });
    const client = await open.client(era);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request({
        method: 'tools/list',
        params: cursor === undefined ? {} : { cursor },
      });
      expect(page.tools.length).toBeLessThanOrEqual(2);
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
    await expect(
      client.request({ method: 'tools/list', params: { cursor: 'bm9uc2Vuc2U' } }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  it('reads its own part of the audit trail', async () => {
    open = await openSurface([echo]);
    const client = await open.client(era);
    await client.callTool({ name: 'echo', arguments: { text: 'mine' } });
    await open.crib.execute('echo', { text: 'of another agent' }, { agentId: 'other' });
    const { contents } = await client.readResource({ uri: 'toolcrib://audit/recent' });
    const rows = JSON.parse((contents[0] as { text: string }).text) as { agentId: string }[];
    expect(rows.map(({ agentId }) => agentId)).toEqual(['mcp']);
    await expect(client.readResource({ uri: 'toolcrib://audit/everything' })).rejects.toMatchObject(
      {
        code: -32602,
      },
    );
  });
});
