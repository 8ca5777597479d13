import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PackageSource } from '../../contract/packages.ts';
import { lookAlikes } from './look-alikes.ts';
import { readManifest } from './package-manifest.ts';
import { checkPackageSource } from './package-spec.ts';
import { formatPackagesLock, type LockedPackage, parsePackagesLock } from './packages-lock.ts';
import { dependants, judgeDependencies } from './tool-dependencies.ts';

describe('checkPackageSource', () => {
  it.each([
    ['weather', { type: 'registry', location: 'weather', text: 'weather' }],
    ['weather@^1.2', { type: 'registry', version: '^1.2' }],
    ['@acme/weather@next', { location: '@acme/weather', version: 'next' }],
    ['git+https://git.example.com/a.git#v1', { type: 'git', version: 'v1' }],
    ['git+ssh://git@git.example.com/a.git', { type: 'git' }],
    ['github:acme/tools#main', { type: 'git', location: 'github:acme/tools' }],
    ['https://example.com/a.tgz', { type: 'url' }],
    ['http://127.0.0.1:8080/a.tgz', { type: 'url' }],
    ['./here.tgz', { type: 'local', location: '/project/here.tgz', isFolder: false }],
  ])('reads %s', (text, expected) => {
    expect(checkPackageSource(text, '/project')).toMatchObject(expected);
  });

  it('tells folders from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-spec-'));
    expect(checkPackageSource(folder, '/')).toMatchObject({ type: 'local', isFolder: true });
  });

  it.each([
    '--registry=https://evil.example',
    'Weather',
    'wеather',
    'a b',
    'weather@',
    'weather@ --x',
    'a@1\u0000',
    '@acme',
    'npm:other@1',
    'git+http://git.example.com/a.git',
    'git+ext::sh -c id',
    'git+https://user:pass@git.example.com/a.git',
    'git+https://git.example.com/a.git#--upload-pack=id',
    'git+https://git.example.com/a.git#a..b',
    'https://user:pass@example.com/a.tgz',
    'http://example.com/a.tgz',
    'https://',
    'git+ssh://-oProxyCommand=id/a.git',
  ])('refuses %j', (text) => {
    expect(() => checkPackageSource(text, '/project')).toThrow('This is no package');
  });

  it('refuses a version where there can be none', () => {
    for (const type of ['local', 'url'] as const) {
      const source: PackageSource = { type, location: 'https://example.com/a.tgz', version: '1' };
      expect(() => checkPackageSource(source, '/')).toThrow('no version');
    }
  });
});

const files = (manifest: object | string, ...paths: readonly string[]) =>
  new Map([
    [
      'package.json',
      Buffer.from(typeof manifest === 'string' ? manifest : JSON.stringify(manifest)),
    ],
    ...paths.map((path) => [path, Buffer.from('')] as const),
  ]);

const PACKAGE = { name: 'a', version: '1.0.0', toolcrib: { tools: ['tools/*.yml', 'one.ts'] } };

describe('readManifest', () => {
  it('finds the tool files by path and pattern, and warns of scripts and dependencies', () => {
    const manifest = {
      ...PACKAGE,
      scripts: { postinstall: 'x', test: 'y' },
      dependencies: { toolcrib: '1', other: '1' },
    };
    const read = readManifest(
      files(manifest, 'tools/b.yml', 'tools/a.yml', 'tools/c/d.yml', 'one.ts'),
    );
    expect(read.toolFiles).toEqual(['one.ts', 'tools/a.yml', 'tools/b.yml']);
    expect(read.warnings).toEqual([
      'It has install scripts, which were not run: postinstall.',
      'Its npm dependencies are not installed: other.',
    ]);
  });

  it('matches stars anywhere in a part, and leaves tests and types out', () => {
    const manifest = { ...PACKAGE, toolcrib: { tools: ['t/*-tool*.ts'] } };
    const paths = [
      't/a-tool.ts',
      't/a-tool-b.ts',
      't/tool.ts',
      't/a-tool.test.ts',
      't/a-tool.d.ts',
    ];
    expect(readManifest(files(manifest, ...paths)).toolFiles).toEqual([
      't/a-tool-b.ts',
      't/a-tool.ts',
    ]);
  });

  it.each([
    ['{', 'no JSON'],
    [{ ...PACKAGE, name: '../a' }, 'name'],
    [{ ...PACKAGE, version: '1' }, 'version'],
    [{ name: 'a', version: '1.0.0' }, 'toolcrib'],
    [{ ...PACKAGE, toolcrib: { tools: [] } }, 'tools'],
    [{ ...PACKAGE, toolcrib: { tools: ['../x.yml'] } }, 'no file is named'],
    [{ ...PACKAGE, toolcrib: { tools: ['/etc/x.yml'] } }, 'tools'],
    [{ ...PACKAGE, toolcrib: { tools: ['x.sh'] } }, 'tools'],
    [{ ...PACKAGE, toolcrib: { tools: ['one.ts'], sandbox: 'none' } }, 'toolcrib'],
    [PACKAGE, 'no file is named tools/*.yml'],
    ['{"name":"a","name":"b","version":"1.0.0"}', 'no JSON'],
    ['{"__proto__":{"toolcrib":{"tools":["one.ts"]}},"name":"a","version":"1.0.0"}', 'no JSON'],
    [{ ...PACKAGE, toolcrib: { tools: ['.env'] } }, 'tools'],
    [{ ...PACKAGE, toolcrib: { tools: ['tools/../../x.yml'] } }, 'no file is named'],
    [{ ...PACKAGE, name: 'аcme' }, 'name'],
  ])('refuses %j', (manifest, reason) => {
    expect(() => readManifest(files(manifest, 'one.ts'))).toThrow(reason);
  });

  it('refuses a package without a manifest', () => {
    expect(() => readManifest(new Map())).toThrow('not there');
  });
});

