/** Adds a source: looks at it, shows what it would add, then writes it into the configuration. */
import { ConfigError } from '../../../config/config-error.ts';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { SOURCE_NAME, SOURCE_NAME_RULE } from '../../../config/sections/sources/source-fields.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { SourcePreview } from '../../../crib/sources/preview-source.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { misuse } from '../../input/misuse.ts';
import { hint, type Io, printDone, printJson } from '../../io.ts';
import { shellQuote } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import {
  assertEditable,
  type ConfigDeps,
  editConfig,
  openConfigDeps,
} from '../../session/config-edit.ts';
import { offerTools } from '../servers/offer-tools.ts';
import { assertFreeName, isOfProject, sourceNamed } from '../sources/source-config.ts';
import type { AddKind, NewSource } from './add-kind.ts';
import { storeMissing } from './missing-secrets.ts';
import { withPlacedPaths } from './placed-paths.ts';
import { noteDryRun, showPreview } from './source-page.ts';

/** The options that every kind has. */
export interface AddOptions {
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly project?: boolean;
  readonly replace?: boolean;
  readonly accept?: boolean;
}

export interface AddArguments {
  readonly address: string;
  /** The options as they were typed, for the command that a dry run names. */
  readonly typed: readonly string[];
  readonly options: AddOptions & Readonly<Record<string, unknown>>;
}

/** Makes the failure for refused settings. It names them without their file, which is not written yet. */
const notConfigurable = ({ problems }: ConfigError): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', 'This source cannot be configured.', {
    suggestions: problems.map(({ path, message }) => {
      const at = path.split('.').slice(3).join('.');
      return `Change it: ${at === '' ? '' : `${at}: `}${message}`;
    }),
  });

/** Looks at a source that `sources.<kind>.<name>` would describe. Writes nothing. */
export const previewOf = async (
  io: Io,
  { loaded, root }: ConfigDeps,
  { kind, source }: { readonly kind: string; readonly source: NewSource },
): Promise<SourcePreview> => {
  const { previewSource } = await import('../../../crib/sources/preview-source.ts');
  const { config, userDir, policyFiles } = loaded;
  const deps = { config, home: userDir, project: root, policyFiles, runtime: io.runtime };
  return whileShown(io, `Reading ${source.name}`, () =>
    previewSource({ kind, ...source }, deps).catch((error: unknown) => {
      throw error instanceof ConfigError ? notConfigurable(error) : error;
    }),
  );
};

/** Refuses to redefine the user's own source in a project: it would be ignored. */
const assertOwn = (deps: ConfigDeps, name: string, inProject: boolean): void => {
  const source = sourceNamed(deps, name);
  if (!inProject || !source || isOfProject(deps, source)) return;
  throw new ToolFailure('PERMISSION_DENIED', 'A project cannot change your own source.', {
    suggestions: ['Choose another name, or leave --project out.'],
  });
};

interface ReadySource {
  readonly kind: string;
  readonly source: NewSource;
  readonly inProject: boolean;
}

/** Writes the source and returns the changed file. Fails where the configuration would refuse it. */
export const writeSource = async (
  io: Io,
  deps: ConfigDeps,
  { kind, source, inProject }: ReadySource,
): Promise<string> => {
  const { file } = await editConfig(io, deps, {
    inProject,
    change: (path) => setInConfigFile(path, ['sources', kind, source.name], source.settings),
  });
  return file;
};

const assertName = (name: string | undefined): void => {
  if (name === undefined || SOURCE_NAME.test(name)) return;
  throw misuse(
    `This is no name for a source: ${SOURCE_NAME_RULE}.`,
    'Choose another: --name <name>',
  );
};

/** Checks everything that can be refused before anything is read or written. */
const prepare = async (
  io: Io,
  kind: AddKind,
  { address, options }: AddArguments,
): Promise<ReadySource & { readonly deps: ConfigDeps }> => {
  const deps = await openConfigDeps(io);
  const { name, replace = false, project: inProject = false } = options;
  assertName(name);
  const typed = await kind.source({ io, address, name, options });
  const base = { cwd: io.cwd, ...(inProject && { project: deps.root }) };
  const source = withPlacedPaths(typed, base);
  assertFreeName(deps, { kind: kind.kind, name: source.name }, replace);
  assertOwn(deps, source.name, inProject);
  await assertEditable(io, deps, inProject);
  return { deps, kind: kind.kind, source, inProject };
};

export const addSource = async (io: Io, kind: AddKind, args: AddArguments): Promise<number> => {
  const { deps, source, inProject } = await prepare(io, kind, args);
  const { options, address } = args;
  const preview = await previewOf(io, deps, { kind: kind.kind, source });
  const about = { source: source.name, kind: kind.kind };
  if (!io.json) showPreview(io, `${source.name} (${kind.kind})`, preview);
  if (options.dryRun === true) {
    if (io.json) printJson(io, { ...about, dryRun: true, settings: source.settings, ...preview });
    else
      noteDryRun(io, ['toolcrib', 'add', kind.kind, shellQuote(address), ...args.typed].join(' '));
    return 0;
  }
  const file = await writeSource(io, deps, { kind: kind.kind, source, inProject });
  const missing = await storeMissing(io, preview.secrets);
  if (io.json) {
    printJson(io, {
      ...about,
      file,
      settings: source.settings,
      missingSecrets: missing,
      ...preview,
    });
    return 0;
  }
  printDone(io, `Added: ${source.name}`);
  hint(io, `in ${visibleText(file)}`);
  const origin = `${kind.kind}:${source.name}`;
  await offerTools(io, [origin], { ask: options.accept !== false });
  return 0;
};
