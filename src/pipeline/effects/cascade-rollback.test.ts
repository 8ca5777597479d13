/** A cascade that is rolled back: it is undone by and as the caller whose call made it. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Effect } from '../../contract/effect.ts';
import type { CribOptions } from '../../crib/crib-options.ts';

const ADA = { userId: 'ada', agentId: 'bot', sessionId: 's', permissions: ['tool:*'], roles: [] };

const started = async (options: CribOptions = {}) => {
  const root = await mkdtemp(join(tmpdir(), 'cascade-'));
  const undoneBy: string[] = [];
  const write = aTool({
    name: 'write',
    tier: 'write',
    needs: { paths: [{ path: '.', access: 'write' }] },
    run: ((_: unknown, { fs }: ToolContext) => fs.write('a.txt', 'new')) as never,
    undo: (async (_: unknown, __: unknown, context: ToolContext) => {
      undoneBy.push(`${context.userId}/${context.agentId}/${context.sessionId}`);
    }) as never,
  });
  const effects: readonly Effect[] = [
    {
      type: 'cascade',
      description: 'writes',
      reversible: true,
      triggerTool: 'write',
      input: {},
    },
    {
      type: 'notification',
      description: 'fails',
      reversible: false,
      event: 'e',
      apply: () => {
        throw new Error('no');
      },
    },
  ];
  const crib = await testCrib([aTool({ effects }), write], { root, ...options });
  const content = () => readFile(join(root, 'a.txt'), 'utf8').catch(() => 'gone');
  return { crib, undoneBy, content };
};

describe('the rollback of a cascade', () => {
  it('is made by the caller of the call, and on record as such', async () => {
    const { crib, undoneBy, content } = await started();
    const result = await crib.execute('echo', {}, ADA);
    expect(result.error?.code).toBe('EFFECT_FAILED');
    expect([undoneBy, await content()]).toEqual([['ada/bot/s'], 'gone']);
    const rows = await crib.audit.query({ tool: 'toolcrib:undo', kind: 'outcome' });
    expect(rows.map(({ userId, status }) => [userId, status])).toEqual([['ada', 'success']]);
  });

  it('has no more rights than its caller: a rule that forbids it holds, and the result says so', async () => {
    const { crib, undoneBy, content } = await started({
      policy: {
        version: 1,
        rules: [
          {
            name: 'no-undo',
            effect: 'deny',
            tools: ['toolcrib:undo'],
            callers: { users: ['ada'] },
          },
        ],
      },
    });
    const result = await crib.execute('echo', {}, ADA);
    expect(result.error?.code).toBe('EFFECT_FAILED');
    expect(result.error?.standing).toEqual(['writes']);
    expect([undoneBy, await content()]).toEqual([[], 'new']);
  });

  it('of the local owner still works', async () => {
    const { crib, content } = await started();
    await crib.execute('echo', {});
    expect(await content()).toBe('gone');
  });
});
