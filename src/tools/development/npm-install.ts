/** `npm_install`: installs packages of the registry into a project, without running their scripts. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { runNpm } from '../npm-program.ts';
import { type ReadRegistries, userRegistries } from '../npm-registries.ts';
import { oneLine } from '../one-line.ts';
import { projectFolder } from './project-folder.ts';

/** Describes a name in the registry: no folder, address, repository or archive, which npm would accept too. */
const packageName = () =>
  z
    .string()
    .max(214)
    .regex(
      /^(?!.*\.(?:tgz|tar|tar\.gz)$)(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9_][a-z0-9._~-]*$/i,
      'The name of a package in the registry.',
    );
const range = () =>
  z
    .string()
    .max(100)
    .regex(/^[\w^~<>=*][\w.^~<>=|*+ -]*$/, 'A version, a range such as ^2.1.0, or a tag.');

const input = () =>
  z
    .strictObject({
      package: packageName().optional().describe('The package.'),
      version: range().optional().describe('Its version, range or tag; the latest when absent.'),
      packages: z
        .array(z.strictObject({ name: packageName(), version: range().optional() }))
        .min(1)
        .max(50)
        .optional()
        .describe('Several packages at once. Without any, what package.json asks for.'),
      dev: z.boolean().default(false).describe('Needed for development only.'),
      projectPath: oneLine(1_000).default('.').describe('The folder with the package.json.'),
    })
    .superRefine((request, context) => {
      const report = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message });
      if (request.package && request.packages) report('packages', 'Not together with package.');
      if (request.version && !request.package) report('version', 'It needs package.');
    });

const installed = () =>
  z.strictObject({
    name: z.string().describe('The package.'),
    version: z.string().describe('The version that is there now.'),
  });

const output = () =>
  z.strictObject({
    success: z.boolean().describe('True: a failure is an error.'),
    installedVersion: z.string().describe('Of the first package asked for; empty without one.'),
    installed: z.array(installed()).describe('The packages asked for, as they are there now.'),
    dependencies: z.array(z.string()).describe('Everything that was added, as name@version.'),
    changed: z.int().describe('How many packages got another version.'),
    removed: z.int().describe('How many packages were taken away.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const packagesOf = (request: Input): readonly { name: string; version?: string | undefined }[] =>
  request.packages ??
  (request.package ? [{ name: request.package, version: request.version }] : []);

const argumentsOf = (request: Input): readonly string[] => {
  const packages = packagesOf(request).map(({ name, version }) => `${name}@${version ?? 'latest'}`);
  return [
    'install',
    '--json',
    '--no-audit',
    '--no-fund',
    '--package-lock',
    '--ignore-scripts',
    ...(packages.length > 0 ? [request.dev ? '--save-dev' : '--save-prod', '--', ...packages] : []),
  ];
};

/** Names the packages of a report of npm, where each is an object; empty for a mere number. */
const namesIn = (list: unknown): readonly string[] =>
  Array.isArray(list)
    ? list.filter(isRecord).map(({ name, version }) => `${String(name)}@${String(version)}`)
    : [];

const versionOf = async ({ fs }: ToolContext, folder: string, name: string): Promise<string> => {
  const bytes = await fs.read(`${folder}/node_modules/${name}/package.json`);
  const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes));
  return isRecord(manifest) ? String(manifest.version) : '';
};

export interface NpmInstallOptions {
  /** Where packages come from; the user's npm configuration when absent. */
  readonly registries?: ReadRegistries;
}

const install = async (
  request: Input,
  context: ToolContext,
  { registries = userRegistries }: NpmInstallOptions,
): Promise<Output> => {
  const { projectPath } = request;
  const cwd = await projectFolder(context, projectPath, 'projectPath');
  // Without a package.json npm would use a project in the folders above.
  if ((await context.fs.stat(`${projectPath}/package.json`))?.kind !== 'file') {
    throw new ToolFailure('PRECONDITION_FAILED', 'The folder has no package.json.', {
      suggestions: ['Write a package.json first, or name the folder that has one.'],
    });
  }
  const report = await runNpm(context, {
    args: argumentsOf(request),
    cwd,
    timeoutMs: 300_000,
    registries: await registries(),
  });
  const there = await Promise.all(
    packagesOf(request).map(async ({ name }) => ({
      name,
      version: await versionOf(context, projectPath, name),
    })),
  );
  return {
    success: true,
    installedVersion: there[0]?.version ?? '',
    installed: there,
    dependencies: [...namesIn(report.add)],
    changed: Number(report.changed ?? 0),
    removed: Number(report.removed ?? 0),
  };
};

export const defineNpmInstall = (options: NpmInstallOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'npm_install',
    description:
      "Installs packages of the npm registry into a project of the workspace and keeps its lock file up to date. Packages come from the registries of the user's npm configuration; their install scripts do not run.",
    source: 'builtin',
    category: 'development',
    tier: 'execute',
    capabilities: [
      {
        action: 'install',
        description: 'Install packages.',
        tier: 'execute',
        requiresConfirmation: true,
        estimatedTime: 10_000,
      },
    ],
    permissions: ['tool:npm_install'],
    cost: { model: 'free' },
    timeoutMs: 310_000,
    needs: {
      paths: [{ path: '.', access: 'write' }],
      hosts: ['*'],
      commands: ['npm install *'],
    },
    // The folder for the cache of npm gets a quarter of the memory.
    sandbox: { type: 'process', resourceLimits: { memoryMb: 4096 } },
    sandboxed: true,
    aliases: ['npm:install'],
    tags: ['npm', 'package', 'dependency', 'install', 'node'],
    examples: [
      {
        title: 'Install one version of a package',
        input: { package: 'left-pad', version: '1.1.0' },
        output: { success: true, installedVersion: '1.1.0', dependencies: ['left-pad@1.1.0'] },
      },
      {
        title: 'Install for development',
        input: { packages: [{ name: 'left-pad', version: '^1.0.0' }], dev: true },
        output: { installed: [{ name: 'left-pad', version: '1.3.0' }] },
      },
    ],
    input,
    output,
    run: (request, context) => install(request, context, options),
  });

export const npmInstall = defineNpmInstall();
