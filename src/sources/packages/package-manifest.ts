/** Reads `package.json` of a package, and finds the files with tools that its field `toolcrib` names. */
import { valid } from 'semver';
import { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import { visibleItem } from '../../kit/text/visible-text.ts';
import { wildcard } from '../../kit/text/wildcard.ts';
import { isPackageName } from './package-spec.ts';

export type PackageFiles = ReadonlyMap<string, Uint8Array>;

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  /** The files with tools, by path in the package. */
  readonly toolFiles: readonly string[];
  /** What a person should know, e.g. scripts that are never run. */
  readonly warnings: readonly string[];
}

const MAX_MANIFEST_BYTES = 1_000_000;
const MAX_TOOL_FILES = 200;

const TOOL_PATH = /^(?:[\w@.-]+\/)*[\w@.*-]+\.(?:ya?ml|m?[jt]s)$/;

const toolcribField = z.strictObject({
  tools: z
    .array(
      z.string().max(300).regex(TOOL_PATH, {
        error: 'expected a path such as tools/weather.yml, or a pattern such as tools/*.ts',
      }),
    )
    .min(1)
    .max(100),
});

const manifestShape = z.looseObject({
  name: z.string().refine(isPackageName, { error: 'expected a name of the npm registry' }),
  version: z.string().refine((text) => valid(text) === text, {
    error: 'expected a version such as 1.0.0',
  }),
  toolcrib: toolcribField,
  scripts: z.record(z.string(), z.unknown()).catch({}).exactOptional(),
  dependencies: z.record(z.string(), z.unknown()).catch({}).exactOptional(),
});

const invalid = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `package.json of the package: ${message}.`, {
    suggestions: [
      'A package of tools has in package.json: "toolcrib": { "tools": ["tools/*.yml"] }',
    ],
  });

const readJson = (files: PackageFiles): unknown => {
  const bytes = files.get('package.json');
  if (!bytes) throw invalid('it is not there');
  if (bytes.length > MAX_MANIFEST_BYTES) throw invalid('it is too large');
  const reading = parseStrictJson(new TextDecoder().decode(bytes));
  if ('flaw' in reading) throw invalid('it is no JSON');
  return reading.value;
};

/** Makes a test for paths; `*` stands for any characters within one part. No backtracking. */
const matcher = (pattern: string): ((path: string) => boolean) => {
  const tests = pattern.split('/').map(wildcard);
  return (path) => {
    const parts = path.split('/');
    return parts.length === tests.length && tests.every((test, at) => test(parts[at] ?? ''));
  };
};

const NO_TOOL = /\.(?:d|test|spec)\.m?[jt]s$/;

const toolFilesOf = (patterns: readonly string[], files: PackageFiles): readonly string[] => {
  const toolFiles = new Set<string>();
  for (const pattern of patterns) {
    const fits = matcher(pattern);
    const matches = [...files.keys()].filter((path) => fits(path) && !NO_TOOL.test(path));
    if (matches.length === 0) throw invalid(`toolcrib.tools: no file is named ${pattern}`);
    for (const path of matches) toolFiles.add(path);
  }
  if (toolFiles.size > MAX_TOOL_FILES)
    throw invalid(`it names more than ${MAX_TOOL_FILES} tool files`);
  return [...toolFiles].toSorted();
};

/** Scripts that npm would run at an installation. */
const LIFECYCLE = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];

const warningsOf = ({ scripts = {}, dependencies = {} }: z.output<typeof manifestShape>) => {
  const lifecycle = LIFECYCLE.filter((name) => Object.hasOwn(scripts, name));
  const needed = Object.keys(dependencies).filter((name) => name !== 'toolcrib');
  return [
    ...(lifecycle.length > 0
      ? [`It has install scripts, which were not run: ${lifecycle.join(', ')}.`]
      : []),
    ...(needed.length > 0
      ? [`Its npm dependencies are not installed: ${needed.map(visibleItem).join(', ')}.`]
      : []),
  ];
};

/** Throws VALIDATION_ERROR that says what the package has to have. */
export const readManifest = (files: PackageFiles): PackageManifest => {
  const checked = manifestShape.safeParse(readJson(files));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const path = issue?.path.join('.') ?? '';
    throw invalid(visibleItem(`${path}: ${issue?.message ?? 'it is not valid'}`));
  }
  const { name, version, toolcrib } = checked.data;
  const toolFiles = toolFilesOf(toolcrib.tools, files);
  return { name, version, toolFiles, warnings: warningsOf(checked.data) };
};