describe('lookAlikes', () => {
  it.each([
    ['weather-tool', 'weather-tools'],
    ['weather_tools', 'weather-tools'],
    ['weathertools', 'weather-tools'],
    ['modern-tools', 'rnodern-tools'],
    ['t00ls', 'tools'],
    ['acme-weather', '@acme/weather'],
    ['@acrne/weather', '@acme/weather'],
    ['@other/weather', '@acme/weather'],
    ['weather', '@acme/weather'],
  ])('finds that %s can be mistaken for %s', (name, installed) => {
    expect(lookAlikes(name, [installed])).toHaveLength(1);
  });

  it.each([
    'toolcrib',
    'toolcr1b',
    'tool-crib',
    'toolcribs',
    '@toolcrib/weather',
    '@acme/toolcrib',
  ])('threat: asks about %s, which gives itself out as ours', (name) => {
    expect(lookAlikes(name, [])).toHaveLength(1);
  });

  it.each([
    ['toolcrib-weather', 'weather'],
    ['weather', 'weather'],
    ['weather', 'geocode'],
    ['abc', 'abd'],
    ['@acme/weather', '@acme/geocode'],
  ])('lets %s stand beside %s', (name, installed) => {
    expect(lookAlikes(name, [installed])).toEqual([]);
  });
});

const tool = (
  name: string,
  version: string,
  ...dependencies: { tool: string; range?: string }[]
) => ({
  name,
  version,
  tier: 'read_only' as const,
  needs: {},
  dependencies,
});

describe('judgeDependencies', () => {
  const geo1 = { name: 'geo', tools: [tool('geocode', '1.4.0')] };
  const map = { name: 'map', tools: [tool('draw', '1.0.0', { tool: 'geocode', range: '^1.2.0' })] };
  const old = {
    name: 'old',
    tools: [tool('sketch', '1.0.0', { tool: 'geocode', range: '^2.0.0' })],
  };
  const none = () => undefined;

  it('accepts what fits, and names what is missing', () => {
    expect(judgeDependencies([geo1, map], none)).toEqual({ missing: [], conflicts: [] });
    expect(judgeDependencies([map], none).missing).toEqual([
      'draw of map needs geocode@^1.2.0, which is not installed',
    ]);
    expect(judgeDependencies([map], () => '1.3.0')).toEqual({ missing: [], conflicts: [] });
  });

  it('names every conflict with the packages on both sides', () => {
    expect(judgeDependencies([geo1, map, old], none).conflicts).toEqual([
      'sketch of old needs geocode@^2.0.0, but geocode of geo is 1.4.0',
      'draw of map needs geocode@^1.2.0, sketch of old needs geocode@^2.0.0: no version is both',
    ]);
    expect(judgeDependencies([old], () => '1.0.0').conflicts[0]).toContain('but geocode is 1.0.0');
  });

  it('names tools that need each other in a circle: no package of them could be uninstalled', () => {
    const a = { name: 'a', tools: [tool('one', '1.0.0', { tool: 'two' })] };
    const b = { name: 'b', tools: [tool('two', '1.0.0', { tool: 'three' }, { tool: 'one' })] };
    const c = {
      name: 'c',
      tools: [tool('three', '1.0.0'), tool('four', '1.0.0', { tool: 'one' })],
    };
    expect(judgeDependencies([a, c], none).conflicts).toEqual([]);
    expect(judgeDependencies([c, a, b], none).conflicts).toEqual([
      'one needs two needs one, in a circle',
    ]);
    const self = { name: 's', tools: [tool('own', '1.0.0', { tool: 'own' })] };
    expect(judgeDependencies([self], none).conflicts).toEqual(['own needs own, in a circle']);
  });

  it('names those that need a package', () => {
    expect(dependants('geo', [geo1, map], [])).toEqual(['draw of map needs geocode@^1.2.0']);
    expect(dependants('map', [geo1, map], [])).toEqual([]);
    const own = { name: 'route', dependencies: [{ tool: 'geocode' }] };
    expect(dependants('geo', [geo1], [own])).toEqual(['route needs geocode']);
    expect(dependants('geo', [geo1], [own, { name: 'geocode', dependencies: [] }])).toEqual([]);
  });
});

describe('packages.lock', () => {
  const locked: LockedPackage = {
    name: 'a',
    version: '1.0.0',
    requested: 'a',
    resolved: 'a',
    folder: '1.0.0',
    integrity: `sha512-${'A'.repeat(86)}==`,
    digest: `sha256-${'0'.repeat(64)}`,
    tools: [],
  };

  it('is written and read again, sorted by name', () => {
    const text = formatPackagesLock([{ ...locked, name: 'b' }, locked]);
    expect(parsePackagesLock(text, 'x').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(parsePackagesLock(undefined, 'x')).toEqual([]);
  });

  it.each([
    ['no JSON', '{'],
    ['another form', '{"toolcribPackages":2,"packages":[]}'],
    ['a name twice', formatPackagesLock([locked, locked])],
    ['a folder that leads out', formatPackagesLock([{ ...locked, folder: '../../x' }])],
    ['the folder of another version', formatPackagesLock([{ ...locked, folder: '2.0.0' }])],
    ['a name that leads out', formatPackagesLock([{ ...locked, name: '../x' }])],
    ['a short digest', formatPackagesLock([{ ...locked, digest: 'sha256-00' }])],
  ])('is refused with %s', (_what, text) => {
    expect(() => parsePackagesLock(text, 'the lock')).toThrow('the lock is not valid');
  });
});
