import { describe, expect, it } from 'vitest';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { makeLinkToken, readLinkToken } from './approval-link.ts';
import { bindingOf, fits } from './binding.ts';
import { isApprovedFile, targetsOf } from './call-targets.ts';

const call = {
  tool: aTool(),
  caller: LOCAL_CALLER,
  input: { a: 1, b: [2] },
  definition: 'd1',
  targets: ['file:/r/a'],
  policyVersion: 'p1',
};

describe('what an approval is bound to', () => {
  it('is the same call again, whatever the order of its keys', () => {
    expect(fits(bindingOf(call), bindingOf({ ...call, input: { b: [2], a: 1 } }))).toBe(true);
  });

  it.each([
    ['user', { caller: { ...LOCAL_CALLER, userId: 'eve' } }],
    ['agent', { caller: { ...LOCAL_CALLER, agentId: 'eve' } }],
    ['session', { caller: { ...LOCAL_CALLER, sessionId: 'eve' } }],
    ['tool', { tool: aTool({ name: 'other' }) }],
    ['version', { tool: aTool({ version: '2.0.0' }) }],
    ['input', { input: { a: 1, b: ['2'] } }],
    ['definition', { definition: 'd2' }],
    ['target', { targets: ['file:/r/b'] }],
    ['number of targets', { targets: ['file:/r/a', 'file:/r/b'] }],
    ['policy', { policyVersion: 'p2' }],
  ])('is no other %s', (_name, other) => {
    expect(fits(bindingOf(call), bindingOf({ ...call, ...other }))).toBe(false);
  });

  it('is nothing for a record of an older shape', () => {
    const { targets: _none, ...older } = bindingOf(call);
    expect(fits(older as ReturnType<typeof bindingOf>, bindingOf(call))).toBe(false);
    const { definition: _gone, ...oldest } = bindingOf(call);
    expect(fits(oldest as ReturnType<typeof bindingOf>, bindingOf(call))).toBe(false);
  });
});

const resolve = (path: string): Promise<string> =>
  path.includes('..') ? Promise.reject(new Error('outside')) : Promise.resolve(`/real/${path}`);
const files = aTool({ needs: { paths: [{ path: '.', access: 'write' }] } });

describe('what a call leads to', () => {
  it('is every path it names, resolved, once and sorted', async () => {
    const input = { path: 'b', files: [{ filePath: 'a' }, { file: 'b' }], text: 'c/d', mode: 'w' };
    expect(await targetsOf(files, input, { resolve })).toEqual(['file:/real/a', 'file:/real/b']);
  });

  it('says what cannot be reached instead of leaving it out', async () => {
    expect(await targetsOf(files, { path: '../x' }, { resolve })).toEqual(['unreachable:../x']);
  });

  it('is the hosts of a tool that talks to any', async () => {
    const api = aTool({ needs: { hosts: ['*'] } });
    const input = { url: 'https://Example.com:443/x?y', link: 'http://b.org:8080', endpoint: 'no' };
    expect(await targetsOf(api, input, { resolve })).toEqual([
      'host:b.org:8080',
      'host:example.com:443',
      'unreadable:no',
    ]);
  });

  it('is nothing for a tool that reaches nothing', async () => {
    const input = { path: 'a', url: 'https://example.com', list: [null, 3] };
    expect(await targetsOf(aTool(), input, { resolve })).toEqual([]);
    const inFiles = aTool({ category: 'filesystem' });
    expect(await targetsOf(inFiles, input, { resolve })).toEqual(['file:/real/a']);
  });

  it('is what the tool says, where it says so', async () => {
    const tool = aTool({ targets: () => ({ paths: ['x'] }) });
    expect(await targetsOf(tool, { path: 'a' }, { resolve })).toEqual(['file:/real/x']);
    expect(await targetsOf(aTool({ targets: () => ({}) }), {}, { resolve })).toEqual([]);
  });

  it.each([
    ['the file itself', ['file:/r/a'], '/r/a', true],
    ['a file below an approved folder', ['file:/r/a'], '/r/a/b', true],
    ['a folder given with a slash', ['file:/r/a/'], '/r/a/b', true],
    ['a neighbour whose name begins alike', ['file:/r/a'], '/r/ab', false],
    ['another file', ['file:/r/a', 'host:x'], '/r/b', false],
    ['any file, when no file was named', ['host:x'], '/r/b', true],
  ])('covers %s', (_name, targets, path, covered) => {
    expect(isApprovedFile(targets, path)).toBe(covered);
  });
});

describe('a signed link', () => {
  const claim = { approvalId: 'approval_1', approve: true, expiresAt: 100 };
  const keys = openTestKey();

  it('says what it was made for', () => {
    expect(readLinkToken(makeLinkToken(claim, keys), keys, 99)).toEqual(claim);
  });

  it('ends with its time', () => {
    expect(readLinkToken(makeLinkToken(claim, keys), keys, 100)).toBeUndefined();
  });

  const changed = (change: (text: string) => string): string => {
    const [text = '', signature = ''] = makeLinkToken(claim, keys).split('.');
    const other = change(Buffer.from(text, 'base64url').toString());
    return `${Buffer.from(other).toString('base64url')}.${signature}`;
  };

  it.each([
    ['another approval', changed((text) => text.replace('approval_1', 'approval_2'))],
    ['another answer', changed((text) => text.replace('true', 'false'))],
    ['another time', changed((text) => text.replace('100', '999'))],
    ['another key', makeLinkToken(claim, openTestKey())],
    ['no signature', makeLinkToken(claim, keys).split('.')[0] ?? ''],
    ['three parts', `${makeLinkToken(claim, keys)}.x`],
    ['nothing', ''],
    ['a very long text', 'x'.repeat(5000)],
  ])('is refused with %s', (_name, token) => {
    expect(readLinkToken(token, keys, 0)).toBeUndefined();
  });

  it.each(['{"a":1}', '["a",1,2]', '[1,true,2]', '["a",true,"b"]', '["a",true,1,2]', 'x', 'null'])(
    'is refused with the signed claim %s, which is none',
    (text) => {
      const signature = Buffer.from(
        keys.sign(`toolcrib approval link 1\n${text}`),
        'base64',
      ).toString('base64url');
      const token = `${Buffer.from(text).toString('base64url')}.${signature}`;
      expect(readLinkToken(token, keys, 0)).toBeUndefined();
    },
  );

  it('is no link when the key signed the same text for another purpose', () => {
    const text = JSON.stringify(['approval_1', true, 100]);
    const signature = Buffer.from(keys.sign(text), 'base64').toString('base64url');
    const token = `${Buffer.from(text).toString('base64url')}.${signature}`;
    expect(readLinkToken(token, keys, 0)).toBeUndefined();
  });
});
