import { describe, expect, it } from 'vitest';
import { approvalRecord } from '../../../test/conformance/store-samples.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { PathUse } from '../../contract/path-state.ts';
import type { Tool } from '../../contract/tool.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { makeLinkToken, readLinkToken } from './approval-link.ts';
import { assertApprovedPath, isBelowTargets, isWithinPattern } from './approved-paths.ts';
import { bindingOf, callKeyOf, differenceOf, fits, showsWhatItBinds } from './binding.ts';
import { resolveTargets, statesOf } from './call-targets.ts';

const call = {
  tool: aTool(),
  caller: LOCAL_CALLER,
  input: { a: 1, b: [2] },
  definition: 'd1',
  targets: ['file:/r/a'],
  states: [{ use: 'named', chain: ['folder:1:2:0', 'file:1:3:0'] }],
  policyVersion: 'p1',
} as const;

/** The file at the end of the path is another one, born at this time. */
const exchangedAt = (ms: number) => ({
  states: [{ use: 'named', chain: ['folder:1:2:0', `file:1:4:${ms}000000`] } as const],
});

describe('the binding of an approval', () => {
  it('fits the same call again, whatever the order of its keys', () => {
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
    ['file of that name', exchangedAt(5)],
    ['number of files', { states: [] }],
    ['policy', { policyVersion: 'p2' }],
  ])('does not fit a call with another %s', (_name, other) => {
    expect(fits(bindingOf(call), bindingOf({ ...call, ...other }))).toBe(false);
  });

  it('fits a file that was saved since the question, and no older file of that name', () => {
    const asked = { ...bindingOf(call), createdAt: 100 };
    expect(fits(asked, bindingOf({ ...call, ...exchangedAt(101) }))).toBe(true);
    expect(fits(asked, bindingOf({ ...call, ...exchangedAt(99) }))).toBe(false);
  });

  it('fits nothing for a record of an older format', () => {
    const { states: _unknown, ...old } = bindingOf(call);
    expect(fits(old, bindingOf(call))).toBe(false);
    expect(fits(bindingOf(call), old)).toBe(false);
    const { targets: _none, ...older } = bindingOf(call);
    expect(fits(older as ReturnType<typeof bindingOf>, bindingOf(call))).toBe(false);
    const { definition: _gone, ...oldest } = bindingOf(call);
    expect(fits(oldest as ReturnType<typeof bindingOf>, bindingOf(call))).toBe(false);
  });
});

const resolve = (path: string): Promise<string> =>
  path.includes('..') ? Promise.reject(new Error('outside')) : Promise.resolve(`/real/${path}`);
const spellOut = (path: string): string => {
  if (path.startsWith('../..')) throw new Error('outside');
  return `/root/${path}`;
};
/** No programs, and every path in the state that its use says. */
const SETTLED = {
  stateOf: (_real: string, use: PathUse) => ({ use, chain: [] }),
  programPaths: async () => [],
};
const targetsOf = async (tool: Tool, input: unknown, deps: { readonly resolve: typeof resolve }) =>
  (await resolveTargets(tool, input, { ...SETTLED, spellOut, ...deps })).targets;
const files = aTool({ needs: { paths: [{ path: '.', access: 'write' }] } });

