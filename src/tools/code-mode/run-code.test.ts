import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { Crib } from '../../contract/crib.ts';
import type { ToolResult } from '../../contract/result.ts';
import { createCrib } from '../../crib/create-crib.ts';

interface Ran {
  readonly status: string;
  readonly value?: unknown;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
  readonly approvals?: readonly { readonly approvalId: string; readonly tool: string }[];
  readonly log?: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly ok: number;
    readonly failed: number;
  }[];
  readonly types: string;
  readonly receipt: { readonly fullSurface: number; readonly codeSurface: number };
}

const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const row = { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] };
const bigRows = ({ page }: { page: number }) =>
  Array.from({ length: 1_000 }, (_, n) => ({ id: page * 1_000 + n, text: 'needle '.repeat(5) }));

const sent: unknown[] = [];
let openGate: () => void = () => undefined;
const gate = new Promise<void>((resolve) => {
  openGate = resolve;
});
const tools = [
  aTool({ name: 'list_rows', description: 'Rows of a page.', input: row, run: bigRows } as never),
  aTool({
    name: 'send.mail',
    tier: 'external_api',
    run: (input: unknown) => sent.push(input),
  } as never),
  aTool({ name: 'outlet', tier: 'write', run: (input: unknown) => sent.push(input) } as never),
  aTool({
    name: 'poisoned',
    run: () => JSON.parse('{"__proto__":{"polluted":1},"constructor":2,"ok":3}'),
  }),
  aTool({
    name: 'breaks',
    run: () => {
      throw Object.assign(new Error(`broke with ${SECRET}`), { process, secret: SECRET });
    },
  }),
  aTool({
    name: 'huge',
    run: () => ({ rows: bigRows({ page: 0 }), more: bigRows({ page: 1 }) }),
  } as never),
  aTool({ name: 'slow', run: () => sleep(60_000, 1, { ref: false }) }),
  aTool({ name: 'gated', run: () => gate }),
  aTool({ name: 'off' }),
];

let crib: Crib;
beforeAll(async () => {
  crib = await createCrib({
    store: 'memory',
    tools,
    config: { filtering: { maxResultBytes: 100_000 } },
  });
  crib.tools.setEnabled('off', false);
}, 60_000);
afterAll(() => crib.close());

const run = (
  code: string,
  more: Record<string, unknown> = {},
  as: CallAs = {},
): Promise<ToolResult> =>
  crib.execute(
    'run_code',
    { code, ...more },
    { userId: 'ada', sessionId: 's', audience: 'model', ...as },
  );

const ran = async (code: string, more?: Record<string, unknown>, as?: CallAs): Promise<Ran> => {
  const result = await run(code, more, as);
  expect(result.error).toBeUndefined();
  return result.data as Ran;
};

const issuesOf = async (code: string) =>
  (await run(code)).error?.issues?.map(({ message }) => message);

