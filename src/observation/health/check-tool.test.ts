/** Each reason for a tool not to work, and its opposite. */
import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { AuditFilter, AuditRow } from '../../contract/audit.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import { checkTool } from './check-tool.ts';
import { stateOf } from './findings.ts';
import type { ToolCheckDeps } from './health-deps.ts';

const NOW = 1_000_000;

const site = (over: Partial<ToolCheckDeps> = {}): ToolCheckDeps => ({
  runtime: { now: () => NOW, after: fakeRuntime().after },
  timeoutMs: 5000,
  breaker: { failures: 3, restMs: 30_000 },
  audit: undefined,
  secret: async () => 's3cret',
  hasProgram: async () => true,
  sandbox: async () => ({ ready: true }),
  server: async () => ({}) as never,
  missingTools: () => [],
  pending: new Set(),
  circuit: () => undefined,
  ...over,
});

const toolHealth = async (given: CatalogEntry, deps: ToolCheckDeps) => {
  const found = await checkTool(given, deps);
  return { state: stateOf(found.checks), ...found };
};

const entry = (
  definition: Partial<ToolDefinition<never, unknown>> = {},
  over: Partial<CatalogEntry> = {},
): CatalogEntry => ({
  tool: aTool(definition),
  wireName: 'echo',
  enabled: true,
  deprecated: false,
  ...over,
});

const troubleOf = async (given: CatalogEntry, where: ToolCheckDeps) => {
  const { state, checks } = await toolHealth(given, where);
  return { state, trouble: checks.filter((one) => one.state !== 'ok').map(({ name }) => name) };
};

const auth = (required: boolean) =>
  ({ type: 'api_key', required, configKey: 'DEMO_KEY', setupUrl: 'https://keys.example' }) as const;

describe('the own check of a tool', () => {
  it.each([
    ['says yes', async () => ({ healthy: true }), 'well'],
    ['says no', async () => ({ healthy: false, message: 'no disk' }), 'unwell'],
    ['throws', () => Promise.reject(new Error('boom')), 'unwell'],
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
      'unwell',
    ],
    ['answers with nothing', async () => undefined, 'unwell'],
    ['answers with something truthy', async () => ({ healthy: 'yes' }), 'unwell'],
  ])('%s', async (_name, healthCheck, state) => {
    const given = entry({ healthCheck: healthCheck as never });
    expect((await toolHealth(given, site())).state).toBe(state);
  });

  it('that never answers times out', async () => {
    const runtime = fakeRuntime();
    const given = entry({ healthCheck: () => new Promise<never>(() => undefined) });
    const asked = toolHealth(given, site({ runtime, timeoutMs: 5000 }));
    await new Promise((resolve) => setImmediate(resolve));
    await runtime.advance(5000);
    const { state, checks } = await asked;
    expect(state).toBe('unwell');
    expect(checks[0]?.message).toBe('No answer within 5 s.');
  });

  it('that fails with a suggestion passes it on', async () => {
    const failure = new ToolFailure('DEPENDENCY_MISSING', 'No engine.', {
      suggestions: ['Start it.'],
    });
    const given = entry({ healthCheck: () => Promise.reject(failure) });
    const { checks } = await toolHealth(given, site());
    expect(checks[0]).toEqual({
      name: 'own check',
      state: 'broken',
      message: 'No engine.',
      fix: 'Start it.',
      notSetUp: true,
    });
  });

  it('is not run for a tool that nobody has accepted', async () => {
    let ran = false;
    const healthCheck = async () => {
      ran = true;
      return { healthy: true };
    };
    const held = { enabled: false, quarantine: { reason: 'new', findings: [] } } as const;
    const found = await troubleOf(entry({ healthCheck }, held), site());
    expect(found).toEqual({ state: 'unwell', trouble: ['lock'] });
    expect(ran).toBe(false);
  });
});

