/** `toolcrib install` and `toolcrib uninstall`: packages of tools. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { InstallationReview } from '../../../contract/packages.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, warn } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { type AgreeOptions, agreement, settleQuarantine } from './install-with.ts';
import { showReview } from './package-page.ts';

export interface InstallCommandOptions extends AgreeOptions {
  readonly project?: boolean;
  readonly dryRun?: boolean;
}

/** Fetches the package and looks through it; nothing is written. */
const tryInstall = async (
  io: Io,
  { crib }: OpenCrib,
  { source, target }: { readonly source: string; readonly target: 'user' | 'project' },
): Promise<void> => {
  let review: InstallationReview | undefined;
  const confirm = async (made: InstallationReview): Promise<boolean> => {
    review = made;
    return false;
  };
  await crib.packages.install(source, { target, confirm }).catch((error: unknown) => {
    if (!(error instanceof ToolFailure) || error.code !== 'USER_CANCELLED') throw error;
  });
  if (io.json) return printJson(io, { wouldInstall: review ?? null });
  if (review) showReview(io, review);
  print(io, review ? 'Nothing was installed: this was a dry run.' : 'It is installed already.');
};

export const installOne = async (
  io: Io,
  open: OpenCrib,
  request: { readonly source: string; readonly options: InstallCommandOptions },
): Promise<number> => {
  const { source, options } = request;
  const target = options.project === true ? 'project' : 'user';
  if (options.dryRun === true) {
    await tryInstall(io, open, { source, target });
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
  print(
    io,
    `${io.ink.green('✓')} ${done} ${name} ${version}: ${counted(installed.tools.length, 'tool')}`,
  );
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
    if (!io.json) print(io, `${io.ink.green('✓')} Uninstalled ${visibleText(name)}`);
  }
  if (io.json) printJson(io, { uninstalled: names });
  else note(io, io.noteInk.dim('To remove its tools from the lock: toolcrib tools lock --prune'));
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