describe('run_code', () => {
  it('loops over tools, and only what it returns enters the prompt', async () => {
    const result = await run(`
      let total = 0;
      for (let page = 0; page < 20; page++) {
        const rows = await tools.list_rows({ page });
        total += rows.filter((r) => r.id % 2 === 0).length;
      }
      console.log('pages', 20);
      return { total };`);
    expect(result.data).toMatchObject({
      status: 'completed',
      value: { total: 10_000 },
      log: 'pages 20',
      calls: [{ tool: 'list_rows', ok: 20, failed: 0 }],
      types: 'checked',
    });
    expect(JSON.stringify(result)).not.toContain('needle');
    const { receipt } = result.data as Ran;
    expect(receipt.codeSurface).toBeLessThan(3_000);
    expect(receipt.fullSurface).toBeGreaterThan(10 * receipt.codeSurface);
  }, 60_000);

  it('every inner call is recorded like any other', async () => {
    const before = (await crib.audit.query({ tool: 'list_rows' })).length;
    await ran('await Promise.all([1, 2].map((page) => tools.list_rows({ page })));');
    const rows = await crib.audit.query({ tool: 'list_rows' });
    expect(rows.length - before).toBe(2);
    expect(rows[0]).toMatchObject({ userId: 'ada', sessionId: 's' });
  }, 30_000);

  it('takes a default export, and a value that is too long for a prompt comes with a handle', async () => {
    expect((await ran('export default async (): Promise<number> => 5;')).value).toBe(5);
    const long = await run('return "x".repeat(30_000);');
    const { handle = '' } = long.whole ?? {};
    const read = await crib.execute(
      'read_result',
      { handle, query: 'length(value)' },
      { userId: 'ada' },
    );
    expect(read.data).toMatchObject({ value: 30_000 });
  }, 30_000);

  it('reads results by handle inside the code', async () => {
    const { value } = await ran(`
      const stored = await tools.list_rows({ page: 1 });
      const whole = await results.json((await tools.huge()).handle);
      const some = await results.read((await tools.huge()).handle, { query: 'rows[0].id' });
      return [stored.length, whole.rows.length, some.value];`);
    expect(value).toEqual([1_000, 1_000, 0]);
  }, 30_000);

  it('an inner refusal is thrown where the call was made, with its code', async () => {
    const caught = await ran(`
      try { await tools.breaks(); } catch (e) { return [e instanceof Error, e.code, e.message, Object.keys(e)]; }`);
    expect(caught.value).toEqual([
      true,
      'EXECUTION_FAILED',
      expect.stringContaining('breaks: '),
      expect.any(Array),
    ]);
    const uncaught = await ran(
      'const a = 1;\n  await tools.read_file({ path: "../../etc/passwd" });',
    );
    expect(uncaught).toMatchObject({
      status: 'failed',
      error: { code: 'SECURITY_VIOLATION', line: 2 },
      calls: [{ tool: 'read_file', ok: 0, failed: 1 }],
    });
  }, 30_000);

  it('a type error names its place in the code, and nothing runs', async () => {
    sent.length = 0;
    expect(await issuesOf('await tools.outlet({});\nconst x = ;')).toEqual([
      'line 2, column 11: Unexpected ";"',
    ]);
    expect(await issuesOf('await tools.outlet({});\nreturn tools.list_row({ page: 1 });')).toEqual([
      'line 2, column 14: There is no tools.list_row. Did you mean tools.list_rows?',
    ]);
    expect(
      await issuesOf('await tools.outlet({});\nreturn tools.list_rows({ page: "1" });'),
    ).toEqual(["line 2, column 26: Type 'string' is not assignable to type 'number'."]);
    expect(await issuesOf('return tools.off();')).toEqual([
      expect.stringContaining('no tools.off'),
    ]);
    expect(await issuesOf('return fetch("https://example.com");')).toEqual([
      expect.stringContaining("'fetch'"),
    ]);
    expect(await issuesOf('const fs = await import("node:fs"); return fs;')).toEqual([
      expect.stringContaining('no modules'),
    ]);
    expect(sent).toEqual([]);
  }, 60_000);

  it('an error that the code throws names its line', async () => {
    const { error, log } = await ran(
      'console.log("so far");\nconst f = (a: any) => a.b.c;\nreturn f(1);',
    );
    expect([error?.code, error?.line, log]).toEqual(['EXECUTION_FAILED', 2, 'so far']);
    expect(error?.message).toContain('TypeError');
  }, 30_000);
});

describe('what code throws', () => {
  it.each([
    ['throw { a: 1 }', '{"a":1}'],
    ['throw "text"', 'text'],
    ['throw null', 'thrown without a message'],
    ['throw [1, 2]', '[1,2]'],
    ['const e: any = {}; e.e = e; throw e', '[object]'],
  ])(
    '%s is told',
    async (code, message) => {
      const { status, error } = await ran(code);
      expect([status, error?.code, error?.message]).toEqual([
        'failed',
        'EXECUTION_FAILED',
        message,
      ]);
    },
    30_000,
  );

  it('threat: code that changes how its errors are written breaks nothing outside', async () => {
    const { status, error } = await ran(
      '(globalThis as any).String = () => []; throw new Error("x");',
    );
    expect([status, error]).toEqual([
      'failed',
      { code: 'EXECUTION_FAILED', message: 'thrown without a message' },
    ]);
  }, 30_000);

  it('calls that still run when the time is over are named', async () => {
    const { status, calls } = await ran(
      'await tools.list_rows({ page: 1 }); await Promise.all([tools.gated({}), tools.gated({})]);',
      { timeoutMs: 2_000 },
    );
    expect(status).toBe('failed');
    expect(calls).toEqual([
      { tool: 'list_rows', ok: 1, failed: 0 },
      { tool: 'gated', ok: 0, failed: 0, running: 2 },
    ]);
    openGate();
  }, 30_000);
});

