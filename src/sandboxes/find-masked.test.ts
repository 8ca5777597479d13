/** The mounts of a sandbox over a project that has a store: an engine refuses two on one path. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SANDBOX_MASKS } from '../crib/open-sandboxes.ts';
import { containerRequest } from './container/container-request.ts';
import { findMasked } from './find-masked.ts';
import { runLimits } from './run-limits.ts';

const PROJECT = [
  ...['.toolcrib/state.db', '.toolcrib/config.yaml', '.toolcrib/deep/.docker/config.json'],
  ...['.git/HEAD', '.git/config', '.git/refs/heads/main', '.git/objects/.aws/credentials'],
  ...['.git/.docker/config.json', '.docker/config.json', 'home/.kube/config', 'src/a.ts', '.env'],
  ...['.vscode/settings.json', '.vscode/sftp.json', 'bare.git/HEAD', '.husky/pre-commit'],
];

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-masks-'));
  for (const path of PROJECT) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'x');
  }
});
afterEach(() => rmSync(root, { recursive: true }));

const isBelow = (path: string, above: string): boolean =>
  path === above || path.startsWith(`${above}/`);

describe.each([
  ['for programs', SANDBOX_MASKS],
  ['for git', SANDBOX_MASKS.git ?? SANDBOX_MASKS],
])('the masks %s over a project with a store', (_what, masks) => {
  it('threat: leave nothing writable in or below what is read-only', () => {
    const masked = findMasked({ root, writable: true, masks });
    const readOnly = masked.filter(({ as }) => as === 'read-only').map(({ path }) => path);
    const inPlace = masked.filter(({ as }) => as === 'in-place').map(({ path }) => path);
    expect(readOnly).toContain(join(root, '.toolcrib'));
    expect(inPlace.filter((path) => readOnly.some((above) => isBelow(path, above)))).toEqual([]);
  });

  it('mount each path once', () => {
    const { HostConfig } = containerRequest({
      image: 'i',
      ociRuntime: undefined,
      argv: [],
      variables: {},
      masks,
      startedAt: 0,
      identity: { uid: 1000, gid: 1000 },
      limits: runLimits({ type: 'container' }),
      grants: [{ path: '/workspace', source: root, writable: true, isFolder: true }],
    });
    const targets = [
      ...(HostConfig?.Binds ?? []).map((bind) => bind.split(':')[1]),
      ...Object.keys(HostConfig?.Tmpfs ?? {}),
    ];
    expect(targets).toContain('/workspace/.toolcrib');
    expect(targets.filter((path, at) => targets.indexOf(path) !== at)).toEqual([]);
  });
});

it('keeps folders in place that are writable otherwise', () => {
  const masked = findMasked({ root, writable: true, masks: SANDBOX_MASKS });
  const inPlace = masked.filter(({ as }) => as === 'in-place').map(({ path }) => path);
  expect(inPlace).toEqual(['.docker', 'home/.kube'].map((path) => join(root, path)));
});