describe('what a tool needs', () => {
  it('makes a tool well when everything is there', async () => {
    const given = entry({
      auth: auth(true),
      needs: { secrets: ['OTHER'], commands: ['git *', '*'] },
      sandbox: { type: 'process' },
      server: 'mcp:demo',
      dependencies: [{ tool: 'other' }],
    });
    expect(await troubleOf(given, site())).toEqual({ state: 'well', trouble: [] });
  });

  it.each([
    ['a required credential', { auth: auth(true) }, 'unwell', ['credential']],
    ['an optional credential', { auth: auth(false) }, 'limited', ['credential']],
    ['a secret it may use', { needs: { secrets: ['OTHER'] } }, 'limited', ['secret']],
    ['a program', { needs: { commands: ['git *'] } }, 'unwell', ['program']],
    ['no program in particular', { needs: { commands: ['*'] } }, 'well', []],
    ['its sandbox', { sandbox: { type: 'vm' } }, 'unwell', ['sandbox']],
    ['its server', { server: 'mcp:demo' }, 'unwell', ['server']],
    ['a tool', { dependencies: [{ tool: 'other' }] }, 'unwell', ['dependencies']],
  ] as const)('lacks %s', async (_name, definition, state, trouble) => {
    const bare = site({
      secret: async () => undefined,
      hasProgram: async () => false,
      sandbox: async () => ({ ready: false, reason: 'no KVM', install: 'Enable it.' }),
      server: async () => {
        throw new ToolFailure('SERVER_ERROR', 'It does not start.');
      },
      missingTools: () => ['other'],
    });
    expect(await troubleOf(entry(definition as never), bare)).toEqual({ state, trouble });
  });

  it.each([
    ['oxlint', 'Install it in the project: npm install -D oxlint'],
    ['constructor', 'Install constructor, on the PATH.'],
  ])('says how to install the program %s', async (program, fix) => {
    const needy = entry({ needs: { commands: [`${program} *`] } });
    const { checks } = await toolHealth(needy, site({ hasProgram: async () => false }));
    expect(checks.find(({ name }) => name === 'program')?.fix).toBe(fix);
  });

  it('a source of secrets that fails counts as a missing credential', async () => {
    const locked = site({ secret: () => Promise.reject(new Error('the keychain is locked')) });
    const { state, checks } = await toolHealth(entry({ auth: auth(true) }), locked);
    expect([state, checks[0]?.message]).toEqual(['unwell', 'the keychain is locked']);
  });
});

describe('a credential that the tool can try', () => {
  const tried = (test: (secret: string) => Promise<boolean>, required = true) =>
    toolHealth(entry({ auth: { ...auth(required), test } }), site());

  it('is passed to the test of the tool, and is well when that succeeds', async () => {
    const given: string[] = [];
    const { state, checks } = await tried(async (secret) => {
      given.push(secret);
      return true;
    });
    expect([state, given]).toEqual(['well', ['s3cret']]);
    expect(checks[0]?.message).toBe('DEMO_KEY is there and works');
  });

  it.each([
    ['says no', async () => false],
    ['answers something else', async () => 'yes' as never],
    ['fails', () => Promise.reject(new Error('401 for s3cret'))],
    [
      'throws at once',
      () => {
        throw new Error('s3cret');
      },
    ],
  ])('is not well when the test %s, and no message holds the secret', async (_, test) => {
    const { state, checks } = await tried(test);
    expect(state).toBe('unwell');
    expect(JSON.stringify(checks)).not.toContain('s3cret');
    expect((await tried(test, false)).state).toBe('limited');
  });

  it('is not tried when it is missing', async () => {
    const test = () => Promise.reject(new Error('was called'));
    const missing = site({ secret: async () => undefined });
    const { checks } = await toolHealth(entry({ auth: { ...auth(true), test } }), missing);
    expect(checks[0]?.message).toBe('The credential DEMO_KEY is not configured');
  });
});

const row = (code: AuditRow['code'], ago: number, status: AuditRow['status'] = 'failure') =>
  ({ tool: 'echo', code, at: NOW - ago, status: code === '' ? 'success' : status }) as AuditRow;

const recordOf = (...rows: readonly AuditRow[]) => ({
  query: async ({ tool }: AuditFilter = {}) => rows.filter((one) => one.tool === tool),
});

describe('the record of a tool', () => {
  it('gives the last use and the share of failures; refusals are not the fault of the tool', async () => {
    const audit = recordOf(
      row('PERMISSION_DENIED', 10),
      row('', 20),
      row('SERVER_ERROR', 30),
      row('VALIDATION_ERROR', 40),
    );
    const { state, record } = await toolHealth(entry(), site({ audit }));
    expect(state).toBe('well');
    expect(record).toEqual({ lastUsedAt: NOW - 10, ran: 2, errorRate: 0.5, failedInARow: 0 });
  });

  it('a tool with an open circuit is unwell until it closes', async () => {
    const rows = (ago: number) =>
      recordOf(row('CIRCUIT_OPEN', ago), ...[1, 2, 3].map((at) => row('SERVER_ERROR', ago + at)));
    const resting = await toolHealth(entry(), site({ audit: rows(1000) }));
    expect([resting.state, resting.checks.at(-1)?.message]).toEqual([
      'unwell',
      'It rests for up to 29 s more: its last 3 calls failed (SERVER_ERROR)',
    ]);
    const rested = await troubleOf(entry(), site({ audit: rows(31_000) }));
    expect(rested).toEqual({ state: 'limited', trouble: ['circuit'] });
  });

  it('a success closes the circuit, a cancelled call says nothing', async () => {
    const audit = recordOf(
      row('CANCELLED', 5, 'cancelled'),
      row('', 10),
      row('CIRCUIT_OPEN', 20),
      row('SERVER_ERROR', 30),
    );
    expect(await troubleOf(entry(), site({ audit }))).toEqual({ state: 'well', trouble: [] });
  });

  it('a record that cannot be read says nothing about the tool', async () => {
    const audit = { query: () => Promise.reject(new Error('locked')) };
    const found = await toolHealth(entry(), site({ audit }));
    expect([found.state, found.record]).toEqual(['well', undefined]);
  });
});
