/** The lock file of installed packages: what is installed, where it came from, and its digests. */
import { valid } from 'semver';
import { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import { TIERS } from '../../contract/tool.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import { isPackageName } from './package-spec.ts';

const text = z.string().max(2000);

const packagedTool = z.strictObject({
  name: text,
  version: text,
  tier: z.enum(TIERS),
  needs: z.record(z.string(), z.unknown()),
  dependencies: z.array(z.strictObject({ tool: text, range: text.exactOptional() })).max(100),
});

const lockedPackage = z
  .strictObject({
    name: z.string().refine(isPackageName),
    version: z.string().refine((version) => valid(version) === version),
    requested: text,
    resolved: text,
    integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/),
    digest: z.string().regex(/^sha256-[0-9a-f]{64}$/),
    /** Below the folder of packages, after the name: the version, and more where that was taken. */
    folder: z.string().regex(/^[0-9A-Za-z.+-]{1,300}$/),
    tools: z.array(packagedTool).max(2000),
  })
  .refine(({ folder, version }) => folder === version || folder.startsWith(`${version}-`));

const lockShape = z.strictObject({
  toolcribPackages: z.literal(1),
  packages: z.array(lockedPackage).max(1000),
});

export type LockedPackage = z.output<typeof lockedPackage>;

const invalid = (path: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `${path} is not valid, so no package is loaded.`, {
    suggestions: ['Restore the file, or remove it and install the packages again.'],
  });

/** Reads a lock; `path` is for messages. Throws CONFIG_INVALID. */
export const parsePackagesLock = (
  content: string | undefined,
  path: string,
): readonly LockedPackage[] => {
  if (content === undefined) return [];
  const reading = parseStrictJson(content);
  const checked = 'flaw' in reading ? undefined : lockShape.safeParse(reading.value);
  if (!checked?.success) throw invalid(path);
  const { packages } = checked.data;
  if (new Set(packages.map(({ name }) => name)).size !== packages.length) throw invalid(path);
  return packages;
};

export const formatPackagesLock = (packages: readonly LockedPackage[]): string => {
  const sorted = packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return `${JSON.stringify({ toolcribPackages: 1, packages: sorted }, null, 2)}\n`;
};
