/** `toolcrib serve`: the project's tools over HTTP, with the MCP endpoint and the web console. */
import type { Command } from 'commander';
import type { RunningServer } from '../../server/open-server.ts';
import type { ServerDeps } from '../../server/server-deps.ts';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { MAX_PORT, wholeNumber } from '../input/misuse.ts';
import { hint, type Io, note, print, printDone, printJson, surfaceRuntime } from '../io.ts';
import { approvalDescriber } from '../output/describe-approval.ts';
import { counted } from '../output/format-units.ts';
import { consoleFolder, programVersion } from '../package-files.ts';
import { awaitEnd, endingOf } from '../session/on-interrupt.ts';
import { type OpenCrib, openCrib } from '../session/open-crib.ts';
import { announceServe } from '../session/running-server.ts';
import { type ModuleOptions, registerModules, withModules } from './flow/flow-modules.ts';
import { createServerEditor } from './servers/server-editor.ts';
import { createSourceEditor } from './sources/source-editor.ts';

interface ServeOptions extends ModuleOptions {
  readonly host?: string;
  readonly port?: number;
  readonly console: boolean;
  readonly open?: boolean;
}

/** Columns of an approval: wide enough for paths, narrow enough for a page. */
const WIDTH = 88;

/** Runs the checks of `doctor` on the machine; those of the crib are at `/v1/health`. */
const doctor =
  (io: Io, { loaded, root }: OpenCrib) =>
  async () => {
    const machine = await import('./doctor/machine-checks.ts');
    const project = await import('./doctor/project-checks.ts');
    const { node } = process.versions;
    const checks = [
      machine.checkNode(node),
      await machine.checkSqlite(node),
      await machine.checkRipgrep(io),
      ...project.checkTrust(loaded),
      await project.checkWorkspace(loaded, root),
    ];
    return checks.map(({ name, state, message, fix }) => ({
      name,
      ok: state === 'ok',
      detail: message,
      ...(fix !== undefined && { fix }),
    }));
  };

const serverDeps = async (io: Io, open: OpenCrib, options: ServeOptions): Promise<ServerDeps> => {
  const { crib, loaded, logging } = open;
  const { server } = loaded.config;
  const folder = options.console && server.console ? await consoleFolder() : undefined;
  return {
    crib,
    loaded,
    runtime: surfaceRuntime(io, logging.log),
    logLevels: logging.service?.levels,
    version: programVersion(),
    env: io.env,
    host: options.host ?? server.host,
    port: options.port ?? server.port,
    ...(folder !== undefined && { consoleFolder: folder }),
    doctor: doctor(io, open),
    describe: await approvalDescriber(WIDTH),
    serverEditor: createServerEditor(io, open),
    sourceEditor: createSourceEditor(io, open),
  };
};

const announce = (io: Io, server: RunningServer, deps: ServerDeps): string | undefined => {
  const link = deps.consoleFolder === undefined ? undefined : server.consoleLink();
  const { url } = server;
  if (io.json) {
    printJson(io, { url, mcp: `${url}/mcp`, ...(link !== undefined && { console: link }) });
    return link;
  }
  printDone(io, `Toolcrib ${deps.version} at ${io.ink.bold(url)}`);
  if (link !== undefined) print(io, `  Console  ${link}`);
  print(io, `  MCP      ${url}/mcp`, `  API      ${url}/docs`);
  const once = 'The console link is good once, for ten minutes; a fresh one: toolcrib console. ';
  hint(io, `  ${link === undefined ? '' : once}Tokens: toolcrib tokens create`);
  return link;
};

/** Prints a fresh console link on SIGUSR2: `kill -USR2`, `systemctl kill -s USR2`. */
const printLinkOnSignal = (io: Io, server: RunningServer): (() => void) => {
  if (process.platform === 'win32') return () => undefined;
  const printLink = () => note(io, `Console  ${server.consoleLink()}`);
  io.signals.on('SIGUSR2', printLink);
  return () => io.signals.off('SIGUSR2', printLink);
};

const serve = async (io: Io, options: ServeOptions): Promise<number> => {
  const open = await openCrib(io, undefined, { watch: true, service: 'serve' });
  // A second signal means that the user does not want to wait.
  const { ended, release } = awaitEnd(io, endingOf(io, open.logging));
  try {
    await registerModules(io, open.crib, options);
    const deps = await serverDeps(io, open, options);
    const { openServer } = await import('../../server/open-server.ts');
    const server = await openServer(deps);
    // Installed before the process is announced: an unhandled SIGUSR2 would end it.
    const stopPrinting = printLinkOnSignal(io, server);
    const link = announce(io, server, deps);
    const withdraw = await announceServe(open.loaded.userDir, {
      pid: process.pid,
      url: server.url,
      root: open.root,
    });
    if (options.open && link !== undefined) {
      const { openBrowser } = await import('./servers/open-browser.ts');
      if (!(await openBrowser(io, new URL(link)))) note(io, 'No browser could be opened.');
    }
    await ended;
    stopPrinting();
    await withdraw();
    const running = server.running();
    note(io, `Stopping${running > 0 ? `: waiting for ${counted(running, 'call')}` : ''}.`);
    const left = await server.close();
    if (left > 0) note(io, `${counted(left, 'call')} did not end in time and had to be cancelled.`);
    return 0;
  } finally {
    await open.crib.close();
    await open.logging.service?.close();
    release();
  }
};

export const serveCommand = (program: Command, io: Io): Command =>
  withExamples(
    withModules(withJson(program.command('serve')))
      .option('--host <address>', 'listen on this address; server.host otherwise')
      .option(
        '--port <number>',
        'listen on this port; server.port otherwise',
        wholeNumber('--port', 0, MAX_PORT),
      )
      .option('--no-console', 'without the web console')
      .option('--open', 'open the console in the browser')
      .action(leaving(io, (options: ServeOptions) => serve(io, options))),
    'toolcrib serve',
    'toolcrib serve --port 8080 --open',
  );
