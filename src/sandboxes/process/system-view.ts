/** The part of the machine that every sandboxed program needs: programs, libraries, certificates. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAtOrBelow } from '../sandbox-grants.ts';

const FOLDERS = ['/usr', '/nix/store'];

/** Links into /usr on most systems, folders on some. */
const MERGED = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

const SETTINGS = [
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/ca-certificates.conf',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];

const mergedMount = (path: string): readonly string[] => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return stat.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
};

/** Gives the bubblewrap arguments for the parts that this machine has. */
export const systemView = (): readonly string[] => [
  ...FOLDERS.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
  ...MERGED.flatMap(mergedMount),
  ...SETTINGS.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
];

/** Lists the paths of Node and its packages when they are not in a system folder, as with nvm. */
export const nodeHome = (node: string): readonly string[] => {
  const program = realpathSync(node);
  if (FOLDERS.some((root) => isAtOrBelow(program, root))) return [];
  const packages = packagesOf(program);
  return existsSync(packages) ? [program, packages] : [program];
};

const packagesOf = (program: string): string =>
  join(dirname(dirname(program)), 'lib', 'node_modules');

/** Makes the link from npm to its package, which a mount of Node does not include. */
export const nodeLinks = (programs: readonly string[]): readonly string[] =>
  programs.flatMap((program) => {
    const script = join(packagesOf(program), 'npm', 'bin', 'npm-cli.js');
    const isNode = program.endsWith('/node') && programs.includes(packagesOf(program));
    return isNode && existsSync(script) ? ['--symlink', script, join(dirname(program), 'npm')] : [];
  });
