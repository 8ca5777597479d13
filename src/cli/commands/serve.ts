/** `toolcrib serve`: the project's tools over HTTP, with the MCP endpoint and the web console. */
import type { Command } from 'commander';
import type { Logger } from '../../contract/runtime.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import type { RunningServer, ServerDeps } from '../../server/open-server.ts';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { MAX_PORT, wholeNumber } from '../input/misuse.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { approvalDescriber } from '../output/describe-approval.ts';
import { counted } from '../output/format-units.ts';
import { consoleFolder, programVersion } from '../package-files.ts';
import { type OpenCrib, openCrib } from '../session/open-crib.ts';
import { announceServe } from '../session/running-server.ts';
import { createServerEditor } from './servers/server-editor.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly console: boolean;
  readonly open?: boolean;
}

/** Wide enough for paths, narrow enough for a page. */
const WIDTH = 88;
const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What is wrong is said on stderr, where a service manager picks it up. */
const troubles = (io: Io): Logger => {
  const say = (message: string, fields: object = {}) =>
    note(io, visibleText(`serve: ${message} ${JSON.stringify(fields)}`));
  return { debug: () => undefined, info: () => undefined, warn: say, error: say };
};

/** Runs the checks of `doctor`, without verifying the whole audit trail. */
const doctor =
  (io: Io, { crib, loaded, root }: OpenCrib) =>
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
      ...(await machine.checkSandboxes(crib)),
      machine.checkModel(loaded),
    ];
    return checks.map(({ name, state, message, fix }) => ({
      name,
      ok: state === 'ok',
      detail: message,
      ...(fix !== undefined && { fix }),
    }));
  };

const siteOf = async (io: Io, open: OpenCrib, options: ServeOptions): Promise<ServerDeps> => {
  const { crib, loaded } = open;
  const { server } = loaded.config;
  const folder = options.console && server.console ? await consoleFolder() : undefined;
  return {
    crib,
    loaded,
    runtime: { ...io.runtime, log: troubles(io) },
    version: programVersion(),
    env: io.env,
    host: options.host ?? server.host,
    port: options.port ?? server.port,
    ...(folder !== undefined && { consoleFolder: folder }),
    doctor: doctor(io, open),
    describe: await approvalDescriber(WIDTH),
    serverEditor: createServerEditor(io, open),
  };
};

const announce = (io: Io, server: RunningServer, deps: ServerDeps): string | undefined => {
  const link = deps.consoleFolder === undefined ? undefined : server.consoleLink();
  const { url } = server;
  if (io.json) {
    printJson(io, { url, mcp: `${url}/mcp`, ...(link !== undefined && { console: link }) });
    return link;
  }
  print(io, `${io.ink.green('✓')} Toolcrib ${deps.version} at ${io.ink.bold(url)}`);
  if (link !== undefined) print(io, `  Console  ${link}`);
  print(io, `  MCP      ${url}/mcp`, `  API      ${url}/docs`);
  const once = 'The console link is good once, for ten minutes; a fresh one: toolcrib console. ';
  const hint = `${link === undefined ? '' : once}Tokens: toolcrib tokens create`;
  note(io, io.noteInk.dim(`  ${hint}`));
  return link;
};

/** A new link for whoever can send the process a signal: `kill -USR2`, `systemctl kill -s USR2`. */
const relink = (io: Io, server: RunningServer): (() => void) => {
  if (process.platform === 'win32') return () => undefined;
  const tell = () => note(io, `Console  ${server.consoleLink()}`);
  io.signals.on('SIGUSR2', tell);
  return () => io.signals.off('SIGUSR2', tell);
};

/** Resolves when somebody wants the program to end; who asks twice does not want to wait. */
const ending = (io: Io): { readonly asked: Promise<void>; release(): void } => {
  let end: () => void = () => undefined;
  let times = 0;
  const asked = new Promise<void>((resolve) => {
    end = resolve;
  });
  const heard = () => {
    if (++times > 1) io.signals.exit(1);
    end();
  };
  for (const name of ENDINGS) io.signals.on(name, heard);
  return {
    asked,
    release: () => {
      for (const name of ENDINGS) io.signals.off(name, heard);
    },
  };
};

const serve = async (io: Io, options: ServeOptions): Promise<number> => {
  const open = await openCrib(io, undefined, { watch: true });
  const { asked, release } = ending(io);
  try {
    const deps = await siteOf(io, open, options);
    const { openServer } = await import('../../server/open-server.ts');
    const server = await openServer(deps);
    // Before anybody can know of the process: a signal that nobody hears ends it.
    const stop = relink(io, server);
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
    await asked;
    stop();
    await withdraw();
    const under = server.running();
    note(io, `Stopping${under > 0 ? `: waiting for ${counted(under, 'call')}` : ''}.`);
    const left = await server.close();
    if (left > 0) note(io, `${counted(left, 'call')} did not end in time and had to be cancelled.`);
    return 0;
  } finally {
    await open.crib.close();
    release();
  }
};

export const serveCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(
      program
        .command('serve')
        .description('serve the tools over HTTP, with the MCP endpoint and the web console'),
    )
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
