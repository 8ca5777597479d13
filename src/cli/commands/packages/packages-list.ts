/** `toolcrib packages list`: the installed packages and their state. */
import type { Command } from 'commander';
import type { CribHost } from '../../../contract/crib-host.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

const listed = (crib: CribHost) => {
  const states = crib.sources.list().filter(({ kind }) => kind === 'package');
  return crib.packages.list().map((one) => {
    const status = states.find(({ name }) => name === one.name);
    const { state = 'unread', lastError, refused = [] } = status ?? {};
    return { ...one, state, refused, ...(lastError !== undefined && { lastError }) };
  });
};

const show = (io: Io, packages: ReturnType<typeof listed>): void => {
  if (packages.length === 0) {
    print(io, 'No package is installed.');
    hint(io, 'Install one: toolcrib install <name, folder or address>');
    return;
  }
  const rows = packages.map(({ name, version, target, state, tools, lastError }) => [
    { text: name, paint: io.ink.bold },
    version,
    target,
    { text: state, paint: state === 'ready' ? io.ink.green : io.ink.red },
    { text: String(tools.length), align: 'right' as const },
    { text: lastError ?? '', paint: io.ink.dim },
  ]);
  printTable(io, ['name', 'version', 'for', 'state', 'tools', ''], rows);
};

export const packagesListCommand = (packages: Command, io: Io): Command =>
  withExamples(
    withJson(packages.command('list', { isDefault: true })).action(
      leaving(io, () =>
        withStore(io, async ({ crib }) => {
          const list = listed(crib);
          if (io.json) printJson(io, { packages: list });
          else show(io, list);
          return 0;
        }),
      ),
    ),
    'toolcrib packages',
    'toolcrib packages list --json',
  );
