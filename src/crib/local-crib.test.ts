import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { defineTool } from '../contract/define-tool.ts';
import { ToolFailure } from '../contract/errors.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';
import { createCribHost } from './create-crib.ts';

const greet = (version = '1.0.0') =>
  defineTool({
    name: 'greet',
    version,
    description: 'Greets somebody.',
    tier: 'read_only',
    input: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    run: ({ name }) => `Hello from ${version}, ${name}!`,
  });

const dataOf = (result: { readonly success: boolean; readonly data?: unknown }) =>
  result.success ? result.data : result;

describe('execute with a tool instead of a name', () => {
  it('runs the registered tool of that name and version, not the newest', async () => {
    const [old, current] = [greet('1.0.0'), greet('2.0.0')];
    const crib = await testCrib([old, current]);
    const input = { name: 'Ada' };
    expect(dataOf(await crib.execute(old, input))).toBe('Hello from 1.0.0, Ada!');
    expect(dataOf(await crib.execute(current, input))).toBe('Hello from 2.0.0, Ada!');
    await crib.close();
  });

  it('a tool that is not registered never runs, and the answer says to register it', async () => {
    let ran = 0;
    const stray = aTool({ name: 'stray', run: () => ran++ });
    const crib = await testCrib([]);
    const result = await crib.execute(stray, {});
    expect(result.error?.code).toBe('TOOL_NOT_FOUND');
    expect(result.error?.suggestions?.join()).toContain('crib.tools.register');
    expect(ran).toBe(0);
    await crib.close();
  });

  it('threat: an object that copies the name of a registered tool does not bring its own code', async () => {
    let ran = 0;
    const crib = await testCrib([greet()]);
    const forged = { ...greet(), run: () => String(ran++) };
    expect(dataOf(await crib.execute(forged, { name: 'Ada' }))).toBe('Hello from 1.0.0, Ada!');
    expect(ran).toBe(0);
    await crib.close();
  });
});

describe('start', () => {
  it('gives the id before the store is open, and the result carries the same', async () => {
    const crib = await createCribHost({ builtins: false, store: 'memory', tools: [greet()] });
    const call = crib.start('greet', { name: 'Ada' });
    expect(await crib.executions.status(call.executionId)).toMatchObject({
      tool: 'greet',
      state: 'pending',
    });
    const result = await call.result;
    expect(result.success).toBe(true);
    expect(result.metadata.executionId).toBe(call.executionId);
    const rows = await crib.audit.query({ executionId: call.executionId });
    expect(rows.some(({ kind }) => kind === 'outcome')).toBe(true);
    await crib.close();
  });

  it('a call that is cancelled before the store is open does not run', async () => {
    let ran = 0;
    const tools = [aTool({ run: () => ran++ })];
    const crib = await createCribHost({ builtins: false, store: 'memory', tools });
    const call = crib.start('echo', {});
    expect(crib.executions.cancel(call.executionId)).toBe(true);
    expect(crib.executions.cancel(call.executionId)).toBe(false);
    expect((await call.result).status).toBe('cancelled');
    expect(ran).toBe(0);
    await crib.close();
  });

  it('a call that runs can be watched and cancelled by its id', async () => {
    const forever = aTool({ run: () => new Promise(() => {}) });
    const crib = await testCrib([forever]);
    const call = crib.start(forever, {});
    expect((await crib.executions.status(call.executionId))?.state).toBe('running');
    expect(crib.executions.cancel(call.executionId)).toBe(true);
    expect((await call.result).status).toBe('cancelled');
    await crib.close();
  });

  it('a store that cannot be opened refuses the call under the id that was given', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'crib-')), 'file');
    await writeFile(file, '');
    const store = { sqlite: join(file, 'x.db') };
    const crib = await createCribHost({ builtins: false, tools: [greet()], store });
    const call = crib.start('greet', { name: 'Ada' });
    const result = await call.result;
    expect(result.error?.code).toBe('STORE_UNAVAILABLE');
    expect(result.metadata.executionId).toBe(call.executionId);
    await crib.close();
  });
});

describe('a signal that was aborted before the call', () => {
  it('keeps the tool from running', async () => {
    let ran = 0;
    const crib = await testCrib([aTool({ run: () => ran++ })]);
    const result = await crib.execute('echo', {}, { signal: AbortSignal.abort() });
    expect(result.status).toBe('cancelled');
    expect(ran).toBe(0);
    await crib.close();
  });
});

describe('pending', () => {
  it('a tool that fails with APPROVAL_REQUIRED is denied: only a question makes a call wait', async () => {
    const tool = aTool({
      run: () => {
        throw new ToolFailure('APPROVAL_REQUIRED', 'Ask somebody.');
      },
    });
    const crib = await testCrib([tool], { store: createMemoryStore() });
    expect(await crib.execute('echo', {})).toMatchObject({
      status: 'denied',
      error: { code: 'APPROVAL_REQUIRED' },
    });
    await crib.close();
  });
});