describe('the targets of a call', () => {
  it('are every path it names, resolved, in the order of the sorted input', async () => {
    const input = { path: 'b', files: [{ filePath: 'a' }, { file: 'b' }], text: 'c/d', mode: 'w' };
    expect(await targetsOf(files, input, { resolve })).toEqual([
      'file:/real/a',
      'file:/real/b',
      'file:/real/b',
    ]);
    const other = { from_path: 'x', to_path: 'y' };
    const turned = { to_path: 'y', from_path: 'x' };
    expect(await targetsOf(files, turned, { resolve })).toEqual(
      await targetsOf(files, other, { resolve }),
    );
  });

  it('hold for each path what was requested and where that led', async () => {
    const input = { paths: ['a', '../b', '../../c'] };
    const resolved = await resolveTargets(files, input, { ...SETTLED, spellOut, resolve });
    const state = { use: 'named', chain: [] };
    expect(resolved.paths).toEqual([
      { asked: '/root/a', real: '/real/a', state },
      { asked: '/root/../b', real: undefined },
      { asked: '../../c', real: undefined },
    ]);
    expect(statesOf(resolved)).toEqual([state]);
  });

  it('include the paths that the programs of the call name', async () => {
    const programPaths = async () => [{ path: 'x', use: 'changed' as const }];
    const deps = { ...SETTLED, spellOut, resolve, programPaths };
    const { targets, paths } = await resolveTargets(files, { path: 'a' }, deps);
    expect(targets).toEqual(['file:/real/a', 'file:/real/x']);
    expect(paths[1]?.state?.use).toBe('changed');
  });

  it('are computed on a copy of the input, so that `targets` of a tool cannot change the call', async () => {
    const input = { path: 'a', list: ['x'] };
    const tool = aTool({
      targets: ((given: { path: string; list: string[] }) => {
        given.list.push('y');
        given.path = 'b';
        return { paths: [given.path] };
      }) as never,
    });
    expect(await targetsOf(tool, input, { resolve })).toEqual(['file:/real/b']);
    expect(input).toEqual({ path: 'a', list: ['x'] });
  });

  it('mark a path that cannot be reached instead of leaving it out', async () => {
    expect(await targetsOf(files, { path: '../x' }, { resolve })).toEqual(['unreachable:../x']);
  });

  it('are the hosts of a tool that declares hosts', async () => {
    const api = aTool({ needs: { hosts: ['*'] } });
    const input = { url: 'https://Example.com:443/x?y', link: 'http://b.org:8080', endpoint: 'no' };
    expect(await targetsOf(api, input, { resolve })).toEqual([
      'unreadable:no',
      'host:b.org:8080',
      'host:example.com:443',
    ]);
  });

  it('are empty for a tool that reaches nothing', async () => {
    const input = { path: 'a', url: 'https://example.com', list: [null, 3] };
    expect(await targetsOf(aTool(), input, { resolve })).toEqual([]);
    const inFiles = aTool({ category: 'filesystem' });
    expect(await targetsOf(inFiles, input, { resolve })).toEqual(['file:/real/a']);
  });

  it('are those that the tool declares, if it declares any', async () => {
    const tool = aTool({ targets: () => ({ paths: ['x'] }) });
    expect(await targetsOf(tool, { path: 'a' }, { resolve })).toEqual(['file:/real/x']);
    expect(await targetsOf(aTool({ targets: () => ({}) }), {}, { resolve })).toEqual([]);
  });

  it.each([
    ['answers later', () => Promise.resolve({ paths: ['x'] })],
    ['fails later', () => Promise.reject(new Error('the secret cause'))],
    ['names a path that is no text', () => ({ paths: ['x', 7] })],
    ['names paths that are no list', () => ({ paths: 'x' })],
    ['names a URL that is no text', () => ({ paths: ['x'], urls: [null] })],
    [
      'throws',
      () => {
        throw new Error('the secret cause');
      },
    ],
  ])('fail the call when the tool %s', async (_name, targets) => {
    const tool = aTool({ targets: targets as never });
    await expect(targetsOf(tool, { path: 'a' }, { resolve })).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: 'The tool could not say what the call touches.',
    });
  });

  it.each([
    ['the file itself', ['file:/r/a'], '/r/a', true],
    ['a file below an approved folder', ['file:/r/a'], '/r/a/b', true],
    ['a folder given with a slash', ['file:/r/a/'], '/r/a/b', true],
    ['a neighbour whose name begins alike', ['file:/r/a'], '/r/ab', false],
    ['another file', ['file:/r/a', 'host:x'], '/r/b', false],
  ])('covers %s', (_name, targets, path, covered) => {
    expect(isBelowTargets(targets, path)).toBe(covered);
  });
});

