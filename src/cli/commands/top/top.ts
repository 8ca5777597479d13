/** `toolcrib top`: what happens now, on one screen: calls, failures, spending, approvals, servers, jobs. */
import { type Command, Option } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, type OpenCrib, print, printJson } from '../../io.ts';
import { localPerson } from '../../session/local-person.ts';
import { awaitEnd } from '../../session/on-interrupt.ts';
import { withStore } from '../../session/open-crib.ts';
import { tokensOf } from '../../session/open-tokens.ts';
import { findServe } from '../../session/running-server.ts';
import { drawTop } from './draw-top.ts';
import { cribSource } from './read-crib.ts';
import { serverSource } from './read-server.ts';
import { SORTS, type TopSort } from './screen-text.ts';
import { readSnapshot, type TopSource } from './top-snapshot.ts';
import { watchTop } from './watch-top.ts';

interface TopOptions {
  readonly server?: string;
  readonly interval: string;
  readonly sort: TopSort;
  readonly once?: boolean;
}

const TOKEN = 'TOOLCRIB_TOKEN';
const TOKEN_LIFE_MS = 600_000;
/** The size of a frame that is printed without a terminal. */
const PLAIN_SIZE = { columns: 80, rows: 24 };

const intervalOf = (text: string): number => {
  const seconds = Number(text);
  if (seconds >= 0.5 && seconds <= 3600) return seconds * 1000;
  throw misuse('--interval takes seconds, from 0.5 to 3600.');
};

/** Reads from a server that the user named, with the token of the environment. */
const namedServer = (io: Io, text: string): TopSource => {
  const token = io.env[TOKEN];
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw misuse('--server takes an address such as http://127.0.0.1:7420.');
  }
  if (token === undefined || token === '') {
    throw new ToolFailure('AUTH_MISSING', `A server needs a token in ${TOKEN}.`, {
      suggestions: ['Make one there: toolcrib tokens create top --role viewer'],
    });
  }
  return serverSource({ url: new URL(text).origin, token: async () => token });
};

/** Reads from the server of this folder, with its own tokens, which it revokes at the end. */
const ownServer = (io: Io, { crib }: OpenCrib, url: string): TopSource => {
  let current: string | undefined;
  const revoke = async (): Promise<void> => {
    if (current !== undefined) await (await tokensOf(io, crib)).revoke(current);
    current = undefined;
  };
  return serverSource({
    url,
    token: async () => {
      await revoke();
      const now = io.runtime.now();
      const request = { name: `top-${process.pid}-${now}`, role: 'viewer' } as const;
      const tokens = await tokensOf(io, crib);
      const made = await tokens.create(
        { ...request, expiresAt: now + TOKEN_LIFE_MS },
        localPerson(),
      );
      current = made.record.id;
      return made.token;
    },
    close: revoke,
  });
};

/**
 * Reads from the server of this folder when one runs, because it knows running calls and the state of MCP
 * servers; otherwise from the store.
 */
const localSource = async (io: Io, open: OpenCrib): Promise<TopSource> => {
  const running = await findServe(open.loaded.userDir, open.root);
  return running ? ownServer(io, open, running.url) : cribSource(open.crib, open.root);
};

const showOnce = async (io: Io, source: TopSource, { sort }: TopOptions): Promise<void> => {
  const snapshot = await readSnapshot(source, io.runtime.now());
  if (io.json) return printJson(io, snapshot);
  const { columns, rows } = io.stdout;
  const size = io.stdout.isTTY === true ? { columns, rows } : PLAIN_SIZE;
  const view = { ...size, sort, isPaused: false, showsHelp: false, rates: [] };
  // The last line names keys, which cannot be pressed here.
  const lines = drawTop(snapshot, view, io.ink).slice(0, -1);
  print(io, lines.join('\n').trimEnd());
};

const show = async (
  io: Io,
  open: () => Promise<TopSource>,
  options: TopOptions,
): Promise<number> => {
  const intervalMs = intervalOf(options.interval);
  const isLive = io.stdout.isTTY === true && io.stdin.isTTY === true;
  let source = await open();
  const reopen = async (): Promise<TopSource> => {
    await source.close();
    source = await open();
    return source;
  };
  try {
    if (options.once || io.json || !isLive) await showOnce(io, source, options);
    else {
      const { ended, release } = awaitEnd(io);
      await watchTop(io, source, { intervalMs, sort: options.sort, reopen, ended }).finally(
        release,
      );
    }
    return 0;
  } finally {
    await source.close();
  }
};

const top = (io: Io, options: TopOptions): Promise<number> => {
  const { server } = options;
  if (server !== undefined) return show(io, async () => namedServer(io, server), options);
  return withStore(io, (open) => show(io, () => localSource(io, open), options));
};

export const topCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('top'))
      .option('--server <url>', `read from this server, with the token in ${TOKEN}`)
      .option('--interval <seconds>', 'seconds between two readings', '2')
      .addOption(new Option('--sort <by>', 'the order of tools').choices(SORTS).default('calls'))
      .option('--once', 'print one frame and exit; the default without a terminal')
      .action(leaving(io, (options: TopOptions) => top(io, options))),
    'toolcrib top',
    'toolcrib top --sort failed --interval 5',
    'toolcrib top --server https://crib.example.com --once',
  );
