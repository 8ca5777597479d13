/** Reads what a user names as a package, strictly: the text becomes an argument of npm. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { validRange } from 'semver';
import { ToolFailure } from '../../contract/errors.ts';
import type { PackageSource } from '../../contract/packages.ts';
import { isLoopback } from '../../kit/http/loopback.ts';

/** The names that the registry gives out today: no capitals, no letters beyond ASCII. */
export const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/;
const MAX_NAME_LENGTH = 214;
const TAG = /^[A-Za-z][\w.-]{0,100}$/;
const GIT_REF = /^[A-Za-z0-9][\w./-]{0,200}$/;
const GIT_ADDRESS = /^git\+(?:https|ssh|file):\/\/[^\s#]+$/;
const GITHUB = /^github:[A-Za-z0-9][\w.-]*\/[\w.-]+$/;

export const isPackageName = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && PACKAGE_NAME.test(name) && !name.includes('..');

const wrong = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `This is no package: ${message}.`, {
    issues: [{ path: ['source'], message }],
    suggestions: [
      'Write name@range, git+https://host/repository#tag, ./folder, file.tgz or https://host/file.tgz.',
    ],
  });

/** Splits off what follows a sign that is not the first character. */
const splitAt = (text: string, sign: string): readonly [string, string | undefined] => {
  const at = text.indexOf(sign, 1);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

const withVersion = (
  type: PackageSource['type'],
  [location, version]: readonly [string, string | undefined],
): PackageSource => ({ type, location, ...(version !== undefined && { version }) });

const isPath = (text: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$|~\/|[A-Za-z]:[\\/])/.test(text);

/** Tells the kind of source by the form of the text. */
export const parsePackageText = (text: string): PackageSource => {
  if (/^(?:git\+|github:)/.test(text)) return withVersion('git', splitAt(text, '#'));
  if (/^https?:/i.test(text)) return { type: 'url', location: text };
  if (isPath(text) || /\.t(?:ar\.)?gz$/i.test(text)) return { type: 'local', location: text };
  return withVersion('registry', splitAt(text, '@'));
};

/** Checked, and complete: local paths are absolute. */
export interface PackageSpec extends PackageSource {
  /** As `update` asks for it again, and as it is shown. */
  readonly text: string;
  readonly isFolder: boolean;
}

const addressFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return 'the address cannot be read';
  const url = new URL(text);
  const { username, password, protocol, hostname } = url;
  const isSsh = protocol === 'git+ssh:' && password === '';
  if ((username !== '' || password !== '') && !isSsh) {
    return 'an address with a password in it would end up in the lock file; log in with npm or git';
  }
  // A host that begins with a hyphen would be an option of ssh.
  if (protocol !== 'git+file:' && !/^[A-Za-z0-9[]/.test(hostname)) return 'the host cannot be read';
  return protocol === 'http:' && !isLoopback(url)
    ? 'http: is not safe on the way; use https:'
    : undefined;
};

const CHECKS: Readonly<
  Record<PackageSource['type'], (source: PackageSource) => string | undefined>
> = {
  registry: ({ location, version = 'latest' }) => {
    if (!isPackageName(location)) {
      return 'a name of the registry has small letters, digits, ".", "_" and "-"';
    }
    return version === '' || (validRange(version) === null && !TAG.test(version))
      ? 'after @ comes a version, a range or a tag'
      : undefined;
  },
  git: ({ location, version = 'main' }) => {
    if (!GIT_REF.test(version) || version.includes('..'))
      return 'after # comes a branch, tag or commit';
    if (GITHUB.test(location)) return undefined;
    if (!GIT_ADDRESS.test(location))
      return 'git addresses begin with git+https:, git+ssh: or github:';
    return addressFault(location);
  },
  local: ({ version }) => (version === undefined ? undefined : 'a path has no version'),
  url: ({ location, version }) =>
    version === undefined ? addressFault(location) : 'an address of a tarball has no version',
};

const SIGN: Readonly<Record<PackageSource['type'], string>> = {
  registry: '@',
  git: '#',
  local: '',
  url: '',
};

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Checks a source; `folder` is where relative paths begin. Throws VALIDATION_ERROR. */
export const checkPackageSource = (source: string | PackageSource, folder: string): PackageSpec => {
  const given = typeof source === 'string' ? parsePackageText(source.trim()) : source;
  const fault = CHECKS[given.type](given);
  if (fault !== undefined) throw wrong(fault);
  if (given.type === 'local') {
    const location = resolve(folder, given.location);
    return { type: 'local', location, text: location, isFolder: isDirectory(location) };
  }
  const { location, version } = given;
  const text = version === undefined ? location : `${location}${SIGN[given.type]}${version}`;
  return { ...given, text, isFolder: false };
};
