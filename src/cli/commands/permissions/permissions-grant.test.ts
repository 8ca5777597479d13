import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../../test/fixtures/test-crib.ts';
import { type GrantableTools, grantedResource } from './permissions-grant.ts';

const known = async (state?: string): Promise<GrantableTools> => {
  const { tools } = await testCrib([
    aTool({ name: 'calculator', aliases: ['sum'] }),
    aTool({ name: 'browser', permissions: ['browser:automate', 'automation'] }),
  ]);
  const servers = { list: () => (state === undefined ? [] : [{ state } as never]) };
  return { tools, servers };
};

describe('the resource of a grant', () => {
  it.each([
    ['calculator', 'tool:calculator'],
    ['tool:calculator', 'tool:calculator'],
    ['sum', 'tool:calculator'],
    ['tool:sum', 'tool:calculator'],
    ['tool:calc*', 'tool:calc*'],
    ['*', '*'],
    ['browser:automate', 'browser:automate'],
    ['automation', 'automation'],
    ['other:thing', 'other:thing'],
  ])('%s is the permission %s', async (written, resource) => {
    expect(grantedResource(written, await known())).toEqual({ resource });
  });

  it.each(['foo', 'tool:foo', 'calculatr', 'tool:calculatr'])(
    '%s is refused: there is no such tool',
    async (written) => {
      const tools = await known();
      expect(() => grantedResource(written, tools)).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR' }) as Error,
      );
    },
  );

  it('suggests the tool that may be meant', async () => {
    const tools = await known('idle');
    const suggestions = ['Did you mean tool:calculator?'];
    expect(() => grantedResource('calculatr', tools)).toThrow(
      expect.objectContaining({ extras: { suggestions } }) as Error,
    );
  });

  it('is granted with a warning while a server that is not connected may have the tool', async () => {
    const { resource, warning } = grantedResource('remote_thing', await known('idle'));
    expect([resource, warning]).toEqual([
      'tool:remote_thing',
      expect.stringContaining('not connected'),
    ]);
    const ready = await known('ready');
    expect(() => grantedResource('remote_thing', ready)).toThrow('no tool named');
  });
});

it('the library refuses the bare name of a tool, and says how to write it', async () => {
  const crib = await testCrib([aTool(), aTool({ name: 'other', permissions: ['plain'] })]);
  const grant = { subject: {}, actions: ['*'], skipsApproval: false, by: 'x' };
  await expect(crib.permissions.grant({ ...grant, resource: 'echo' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    extras: { suggestions: ['Write tool:echo to grant the tool.'] },
  });
  expect(await crib.permissions.list()).toEqual([]);
  await crib.permissions.grant({ ...grant, resource: 'plain' });
  await crib.permissions.grant({ ...grant, resource: 'tool:echo' });
});
