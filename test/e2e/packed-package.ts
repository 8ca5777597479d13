/**
 * Unpacks what `npm pack` makes into a project of its own, beside the packages that an installation
 * brings and no others: what only developers have cannot be found from there.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtCli } from './built-cli.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface Locked {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface PackedPackage {
  /** The project that has the package installed. */
  readonly project: string;
  /** The package itself, below `node_modules` of the project. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Paths of all files in the package. */
  readonly files: readonly string[];
  /** Folders of the packages that are installed with it, by their place in the lock file. */
  readonly installed: readonly string[];
}

/** Finds a package as Node does: from the innermost folder outwards. */
const placeOf = (
  packages: Readonly<Record<string, Locked>>,
  name: string,
  from: string,
): string | undefined => {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const place = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (base === '') return undefined;
  }
};

const installedBy = (manifest: Manifest): readonly string[] => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const places = new Set<string>();
  const add = (names: Readonly<Record<string, string>> | undefined, from: string): void => {
    for (const name of Object.keys(names ?? {})) {
      const place = placeOf(lock.packages, name, from);
      // Builds for other systems are in the lock file and not on this machine.
      if (place === undefined || places.has(place) || !isFolder(join(root, place))) continue;
      places.add(place);
      add(lock.packages[place]?.dependencies, place);
      add(lock.packages[place]?.optionalDependencies, place);
    }
  };
  add(manifest.dependencies, '');
  return [...places].sort();
};

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The caller removes `project`. */
export const packPackage = (): PackedPackage => {
  builtCli();
  const project = mkdtempSync(join(tmpdir(), 'toolcrib-packed-'));
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project];
  const tarball = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim();
  const folder = join(project, 'node_modules/toolcrib');
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, tarball), '-C', folder, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const installed = installedBy(manifest);
  for (const place of installed) {
    // Nested ones come along inside their parents.
    if (place.lastIndexOf('node_modules/') > 0) continue;
    mkdirSync(dirname(join(project, place)), { recursive: true });
    symlinkSync(join(root, place), join(project, place));
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
  return { project, folder, manifest, files, installed };
};

/** Megabytes that files take, in blocks and each file once, as `du` counts them. */
export const megabytesOf = (folders: readonly string[]): number => {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const blocks = new Map(
    files.map((file) => statSync(file)).map(({ ino, blocks }) => [ino, blocks]),
  );
  return ([...blocks.values()].reduce((sum, count) => sum + count, 0) * 512) / 2 ** 20;
};
