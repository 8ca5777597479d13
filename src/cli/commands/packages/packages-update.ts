/** `toolcrib update` and `toolcrib outdated`: newer versions of installed packages. */
import type { Command } from 'commander';
import type { UpdateInfo, UpdateResult } from '../../../contract/packages.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printDone, printJson, warn } from '../../io.ts';
import { whileShown } from '../../output/progress-line.ts';
import { printTable } from '../../output/table.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { type AgreeOptions, agreement, settleQuarantine } from './install-with.ts';
import { showReview } from './package-page.ts';

interface UpdateCommandOptions extends AgreeOptions {
  readonly to?: string;
}

const showUpdate = (io: Io, result: UpdateResult): void => {
  const { name, before, version, change, diff, warnings } = result;
  printDone(io, `Updated ${name}: ${before} → ${version}`);
  for (const [word, tools] of Object.entries(change)) {
    if (tools.length > 0) print(io, visibleText(`  ${word}: ${tools.join(', ')}`));
  }
  if (diff !== '') print(io, ...diff.trimEnd().split('\n'));
  warn(io, ...warnings.map(visibleText));
};

const update = async (
  io: Io,
  open: OpenCrib,
  { names, options }: { readonly names: readonly string[]; readonly options: UpdateCommandOptions },
): Promise<number> => {
  const { packages } = open.crib;
  const all = names.length > 0 ? names : packages.list().map(({ name }) => name);
  const results: UpdateResult[] = [];
  for (const name of all) {
    const agree = agreement(io, options, (review) => showReview(io, review));
    const version = options.to === undefined ? {} : { version: options.to };
    const result = await packages.update(name, { ...agree, ...version });
    results.push(result);
    if (io.json) continue;
    if (result.changed) showUpdate(io, result);
    else print(io, `${name} ${result.version} is up to date.`);
    await settleQuarantine(io, open, name);
  }
  if (io.json) printJson(io, { updated: results });
  else if (all.length === 0) print(io, 'No package is installed.');
  return 0;
};

export const updateCommand = (parent: Command, io: Io): Command =>
  withExamples(
    withJson(parent.command('update').argument('[name...]', 'installed packages; all by default'))
      .option('--to <version>', 'the version or range to install')
      .option('-y, --yes', 'do not ask')
      .action(
        leaving(io, (names: readonly string[], options: UpdateCommandOptions) =>
          withStore(io, (open) => update(io, open, { names, options })),
        ),
      ),
    'toolcrib update',
    'toolcrib update weather-tools --to 2.0.0',
  );

const rowOf = (io: Io, info: UpdateInfo) => [
  { text: info.name, paint: io.ink.bold },
  info.current,
  info.wanted ?? '',
  info.latest ?? '',
  { text: info.reason ?? (info.isOutdated ? 'outdated' : 'up to date'), paint: io.ink.dim },
];

const outdated = async (io: Io, { crib }: OpenCrib, name: string | undefined): Promise<number> => {
  const infos = await whileShown(io, 'Asking the registry', () =>
    crib.packages.checkForUpdates(name),
  );
  if (io.json) printJson(io, { packages: infos });
  else if (infos.length === 0) print(io, 'No package is installed.');
  else {
    printTable(
      io,
      ['name', 'current', 'wanted', 'latest', ''],
      infos.map((info) => rowOf(io, info)),
    );
  }
  return 0;
};

export const outdatedCommand = (parent: Command, io: Io): Command =>
  withExamples(
    withJson(parent.command('outdated').argument('[name]', 'one installed package')).action(
      leaving(io, (name: string | undefined) => withStore(io, (open) => outdated(io, open, name))),
    ),
    'toolcrib outdated',
  );
