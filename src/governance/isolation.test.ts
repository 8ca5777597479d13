import { describe, expect, it } from 'vitest';
import type { Isolation } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Sandbox, Sandboxes, SandboxType } from '../contract/sandbox.ts';
import {
  ISOLATION,
  isolationSandbox,
  SANDBOX_TYPES,
  sandboxFor,
  type WantedSandbox,
} from './isolation.ts';

const LEVELS: readonly Isolation[] = ['none', 'basic', 'strict', 'paranoid'];
const USES: readonly WantedSandbox['use'][] = ['code', 'program'];

describe('the table', () => {
  it('has every level, and each accepts no more than the one below it', () => {
    expect(Object.keys(ISOLATION)).toEqual(LEVELS);
    for (const [at, level] of LEVELS.entries()) {
      const lower = ISOLATION[LEVELS[Math.max(0, at - 1)] as Isolation];
      for (const use of USES) {
        expect(lower[use]).toEqual(expect.arrayContaining([...ISOLATION[level][use]]));
        expect(ISOLATION[level][use].length).toBeGreaterThan(0);
      }
    }
  });

  it('knows the types of the port and no others', () => {
    const port: Readonly<Record<SandboxType, true>> = {
      wasm: true,
      process: true,
      container: true,
      vm: true,
      worker: true,
    };
    expect([...SANDBOX_TYPES].sort()).toEqual(Object.keys(port).sort());
    expect(ISOLATION.none.code).toEqual(SANDBOX_TYPES);
  });
});

describe('sandboxFor', () => {
  it.each(SANDBOX_TYPES)('none: code runs in %s as the tool says', (type) => {
    expect(sandboxFor('none', { use: 'code', type })).toEqual([type]);
  });

  it.each(['basic', 'strict', 'paranoid'])('threat: %s: no code in a mere thread', (level) => {
    expect(sandboxFor(level, { use: 'code', type: 'worker' })).not.toContain('worker');
  });

  it.each([
    ['basic', 'process', ['process']],
    ['strict', 'process', ['process']],
    ['strict', 'vm', ['vm']],
    ['paranoid', 'process', ['container', 'vm']],
    ['paranoid', 'container', ['container']],
    ['paranoid', 'vm', ['vm']],
  ] as const)('%s: a program of the sandbox %s runs in %j', (level, type, expected) => {
    expect(sandboxFor(level, { use: 'program', type })).toEqual(expected);
  });

  it.each(LEVELS)('%s: what the tool asks for is never replaced by less', (level) => {
    const strength: readonly SandboxType[] = ['worker', 'process', 'container', 'vm'];
    for (const type of strength) {
      const given = sandboxFor(level, { use: 'program', type });
      for (const one of given) {
        expect(strength.indexOf(one)).toBeGreaterThanOrEqual(strength.indexOf(type));
      }
    }
  });

  it.each(LEVELS)('%s: an interpreter or a thread runs no program', (level) => {
    for (const type of ['wasm', 'worker'] as const) {
      expect(sandboxFor(level, { use: 'program', type })).not.toContain(type);
    }
  });

  it.each(['', 'constructor', '__proto__', 'None', 'lax'])(
    'threat: the unknown level "%s" counts as the strictest',
    (level) => {
      const wanted = { use: 'program', type: 'process' } as const;
      expect(sandboxFor(level, wanted)).toEqual(sandboxFor('paranoid', wanted));
    },
  );

  it.each([
    ['none', ['*'], true],
    ['basic', ['*.example.com'], true],
    ['strict', ['api.example.com'], true],
    ['strict', [], true],
    ['strict', ['api.example.com', '*.example.com'], false],
    ['strict', ['*'], false],
    ['paranoid', ['*'], false],
  ])('%s with the hosts %j: %s', (level, hosts, isGiven) => {
    const ask = () => sandboxFor(level, { use: 'program', type: 'process', hosts });
    if (isGiven) expect(ask()).toContain('process');
    else expect(ask).toThrow(expect.objectContaining({ code: 'SANDBOX_ERROR' }));
  });
});

describe('isolationSandbox', () => {
  const machineWith = (...there: readonly SandboxType[]) => {
    const asked: SandboxType[] = [];
    const sandboxes: Sandboxes = {
      get: async (type) => {
        asked.push(type);
        if (there.includes(type)) return { type } as Sandbox;
        throw new ToolFailure('SANDBOX_ERROR', `No ${type}.`, {
          suggestions: [`Install ${type}.`, 'See doctor.'],
        });
      },
      readiness: async () => [],
      close: async () => undefined,
    };
    return { sandboxes, asked };
  };
  const program = { use: 'program', type: 'process' } as const;

  it('gives what the tool says where the level accepts it, and looks no further', async () => {
    const { sandboxes, asked } = machineWith('process', 'container');
    expect((await isolationSandbox(sandboxes, 'strict', program)).type).toBe('process');
    expect(asked).toEqual(['process']);
  });

  it('gives the first that the level accepts and the machine has', async () => {
    const { sandboxes } = machineWith('process', 'vm');
    expect((await isolationSandbox(sandboxes, 'paranoid', program)).type).toBe('vm');
  });

  it('threat: a machine without the level refuses, and says what to install', async () => {
    const { sandboxes, asked } = machineWith('process', 'wasm', 'worker');
    await expect(isolationSandbox(sandboxes, 'paranoid', program)).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
      message: expect.stringContaining('paranoid'),
      extras: { suggestions: ['Install container.', 'See doctor.', 'Install vm.'] },
    });
    expect(asked).toEqual(['container', 'vm']);
  });

  it('threat: a stronger sandbox that is missing is not replaced by the accepted weaker one', async () => {
    const { sandboxes, asked } = machineWith('process');
    await expect(
      isolationSandbox(sandboxes, 'strict', { ...program, type: 'container' }),
    ).rejects.toMatchObject({ code: 'SANDBOX_ERROR', message: 'No container.' });
    expect(asked).toEqual(['container']);
  });

  it('passes on what is no matter of isolation', async () => {
    const { sandboxes } = machineWith();
    const broken = { ...sandboxes, get: () => Promise.reject(new TypeError('bug')) };
    await expect(isolationSandbox(broken, 'paranoid', program)).rejects.toThrow('bug');
  });
});
