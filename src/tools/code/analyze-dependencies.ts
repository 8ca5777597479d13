/**
 * `analyze_dependencies`: what the package manager reports about a project, and which packages its
 * sources use.
 */
import { dirname } from 'node:path/posix';
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import { type JsonObject, runNpm } from '../npm-program.ts';
import { type NpmRegistries, type ReadRegistries, userRegistries } from '../npm-registries.ts';
import { oneLine } from '../one-line.ts';
import { findUsage } from './dependency-usage.ts';
import { countPackages, readAdvisories, readOutdated, SEVERITIES } from './read-npm-reports.ts';

const OPERATIONS = ['analyze', 'usage', 'outdated', 'audit'] as const;

const input = () =>
  z.strictObject({
    packageJsonPath: oneLine(1_000)
      .regex(/(?:^|\/)package\.json$/, 'It must be a package.json.')
      .default('package.json')
      .describe('The package.json of the project.'),
    operation: z
      .enum(OPERATIONS)
      .default('analyze')
      .describe('usage: without network. outdated, audit: ask the registry. analyze: all of them.'),
  });

const output = () =>
  z.strictObject({
    totalDeps: z.int().optional().describe('usage: packages installed, each version once.'),
    unused: z
      .array(z.string())
      .optional()
      .describe('usage: declared, but not imported and not named by a script.'),
    missing: z.array(z.string()).optional().describe('usage: imported, but not declared.'),
    problems: z
      .array(z.string())
      .optional()
      .describe('usage: what npm says about the installation.'),
    outdated: z
      .array(
        z.strictObject({
          package: z.string().describe('The package.'),
          current: z.string().describe('What is installed; empty when it is not.'),
          wanted: z.string().describe('The newest that package.json allows.'),
          latest: z.string().describe('The newest there is.'),
        }),
      )
      .optional()
      .describe('outdated: packages with newer versions.'),
    vulnerabilities: z
      .array(
        z.strictObject({
          package: z.string().describe('The package.'),
          severity: z.enum(SEVERITIES).describe('How bad it is.'),
          description: z.string().describe('What the advisory says.'),
          range: z.string().describe('The versions it concerns.'),
          direct: z.boolean().describe('True when package.json names the package.'),
          url: z.string().optional().describe('The advisory.'),
          fixVersion: z.string().optional().describe('The version that is free of it.'),
        }),
      )
      .optional()
      .describe('audit: known advisories, the worst first.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

interface Project {
  readonly context: ToolContext;
  readonly folder: string;
  readonly cwd: string;
  readonly manifest: JsonObject;
  readonly options: AnalyzeDependenciesOptions;
}

export interface AnalyzeDependenciesOptions extends CompilerOptions {
  /** Where packages come from; the user's npm configuration when absent. */
  readonly registries?: ReadRegistries;
}

const npm = (
  { context, cwd }: Project,
  args: readonly string[],
  registries?: NpmRegistries,
): Promise<JsonObject> =>
  runNpm(context, { args, cwd, timeoutMs: 60_000, ...(registries && { registries }) });

/** Asks the registry, which `usage` does not. */
const ask = async (project: Project, ...args: string[]): Promise<JsonObject> => {
  const { registries = userRegistries } = project.options;
  return npm(project, args, await registries());
};

const usage = async (project: Project): Promise<Output> => {
  const listing = await npm(project, ['ls', '--json', '--all']);
  const { unused, missing } = await findUsage({ ...project, compiler: project.options });
  const problems = Array.isArray(listing.problems) ? listing.problems.map(String) : [];
  return { totalDeps: countPackages(listing), unused, missing, problems };
};

const outdated = async (project: Project): Promise<Output> => ({
  outdated: readOutdated(await ask(project, 'outdated', '--json')),
});

const audit = async (project: Project): Promise<Output> => ({
  vulnerabilities: readAdvisories(await ask(project, 'audit', '--json')),
});

/** Tells whether an error ends the call: other failures become warnings. */
const isFatal = (error: unknown): boolean =>
  !(error instanceof ToolFailure) ||
  error.code === 'CANCELLED' ||
  error.code === 'SECURITY_VIOLATION';

/**
 * Runs every step separately: a registry without an audit must not hide what the sources showed. Each
 * failed step becomes a warning; when all fail, the first failure is the answer.
 */
const everything = async (project: Project): Promise<Output> => {
  const failures: ToolFailure[] = [];
  let all: Output = {};
  const steps = Object.entries({ usage, outdated, audit });
  for (const [name, step] of steps) {
    try {
      all = { ...all, ...(await step(project)) };
    } catch (error) {
      if (isFatal(error)) throw error;
      const failure = error as ToolFailure;
      failures.push(failure);
      project.context.warn(`${name} failed and is left out (${failure.code}): ${failure.message}`);
    }
  }
  if (failures[0] && failures.length === steps.length) throw failures[0];
  return all;
};

const STEPS: Readonly<Record<Input['operation'], (project: Project) => Promise<Output>>> = {
  usage,
  outdated,
  audit,
  analyze: everything,
};

const readManifest = async ({ fs }: ToolContext, path: string): Promise<JsonObject> => {
  try {
    const bytes = await fs.read(path, { maxBytes: 1_000_000 });
    const manifest: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isRecord(manifest)) return manifest;
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
  }
  throw new ToolFailure('VALIDATION_ERROR', 'The package.json is not valid JSON.', {
    issues: [{ path: ['packageJsonPath'], message: 'It must name a valid package.json.' }],
    suggestions: ['Correct the file first.'],
  });
};

const analyze = async (
  { packageJsonPath, operation }: Input,
  context: ToolContext,
  options: AnalyzeDependenciesOptions,
): Promise<Output> => {
  const manifest = await readManifest(context, packageJsonPath);
  const folder = dirname(packageJsonPath);
  const cwd = await context.fs.resolve(folder, 'read');
  return STEPS[operation]({ context, folder, cwd, manifest, options });
};

export const defineAnalyzeDependencies = (
  options: AnalyzeDependenciesOptions = {},
): Tool<Input, Output> =>
  defineTool({
    name: 'analyze_dependencies',
    description:
      'Analyses the npm dependencies of a project: unused and missing ones from its sources, outdated ones and security advisories from the registry.',
    documentation:
      'analyze gives what could be found: a step that failed, such as the audit where the registry has none, is left out with a warning. By itself each operation fails with its code.',
    source: 'builtin',
    category: 'code_analysis',
    // A request to the registry reveals which packages, in which versions, the project uses.
    tier: 'external_api',
    actionField: 'operation',
    capabilities: [
      { action: 'usage', description: 'Compare sources with package.json.', tier: 'read_only' },
      { action: 'outdated', description: 'Look for newer versions.', tier: 'external_api' },
      { action: 'audit', description: 'Look for advisories.', tier: 'external_api' },
      { action: 'analyze', description: 'All of these.', tier: 'external_api' },
    ],
    idempotent: true,
    permissions: ['tool:analyze_dependencies'],
    cost: { model: 'free' },
    timeoutMs: 180_000,
    needs: {
      paths: [{ path: '.', access: 'read' }],
      hosts: ['*'],
      commands: ['npm ls *', 'npm outdated *', 'npm audit *'],
    },
    sandbox: { type: 'process', resourceLimits: { memoryMb: 4096 } },
    sandboxed: true,
    aliases: ['code:dependencies', 'npm:audit'],
    tags: ['npm', 'dependencies', 'audit', 'outdated', 'security', 'vulnerabilities'],
    examples: [
      {
        title: 'Find unused and missing packages',
        input: { packageJsonPath: 'package.json', operation: 'usage' },
        output: { totalDeps: 1, unused: ['idle'], missing: ['absent'] },
      },
      {
        title: 'Analyse everything',
        input: { packageJsonPath: 'package.json' },
        output: {
          outdated: [{ package: 'left-pad', current: '1.1.0', wanted: '1.3.0', latest: '1.3.0' }],
          vulnerabilities: [{ package: 'left-pad', severity: 'high', direct: true }],
        },
      },
    ],
    input,
    output,
    run: (request, context) => analyze(request, context, options),
  });

export const analyzeDependencies = defineAnalyzeDependencies();
