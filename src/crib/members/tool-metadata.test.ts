import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { metadataOf, type ToolMetadataDeps } from './tool-metadata.ts';

describe('crib.tools.metadata', () => {
  it('reports how often a tool was called, how its calls ended, and its definition', async () => {
    const crib = await testCrib([aTool({ author: 'ada', tags: ['demo'] })]);
    await crib.execute('echo', {});
    await crib.execute('echo', 'not an object');
    const metadata = await crib.tools.metadata('echo');
    expect(metadata).toMatchObject({ name: 'echo', author: 'ada', tags: ['demo'] });
    expect(metadata.usage).toMatchObject({ count: 2, errors: 1 });
    expect(metadata.usage.lastUsed).toBeTypeOf('number');
    expect(metadata.usage.firstUsed).toBe(Math.floor(crib.runtime.now() / DAY_MS) * DAY_MS);
    expect(metadata.performance).toMatchObject({ calls: 2, byCode: { VALIDATION_ERROR: 1 } });
  });

  it('counts calls that failed as errors', async () => {
    const run = () => {
      throw new Error('boom');
    };
    const crib = await testCrib([aTool({ run })]);
    await crib.execute('echo', {});
    expect((await crib.tools.metadata('echo')).usage).toMatchObject({ count: 1, errors: 1 });
  });

  it('has no dates and no last use for a tool that ships and was never called', async () => {
    const crib = await testCrib([aTool()]);
    const { usage, ...rest } = await crib.tools.metadata('echo');
    expect(usage).toEqual({ count: 0, errors: 0 });
    expect(rest).not.toHaveProperty('created');
    expect(rest).not.toHaveProperty('lastModified');
  });

  it('fails with TOOL_NOT_FOUND for an unknown tool, and checks its arguments', async () => {
    const crib = await testCrib([aTool()]);
    await expect(crib.tools.metadata('nobody')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    await expect(crib.tools.metadata(7 as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('takes the dates of a tool from outside from its lines in the lock', async () => {
    const crib = await testCrib([aTool()]);
    const states = (state: 'accepted' | 'gone') => () => [
      {
        ...{ tool: 'echo', origin: 'mcp:demo', state, fingerprint: 'f', findings: [], diff: '' },
        firstAcceptedAt: '2026-01-02T00:00:00.000Z',
        acceptedAt: '2026-03-04T00:00:00.000Z',
      },
    ];
    const of = (state: 'accepted' | 'gone') => {
      const { tools, metrics, runtime } = crib;
      const open = async () => ({ store: { audit: { query: async () => [] } } });
      const deps = { tools, metrics, runtime, open, lock: { states: states(state) } };
      return metadataOf(deps as unknown as ToolMetadataDeps).metadata('echo');
    };
    expect(await of('accepted')).toMatchObject({
      created: Date.UTC(2026, 0, 2),
      lastModified: Date.UTC(2026, 2, 4),
    });
    expect(await of('gone')).not.toHaveProperty('created');
  });
});