describe('the files of an approved call', () => {
  const approval = {
    targets: ['file:/w/a', 'file:/w/other', 'unreachable:gone'],
    paths: [
      { asked: '/w/a', real: '/w/a' },
      { asked: '/w/link', real: '/w/other' },
      { asked: '/w/gone', real: undefined },
      { asked: '../x', real: undefined },
    ],
  };
  const elsewhere = 'APPROVAL_EXPIRED';
  const otherFile = 'PERMISSION_DENIED';

  it.each([
    ['the named file', '/w/a', '/w/a', 'write', undefined],
    ['a file below a named folder', '/w/a/b', '/w/a/b', 'write', undefined],
    ['the end of a named link', '/w/link', '/w/other', 'write', undefined],
    ['the end of a named link, by its own name', '/w/other/b', '/w/other/b', 'read', undefined],
    ['a file that is not named, to read it', '/w/notes', '/w/notes', 'read', undefined],
    ['a file that is not named, to write it', '/w/notes', '/w/notes', 'write', otherFile],
    ['a named path that became a link', '/w/a', '/w/b', 'read', elsewhere],
    ['a named path that leads to another approved one', '/w/a', '/w/other', 'write', elsewhere],
    ['a named link that leads elsewhere', '/w/link', '/w/a', 'write', elsewhere],
    ['a path below a named folder that leaves it', '/w/a/b', '/w/b', 'read', elsewhere],
    ['the end of a link that became a link itself', '/w/other', '/w/third', 'read', elsewhere],
    ['a path that led nowhere', '/w/gone', '/w/gone', 'read', elsewhere],
  ] as const)('judges access to %s', (_name, asked, absolute, access, code) => {
    const open = () => assertApprovedPath(approval, { asked, absolute }, access);
    if (code === undefined) expect(open).not.toThrow();
    else expect(open).toThrow(expect.objectContaining({ code }));
  });

  it('are compared with the longest approved name: a named link inside a named folder has its own target', () => {
    const nested = {
      targets: ['file:/w/d', 'file:/w/e'],
      paths: [
        { asked: '/w/d/l', real: '/w/e' },
        { asked: '/w/d', real: '/w/d' },
      ],
    };
    const open = (absolute: string) => () =>
      assertApprovedPath(nested, { asked: '/w/d/l/x', absolute }, 'write');
    expect(open('/w/e/x')).not.toThrow();
    expect(open('/w/d/l/x')).toThrow(expect.objectContaining({ code: elsewhere }));
  });

  it('are any files for a call whose input names no path', () => {
    const none = { targets: ['host:x'], paths: [] };
    const place = { asked: '/w/b', absolute: '/w/b' };
    expect(() => assertApprovedPath(none, place, 'write')).not.toThrow();
  });

  it.each([
    ['without a link', [{ asked: '/w/a', real: '/w/a' }], true],
    ['through a link that the person saw', [{ asked: '/w/l', real: '/w/seen/b' }], true],
    ['through another link', [{ asked: '/w/l', real: '/w/b' }], false],
    ['to nothing', [{ asked: '/w/l', real: undefined }], false],
  ])('a remembered pattern answers for a path %s: see the last column', (_name, paths, answers) => {
    expect(isWithinPattern(['file:/w/seen'], { paths })).toBe(answers);
  });
});

describe('the difference between a call and its approval', () => {
  const bound = bindingOf(call);
  it.each([
    ['definition', { definition: 'd2' }],
    ['policyVersion', { policyVersion: 'p2' }],
    ['targets', { targets: ['file:/r/b'] }],
    ['states', exchangedAt(5)],
    ['call', { input: { a: 2 } }],
  ])('is reported as %s', (difference, other) => {
    expect(differenceOf(bound, bindingOf({ ...call, ...other }))).toBe(difference);
  });

  it('is empty for the same call', () => {
    expect(differenceOf(bound, bindingOf(call))).toBeUndefined();
  });

  it('a call key differs by the outer call, and by the step of a run', () => {
    expect(callKeyOf(bound, {})).toBe(callKeyOf(bindingOf(call), {}));
    const keys = [{}, { within: 'outer' }, { step: 'outer' }].map((by) => callKeyOf(bound, by));
    expect(new Set(keys).size).toBe(3);
  });
});

describe('a question on record', () => {
  const sample = approvalRecord('a1');
  const record = {
    ...sample,
    inputDigest: digestOf(sample.request.input),
    targets: ['file:/a', 'file:/a'],
    request: {
      ...sample.request,
      tool: sample.tool,
      version: sample.version,
      definition: sample.definition,
      targets: ['file:/a'],
    },
  };

  it('shows exactly what it binds, each target once', () => {
    expect(showsWhatItBinds(record)).toBe(true);
  });

  it.each([
    ['tool', { tool: 'other' }],
    ['version', { version: '9.9.9' }],
    ['definition', { definition: 'other' }],
    ['input', { input: { path: 'harmless.txt' } }],
    ['target', { targets: ['file:/b'] }],
    ['user', { caller: { ...sample.request.caller, userId: 'eve' } }],
    ['agent', { caller: { ...sample.request.caller, agentId: 'eve' } }],
    ['session', { caller: { ...sample.request.caller, sessionId: 'eve' } }],
  ])('is refused when it shows another %s than it binds', (_name, shown) => {
    const planted = { ...record, request: { ...record.request, ...shown } };
    expect(showsWhatItBinds(planted)).toBe(false);
  });
});

describe('a signed link', () => {
  const claim = { approvalId: 'approval_1', approve: true, expiresAt: 100 };
  const keys = openTestKey();

  it('gives back the claim it was made for', () => {
    expect(readLinkToken(makeLinkToken(claim, keys), keys, 99)).toEqual(claim);
  });

  it('is refused after its expiry', () => {
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
    'is refused with the invalid signed claim %s',
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
