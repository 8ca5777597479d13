/** Finds a program that is an npm package beside this one, to show it to the sandbox. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of such packages in the sandbox. It reveals no folder of the host. */
const PACKAGES_FOLDER = '/opt/programs/node_modules';

export interface PackagedProgram {
  /** The script for Node, as the sandbox sees it. */
  readonly script: string;
  /** Folders of the host and where the sandbox sees them. */
  readonly folders: readonly (readonly [source: string, target: string])[];
}

interface Manifest {
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Finds the script of the package that has its name, below the package's own folder. */
const scriptIn = ({ bin }: Manifest, name: string): string | undefined => {
  const script =
    typeof bin === 'object' && Object.hasOwn(bin, name)
      ? bin[name]
      : typeof bin === 'string'
        ? bin
        : undefined;
  return script === undefined || script.split('/').includes('..') ? undefined : script;
};

/**
 * Looks from the folder of the file `from` upwards, as an import there would. Nothing when the
 * package is not installed. Its parts for this platform are its optional dependencies.
 */
export const findPackagedProgram = (name: string, from: string): PackagedProgram | undefined => {
  const near = createRequire(from);
  const folderOf = (packageName: string, require: NodeJS.Require): string | undefined => {
    try {
      return dirname(require.resolve(`${packageName}/package.json`));
    } catch {
      return undefined;
    }
  };
  const folder = folderOf(name, near);
  if (folder === undefined) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const script = scriptIn(manifest, name);
  if (script === undefined) return undefined;
  const inside = createRequire(join(folder, 'package.json'));
  const parts = Object.keys(manifest.optionalDependencies ?? {}).flatMap((part) => {
    const source = folderOf(part, inside);
    return source === undefined ? [] : [[source, `${PACKAGES_FOLDER}/${part}`] as const];
  });
  return {
    script: `${PACKAGES_FOLDER}/${name}/${script}`,
    folders: [[folder, `${PACKAGES_FOLDER}/${name}`], ...parts],
  };
};