describe('approvals in code', () => {
  it('a call that waits for a person ends the run and is named, and later calls are not made', async () => {
    sent.length = 0;
    const data = await ran('await tools.send_mail({ to: 1 });\nawait tools.outlet({});\nreturn 1;');
    expect(data).toMatchObject({
      status: 'pending',
      approvals: [{ tool: 'send.mail' }],
      calls: [],
    });
    expect(sent).toEqual([]);
    const waiting = (await crib.approvals.list()).map(({ id }) => id);
    expect(waiting).toContain(data.approvals?.[0]?.approvalId);
  }, 30_000);

  it('the same code again uses what was approved meanwhile, once', async () => {
    sent.length = 0;
    const code = 'await tools.send_mail({ to: 77 }); return "sent";';
    const { approvals = [] } = await ran(code);
    await crib.approvals.decide(approvals[0]?.approvalId ?? '', { approve: true, by: 'ada' });
    expect(await ran(code)).toMatchObject({ status: 'completed', value: 'sent' });
    expect(sent).toEqual([{ to: 77 }]);
    expect(await ran(code)).toMatchObject({ status: 'pending' });
    expect(sent).toHaveLength(1);
  }, 30_000);

  it('several at once are all named, and code that does not wait for them cannot hide them', async () => {
    const both = await ran('await Promise.all([7, 8].map((to) => tools.send_mail({ to })));');
    expect(both.approvals).toHaveLength(2);
    const hidden = await ran(
      'void tools.send_mail({ to: 9 }); await tools.list_rows({ page: 1 }); return 1;',
    );
    expect([hidden.status, hidden.value]).toEqual(['pending', undefined]);
  }, 30_000);

  it('an approver that is there is asked, call by call', async () => {
    sent.length = 0;
    const ask = vi.fn(async ({ input }: { input: unknown }) => ({
      answer: (input as { to: number }).to === 1 ? ('approve' as const) : ('deny' as const),
      by: 'tester',
    }));
    const own = await createCrib({ store: 'memory', tools, approver: { ask } });
    const code = `
      const codes = [];
      for (const to of [1, 2]) {
        try { await tools.send_mail({ to }); codes.push('sent'); } catch (e) { codes.push(e.code); }
      }
      return codes;`;
    const { data } = await own.execute('run_code', { code });
    await own.close();
    expect((data as Ran).value).toEqual(['sent', 'USER_CANCELLED']);
    expect([ask.mock.calls.length, sent]).toEqual([2, [{ to: 1 }]]);
  }, 60_000);

  it('a caller without the permission is refused inside as it is outside', async () => {
    const own = await createCrib({
      store: 'memory',
      tools: [aTool({ permissions: ['tool:echo'] })],
    });
    const as = { userId: 'eve', permissions: ['tool:run_code'] };
    const { data } = await own.execute('run_code', { code: 'return tools.echo({});' }, as);
    const without = await own.execute(
      'run_code',
      { code: 'return 1;' },
      { ...as, permissions: ['tool:echo'] },
    );
    await own.close();
    expect((data as Ran).error?.code).toBe('PERMISSION_DENIED');
    expect(without.error?.code).toBe('PERMISSION_DENIED');
  }, 60_000);
});

