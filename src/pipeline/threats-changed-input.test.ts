/** The threat: the input of a call is changed by reference after it was validated, shown or approved. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ApprovalRequest } from '../contract/approver.ts';
import type { Policy } from '../contract/policy.ts';
import type { ToolDefinition } from '../contract/tool.ts';

interface Input {
  command: string;
  args: string[];
}

const clean = (): Input => ({ command: 'ls', args: ['-l'] });
const spoil = (input: unknown): void => {
  const given = input as Input;
  try {
    given.command = 'rm';
  } catch {
    // Frozen, as it may be.
  }
  try {
    given.args.push('/');
  } catch {
    // The same.
  }
};

const returning = (value: unknown) => (input: unknown) => {
  spoil(input);
  return value;
};

const SCHEMAS = [
  ['JSON Schema', { type: 'object' }],
  ['JSON Schema with defaults', { type: 'object', properties: { x: { default: 1 } } }],
  ['Zod', z.object({ command: z.string(), args: z.array(z.string()) })],
  ['Zod that looks at nothing', z.unknown()],
  ['Zod that lets all pass', z.looseObject({ command: z.string() })],
] as const;

const setUp = async (
  more: Partial<ToolDefinition<never, unknown>>,
  approver?: (request: ApprovalRequest) => unknown,
  policy?: Policy,
) => {
  const runs: Input[] = [];
  const tool = aTool({
    name: 'sh',
    tier: 'execute',
    run: ((input: Input) => runs.push(structuredClone(input))) as never,
    ...more,
  });
  const crib = await testCrib([tool], {
    ...(approver && {
      approver: async (request: ApprovalRequest) => {
        await approver(request);
        return true;
      },
    }),
    ...(policy && { policy }),
  });
  return { crib, runs };
};

describe('threat: an input that changes while the question is open', () => {
  it.each(SCHEMAS)(
    'hostile: the tool gets the approved input although the caller changes it (%s)',
    async (_name, input) => {
      const mine = clean();
      const { crib, runs } = await setUp({ input: input as never }, () => spoil(mine));
      await crib.execute('sh', mine);
      expect(runs).toEqual([expect.objectContaining(clean())]);
    },
  );

  it.each(SCHEMAS)(
    'hostile: the tool gets the approved input although the approver changes what it was shown (%s)',
    async (_name, input) => {
      const { crib, runs } = await setUp({ input: input as never }, (request) => {
        spoil(request.input);
        (request.targets as string[]).push('file:/etc/passwd');
        (request.caller as { userId: string }).userId = 'root';
      });
      await crib.execute('sh', clean());
      expect(runs).toEqual([expect.objectContaining(clean())]);
      const [row] = await crib.audit.query({ kind: 'intent' });
      expect(row).toMatchObject({ userId: 'local', detail: { input: clean() } });
    },
  );

  it.each([
    ['targets', { targets: returning({}) }],
    ['programs', { programs: returning([]) }],
    ['a rule', { validators: [{ name: 'r', check: (input: unknown) => void spoil(input) }] }],
  ])(
    'hostile: the tool gets the judged input although %s of the tool changes it',
    async (_name, more) => {
      const shown: unknown[] = [];
      const { crib, runs } = await setUp(more as never, ({ input }) => shown.push(input));
      await crib.execute('sh', clean());
      expect([runs, shown]).toEqual([[clean()], [clean()]]);
    },
  );

  it('hostile: the tool gets the judged input although a rule keeps it and changes it later', async () => {
    const kept: unknown[] = [];
    const validators = [{ name: 'r', check: (input: unknown) => void kept.push(input) }];
    const { crib, runs } = await setUp({ validators }, () => kept.forEach(spoil));
    await crib.execute('sh', clean());
    expect(runs).toEqual([clean()]);
  });

  it('hostile: the tool gets the judged input although a policy keeps it and changes it later', async () => {
    const kept: unknown[] = [];
    const policy: Policy = {
      version: '1',
      judge: ({ input }) => {
        kept.push(input);
        return { effect: 'ask', rule: 'r', reason: '' };
      },
    };
    const { crib, runs } = await setUp({}, () => kept.forEach(spoil), policy);
    await crib.execute('sh', clean());
    expect(runs).toEqual([clean()]);
  });

  it('hostile: the tool gets the judged input although the caller changes it when nobody is asked', async () => {
    const { crib, runs } = await setUp({ tier: 'write', initialize: async () => undefined });
    const mine = clean();
    const done = crib.execute('sh', mine);
    spoil(mine);
    await done;
    expect(runs).toEqual([clean()]);
  });

  it('hostile: a getter cannot show one value to the rules and another to the tool', async () => {
    let reads = 0;
    const sly = {
      args: [],
      get command() {
        reads += 1;
        return reads < 3 ? 'ls' : 'rm';
      },
    };
    const { crib, runs } = await setUp({}, () => undefined);
    await crib.execute('sh', sly);
    expect(runs).toEqual([{ command: 'ls', args: [] }]);
  });

  it('hostile: the caller cannot turn a dry run into a real call while it runs', async () => {
    const { crib, runs } = await setUp({ initialize: async () => undefined }, () => {
      throw new Error('nobody says yes');
    });
    const as = { dryRun: true };
    const done = crib.execute('sh', clean(), as);
    as.dryRun = false;
    await done;
    expect(runs).toEqual([]);
  });

  it('benign: a tool may change its own input, and the caller keeps what it holds', async () => {
    const { crib } = await setUp(
      {
        run: ((input: Input) => {
          input.args.sort();
          input.command = 'done';
          return input.command;
        }) as never,
      },
      () => undefined,
    );
    const mine = clean();
    expect(await crib.execute('sh', mine)).toMatchObject({ success: true, data: 'done' });
    expect(mine).toEqual(clean());
  });
});

describe('threat: a record that a listener or a reader changes', () => {
  it('hostile: a listener cannot change the result for the caller', async () => {
    const { crib } = await setUp({ tier: 'read_only', run: (() => ({ list: ['a'] })) as never });
    crib.events.on('call.finished', ({ result }) => {
      try {
        (result.data as { list: string[] }).list.push('b');
      } catch {
        // Frozen, as it may be.
      }
      try {
        (result as { success: boolean }).success = false;
      } catch {
        // The same.
      }
    });
    const result = await crib.execute('sh', clean());
    expect([result.success, result.data]).toEqual([true, { list: ['a'] }]);
  });

  it('hostile: a reader of the trail cannot change a row for the next reader', async () => {
    const { crib } = await setUp({ tier: 'read_only' });
    await crib.execute('sh', clean());
    const { audit } = await crib.store();
    const [row] = await audit.query();
    try {
      spoil(row?.detail.input);
    } catch {
      // Frozen, as it may be.
    }
    expect((await audit.query())[0]?.detail.input).toEqual(clean());
    for await (const page of audit.scan()) spoil(page[0]?.detail.input);
    expect((await audit.query())[0]?.detail.input).toEqual(clean());
    expect((await crib.audit.verify()).ok).toBe(true);
  });

  it('hostile: a caller cannot change a cached result for another caller', async () => {
    const { crib } = await setUp({
      tier: 'read_only',
      cache: { ttlMs: 60_000 },
      run: (() => ({ list: ['a'] })) as never,
    });
    const first = await crib.execute('sh', clean());
    (first.data as { list: string[] }).list.push('b');
    const second = await crib.execute('sh', clean());
    expect(second).toMatchObject({ data: { list: ['a'] }, metadata: { cached: true } });
    (second.data as { list: string[] }).list.push('c');
    expect((await crib.execute('sh', clean())).data).toEqual({ list: ['a'] });
  });
});
