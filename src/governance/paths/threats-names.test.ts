/** Threat "Paths": a large corpus of names, and as many that only look like them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { protectedRule, sensitiveRule } from './sensitive-names.ts';

interface Names {
  readonly secret: readonly string[];
  readonly readable: readonly string[];
  readonly protected: readonly string[];
  readonly writable: readonly string[];
}

const NAMES = JSON.parse(
  readFileSync(join(import.meta.dirname, 'threats', 'names.json'), 'utf8'),
) as Names;
const above = ['home', 'ann', 'project'];

const isSecret = (path: string): boolean =>
  sensitiveRule({ above, below: path.split('/'), isFolder: false }) !== undefined;
const isProtected = (path: string): boolean => protectedRule(path.split('/')) !== undefined;

it('threat: hundreds of names of files that hold secrets are closed', () => {
  expect(NAMES.secret.filter((path) => !isSecret(path))).toEqual([]);
  expect(NAMES.secret.filter((path) => !isSecret(`packages/app/${path}`))).toEqual([]);
});

it('benign: hundreds of names that look like them stay open', () => {
  expect(NAMES.readable.filter(isSecret)).toEqual([]);
});

it('threat: names that programs and agents act on are not written', () => {
  expect(NAMES.protected.filter((path) => !isProtected(path))).toEqual([]);
});

it('benign: ordinary files of a project are written', () => {
  expect(NAMES.writable.filter(isProtected)).toEqual([]);
});

it('benign: a branch whose name reads like a secret is no secret', () => {
  expect(isSecret('.git/refs/heads/fix-token')).toBe(false);
  expect(isSecret('.git/logs/refs/heads/add/secret')).toBe(false);
  expect(isSecret('.git/secret')).toBe(true);
  expect(isSecret('refs/heads/fix-token')).toBe(true);
});