describe('JavaScript sandbox: hostile code', () => {
  it.each([
    [
      'the constructor of a function',
      'return typeof (await (async () => {}).constructor("return globalThis.process")());',
    ],
    [
      'the constructor of a result',
      'const r: any = await tools.poisoned(); return typeof r.ok.constructor.constructor("return this.process")();',
    ],
    [
      'the constructor of an error',
      'try { await tools.breaks(); } catch (e) { return typeof e.constructor.constructor("return this.process")(); }',
    ],
    [
      'a promise of the host',
      'return typeof (tools.poisoned() as any).constructor.constructor("return this.require")();',
    ],
  ])(
    'finds nothing of the host through %s',
    async (_name, code) => {
      const { value } = await ran(code);
      expect(value).toBe('undefined');
    },
    30_000,
  );

  it('errors of the host bring their words and nothing else, secrets taken out', async () => {
    const result = await run(
      'try { await tools.breaks(); } catch (e) { return JSON.stringify([e, Object.getOwnPropertyNames(e).map((k) => String(e[k]))]); }',
    );
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(JSON.stringify(result)).not.toContain('process');
  }, 30_000);

  it('a result with names of the prototype pollutes neither side', async () => {
    const { value } = await ran(
      'const r: any = await tools.poisoned(); return [Object.keys(r), ({} as any).polluted ?? "clean", r];',
    );
    expect(value).toEqual([expect.any(Array), 'clean', { constructor: 2, ok: 3 }]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  }, 30_000);

  it('an endless loop ends with the time', async () => {
    const { status, error } = await ran('console.log("in"); for (;;) {}', { timeoutMs: 1_000 });
    expect([status, error?.code]).toEqual(['failed', 'TIMEOUT']);
  }, 30_000);

  it('a memory bomb ends itself and nothing else', async () => {
    const { status, error } = await ran(
      'let s = "x".repeat(1000); const all = []; for (;;) { s = s + s; all.push(s + all.length); }',
    );
    expect([status, error?.code]).toEqual(['failed', 'SANDBOX_ERROR']);
    expect((await ran('return 1;')).value).toBe(1);
  }, 30_000);

  it('ten thousand calls are cut at two hundred', async () => {
    const { value, calls } = await ran(`
      const codes: Record<string, number> = {};
      for (let n = 0; n < 10_000; n++) {
        try { await tools.poisoned({ n }); } catch (e) { codes[e.code] = (codes[e.code] ?? 0) + 1; }
      }
      return codes;`);
    expect(value).toMatchObject({ RATE_LIMITED: 9_800 });
    expect(calls).toEqual([{ tool: 'poisoned', ok: 200, failed: 0 }]);
  }, 60_000);

  it('a flood of output is cut', async () => {
    const { log } = await ran(
      'for (let n = 0; n < 100_000; n++) console.log("x".repeat(1000));',
      {},
      { audience: 'program' },
    );
    expect(log?.length).toBeLessThan(25_000);
  }, 30_000);

  it('code cannot run code, nor reach the context past the tools', async () => {
    expect(await issuesOf('return tools.run_code({ code: "return 1" });')).toEqual([
      expect.stringContaining('no tools.run_code'),
    ]);
    const around = await ran(
      '// @ts-ignore\nimport { call } from "toolcrib:guest";\nexport default () => call("run_code")({ code: "return 1" });',
    );
    expect(around.error?.code).toBe('CALL_CYCLE');
  }, 30_000);

  it('cancelling the call ends the code and what it called', async () => {
    const stop = new AbortController();
    const off = crib.events.on('call.started', ({ tool }) => tool === 'slow' && stop.abort());
    const result = await run('return tools.slow();', {}, { signal: stop.signal });
    off();
    expect(result.status).toBe('cancelled');
  }, 30_000);
});

describe('search_api', () => {
  it('declares what fits, under the names that code uses, and nothing that cannot be called', async () => {
    const { data } = await crib.execute('search_api', { query: 'rows of a page', limit: 3 });
    const { declarations, tools: found } = data as {
      declarations: string;
      tools: { name: string }[];
    };
    expect(found[0]?.name).toBe('list_rows');
    expect(declarations).toContain('list_rows(input: {\n    page: number;\n  }): Promise<any>;');
    const all = await crib.execute('search_api', { limit: 50 });
    const names = (all.data as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names).toContain('send_mail');
    for (const name of ['off', 'run_code', 'search_api']) expect(names).not.toContain(name);
  }, 30_000);
});
