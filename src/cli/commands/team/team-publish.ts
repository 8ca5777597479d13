/** `toolcrib team publish`, `rollback`, `history`, `key` and `rotate`: the bundles of a catalog. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { PublishedBundle, TeamKey } from '../../../contract/team.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { headRow, table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { entriesText, LOCAL, type ServerOptions, withCatalog, withServer } from './team-access.ts';

interface PublishOptions extends ServerOptions {
  readonly note?: string;
  readonly renew?: boolean;
}

const report = (io: Io, published: PublishedBundle): number => {
  if (io.json) printJson(io, published);
  else {
    const { serial, entries, restored } = published;
    const from = restored === undefined ? '' : `, the content of bundle ${restored}`;
    printDone(io, `Bundle ${serial}: ${entriesText(entries)}${from}`);
  }
  return 0;
};

const NOTE = ['--note <text>', 'the reason, for the history'] as const;

export const teamPublishCommand = (team: Command, io: Io): Command =>
  withExamples(
    withServer(withJson(team.command('publish')))
      .option(...NOTE)
      .option('--renew', 'publish the same content again, with a new time')
      .action(
        leaving(io, (options: PublishOptions) =>
          withCatalog(io, options, async (catalog) =>
            report(io, await catalog.publish(options, LOCAL)),
          ),
        ),
      ),
    'toolcrib team publish --note "the new linter"',
  );

export const teamRollbackCommand = (team: Command, io: Io): Command =>
  withExamples(
    withServer(
      withJson(
        team
          .command('rollback')
          .argument('<serial>', 'the bundle whose content is restored', wholeNumber('<serial>', 1)),
      ),
    )
      .option(...NOTE)
      .action(
        leaving(io, (serial: number, options: PublishOptions) =>
          withCatalog(io, options, async (catalog) =>
            report(io, await catalog.rollBack(serial, options.note, LOCAL)),
          ),
        ),
      ),
    'toolcrib team rollback 4',
  );

const printKey = (io: Io, key: TeamKey): number => {
  if (io.json) printJson(io, key);
  else print(io, `${io.ink.bold(visibleText(key.org))}  ${visibleText(key.fingerprint)}`);
  return 0;
};

export const teamKeyCommand = (team: Command, io: Io): Command =>
  withExamples(
    withServer(withJson(team.command('key'))).action(
      leaving(io, (options: ServerOptions) =>
        withCatalog(io, options, async (catalog) => printKey(io, await catalog.key())),
      ),
    ),
    'toolcrib team key',
  );

const printHistory = (io: Io, bundles: readonly PublishedBundle[]): void => {
  if (bundles.length === 0) {
    note(io, 'Nothing was published yet: toolcrib team publish');
    return;
  }
  const rows = bundles.map(({ serial, publishedAt, publishedBy, entries, restored, note: why }) => [
    ...[String(serial), formatTime(publishedAt), visibleText(publishedBy), String(entries)],
    visibleText([restored && `restores ${restored}`, why].filter(Boolean).join('; ')),
  ]);
  print(io, ...table([headRow(['serial', 'when', 'by', 'entries', 'note'], io.ink), ...rows]));
};

export const teamHistoryCommand = (team: Command, io: Io): Command =>
  withExamples(
    withServer(withJson(team.command('history'))).action(
      leaving(io, (options: ServerOptions) =>
        withCatalog(io, options, async (catalog) => {
          const bundles = await catalog.history();
          if (io.json) printJson(io, bundles);
          else printHistory(io, bundles);
          return 0;
        }),
      ),
    ),
    'toolcrib team history',
  );

const rotate = (io: Io, { from }: { readonly from: string }): Promise<number> =>
  withStore(io, async ({ crib, loaded: { config, userDir: home } }) => {
    const { rotateTeamKey } = await import('../../../crib/team/open-team-catalog.ts');
    const deps = { crib, config, home, runtime: io.runtime };
    return report(io, await rotateTeamKey(deps, resolve(io.cwd, from), LOCAL));
  });

export const teamRotateCommand = (team: Command, io: Io): Command =>
  withExamples(
    withJson(team.command('rotate'))
      .requiredOption('--from <file>', 'the file of the key before')
      .action(leaving(io, (options: { readonly from: string }) => rotate(io, options))),
    'toolcrib team rotate --from old-signing.pem',
  );
