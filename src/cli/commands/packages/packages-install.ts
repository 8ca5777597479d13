/** `toolcrib install` and `toolcrib uninstall`: packages of tools. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { InstallationReview } from '../../../contract/packages.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printDone, printJson, warn } from '../../io.ts';
import { counted, shellQuote } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { noteDryRun, showPreview } from '../add/source-page.ts';
import { type AgreeOptions, agreement, settleQuarantine } from './install-with.ts';
import { showReview, showWarnings } from './package-page.ts';

export interface InstallCommandOptions extends AgreeOptions {
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

/** Shows the review in the same form as the dry run of other kinds of sources. */
const showDryRun = async (
  io: Io,
  { loaded }: OpenCrib,
  { review, command }: { readonly review: InstallationReview; readonly command: string },
): Promise<void> => {
  const { previewTools } = await import('../../../crib/sources/preview-source.ts');
  const { config, userDir, policyFiles, projectDir } = loaded;
  const project = projectDir ?? io.cwd;
  const deps = { config, home: userDir, project, policyFiles, runtime: io.runtime };
  const { definitions, ...rest } = review;
  const { name, version, resolved } = review.package;
  const preview = { location: resolved, ...(await previewTools(definitions, deps)) };
  if (io.json) {
    const about = { source: name, kind: 'package', dryRun: true };
    return printJson(io, { ...about, wouldInstall: rest, ...preview });
  }
  showPreview(io, `${name} ${version} (package)`, preview);
  showWarnings(io, review);
  noteDryRun(io, command);
};

/** Fetches the package and reviews it; writes nothing. */
const tryInstall = async (
  io: Io,
  open: OpenCrib,
  { source, options }: InstallRequest,
): Promise<void> => {
  let review: InstallationReview | undefined;
  const confirm = async (made: InstallationReview): Promise<boolean> => {
    review = made;
    return false;
  };
  const target = targetOf(options);
  await open.crib.packages.install(source, { target, confirm }).catch((error: unknown) => {
    if (!(error instanceof ToolFailure) || error.code !== 'USER_CANCELLED') throw error;
  });
  const words = ['toolcrib', 'add', 'package', shellQuote(source)];
  const command = [...words, ...(options.project === true ? ['--project'] : [])].join(' ');
  if (review) await showDryRun(io, open, { review, command });
  else if (io.json) printJson(io, { wouldInstall: null });
  else print(io, 'It is installed already.');
};

interface InstallRequest {
  readonly source: string;
  readonly options: InstallCommandOptions;
}

const targetOf = ({ project }: InstallCommandOptions): 'user' | 'project' =>
  project === true ? 'project' : 'user';

export const installOne = async (
  io: Io,
  open: OpenCrib,
  request: InstallRequest,
): Promise<number> => {
  const { source, options } = request;
  const target = targetOf(options);
  if (options.dryRun === true) {
    await tryInstall(io, open, request);
    return 0;
  }
  const agree = agreement(io, options, (review) => showReview(io, review));
  const install = () => open.crib.packages.install(source, { ...agree, target });
  const result = await (agree.confirm
    ? install()
    : whileShown(io, `Installing ${source}`, install));
  if (io.json) {
    printJson(io, result);
    return 0;
  }
  const { name, version, changed, warnings, package: installed } = result;
  const done = changed ? 'Installed' : 'Installed already:';
  printDone(io, `${done} ${name} ${version}: ${counted(installed.tools.length, 'tool')}`);
  warn(io, ...warnings.map(visibleText));
  await settleQuarantine(io, open, name);
  return 0;
};

/** Adds the options that `install` and `add package` have. */
export const withInstallOptions = (command: Command): Command =>
  command
    .option('--project', 'install it for this project instead of for you')
    .option('--allow-look-alike', 'install it although its name looks like that of another one')
    .option('-y, --yes', 'do not ask');

export const installCommand = (parent: Command, io: Io): Command =>
  withExamples(
    withInstallOptions(
      withJson(
        parent
          .command('install')
          .argument(
            '<package>',
            'name@range, git+https://host/repository#tag, a folder, a .tgz file, or the https address of one',
          ),
      ),
    )
      .option('--dry-run', 'show what it would bring, and install nothing')
      .action(
        leaving(io, (source: string, options: InstallCommandOptions) =>
          withStore(io, (open) => installOne(io, open, { source, options })),
        ),
      ),
    'toolcrib install weather-tools',
    'toolcrib install ./my-tools --dry-run',
    'toolcrib install git+https://git.example.com/tools.git#v1.2.0 --project',
  );

const uninstall = async (io: Io, { crib }: OpenCrib, names: readonly string[]): Promise<number> => {
  for (const name of names) {
    await crib.packages.uninstall(name);
    if (!io.json) printDone(io, `Uninstalled ${visibleText(name)}`);
  }
  if (io.json) printJson(io, { uninstalled: names });
  else hint(io, 'To remove its tools from the lock: toolcrib tools lock --prune');
  return 0;
};

export const uninstallCommand = (parent: Command, io: Io): Command =>
  withExamples(
    withJson(
      parent.command('uninstall').argument('<name...>', 'names of installed packages'),
    ).action(
      leaving(io, (names: readonly string[]) =>
        withStore(io, (open) => uninstall(io, open, names)),
      ),
    ),
    'toolcrib uninstall weather-tools',
  );
