/** `toolcrib console`: a fresh link to the console of the server that runs here. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { hint, type Io, note, print, printJson } from '../io.ts';
import { askServer } from '../session/ask-server.ts';
import { withStore } from '../session/open-crib.ts';

interface ConsoleOptions {
  readonly open: boolean;
}

const openConsole = (io: Io, { open }: ConsoleOptions): Promise<number> =>
  withStore(io, async (opened) => {
    const { url, answer } = await askServer(io, opened, {
      method: 'POST',
      path: '/v1/session/codes',
      role: 'admin',
      body: { user: 'local', role: 'admin' },
    });
    const home = (opened.loaded.config.server.publicUrl ?? url).replace(/\/+$/, '');
    const link = `${home}/#code=${String((answer as { code?: unknown }).code)}`;
    if (io.json) {
      printJson(io, { console: link });
      return 0;
    }
    print(io, link);
    hint(io, 'The link is good once, for ten minutes.');
    if (open && io.stdout.isTTY === true) {
      const { openBrowser } = await import('./servers/open-browser.ts');
      if (!(await openBrowser(io, new URL(link)))) note(io, 'No browser could be opened.');
    }
    return 0;
  });

export const consoleCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('console'))
      .option('--no-open', 'only print the link')
      .action(leaving(io, (options: ConsoleOptions) => openConsole(io, options))),
    'toolcrib console',
    'toolcrib console --no-open',
  );
