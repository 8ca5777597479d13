/** `toolcrib mcp`: the project's tools for an MCP client, over stdio or HTTP on this machine. */
import { type Command, Option } from 'commander';
import type { Caller } from '../../contract/caller.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { compact } from '../../kit/data/compact.ts';
import { errorCodeOf, reasonOf } from '../../kit/data/reason-of.ts';
import type { McpIdentity, McpSurfaceOptions } from '../../surfaces/mcp/mcp-options.ts';
import { collect, leaving, withExamples } from '../command-actions.ts';
import { callerFrom } from '../input/caller-options.ts';
import { MAX_PORT, misuse, wholeNumber } from '../input/misuse.ts';
import { type Io, note, type OpenCrib, surfaceRuntime } from '../io.ts';
import { approvalDescriber } from '../output/describe-approval.ts';
import { programVersion } from '../package-files.ts';
import { firstLists } from '../session/find-tool.ts';
import { switchOnSignal } from '../session/log-signals.ts';
import { awaitEnd } from '../session/on-interrupt.ts';
import { openCrib } from '../session/open-crib.ts';

interface McpOptions {
  readonly surface?: 'full' | 'search' | 'code';
  readonly servers?: readonly string[];
  readonly client?: string;
  readonly user?: string;
  readonly role?: readonly string[];
  readonly http?: number;
  readonly approvals?: 'elicit' | 'inbox';
}

const TOKEN = 'MCP_BEARER_TOKEN';
/** Columns of an approval: wide enough for paths, narrow enough for a dialog. */
const WIDTH = 88;

const callerOf = ({ client, user, role }: McpOptions): Partial<Caller> =>
  callerFrom({
    agent: client ?? 'mcp',
    ...compact({ user, role }),
  });

const surfaceOptions = async (
  io: Io,
  options: McpOptions,
  { loaded, logging }: OpenCrib,
): Promise<McpSurfaceOptions> => ({
  runtime: surfaceRuntime(io, logging.log),
  version: programVersion(),
  caller: callerOf(options),
  flows: loaded.config.mcp.flows,
  describe: await approvalDescriber(WIDTH),
  ...(options.surface && { surface: options.surface }),
  ...(options.servers && { servers: options.servers }),
  ...(options.approvals && { approvals: options.approvals }),
});

interface Serving {
  readonly crib: Crib;
  readonly options: McpSurfaceOptions;
}

const overStdio = async (io: Io, { crib, options }: Serving): Promise<void> => {
  const [{ createMcpSurface }, { gatherWrites, StrictLines }, { StdioServerTransport }] =
    await Promise.all([
      import('../../surfaces/mcp/create-mcp-surface.ts'),
      import('../../surfaces/mcp/call/strict-lines.ts'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
  const surface = await createMcpSurface(crib, options);
  const stdout = gatherWrites(io.stdout);
  const lines = io.stdin.pipe(new StrictLines((line) => void stdout.write(line)));
  const { closed } = await surface.connect(new StdioServerTransport(lines, stdout));
  const { ended, release } = awaitEnd(io);
  await Promise.race([closed, ended]);
  release();
  // A piped stdin would keep the process alive for as long as the client keeps its end open.
  io.stdin.unpipe(lines).pause();
  await surface.close();
};

/** Makes the failure that explains why the port cannot be used. */
const noPort = (error: unknown): ToolFailure => {
  const isTaken = errorCodeOf(error) === 'EADDRINUSE';
  const message = isTaken ? 'is in use by another program' : 'cannot be listened on';
  return new ToolFailure('CONFLICT', `The port ${message}.`, {
    suggestions: ['Choose another one with --http; 0 takes any that is free.'],
  });
};

const overHttp = async (io: Io, { crib, options }: Serving, port: number): Promise<void> => {
  const [{ createMcpSurface }, { bearerToken, newToken, serveMcpHttp }] = await Promise.all([
    import('../../surfaces/mcp/create-mcp-surface.ts'),
    import('../../surfaces/mcp/http/serve-mcp-http.ts'),
  ]);
  const own = io.env[TOKEN];
  const token = own !== undefined && own !== '' ? own : newToken();
  const caller = options.caller ?? {};
  const identity: McpIdentity = { key: caller.agentId ?? 'mcp', caller };
  const http = { authenticate: bearerToken(token, identity) };
  const surface = await createMcpSurface(crib, { ...options, http });
  const listening = serveMcpHttp(surface, { port, log: options.runtime.log });
  const server = await listening.catch(async (error: unknown) => {
    await surface.close();
    throw noPort(error);
  });
  note(io, `MCP at ${server.url}`);
  note(io, own === token ? `Token: the one in ${TOKEN}` : `Token: ${token}`);
  const { ended, release } = awaitEnd(io);
  await ended;
  release();
  await surface.close();
  await server.close();
};

/** Continues runs that ended processes left behind, once the tools of their steps are listed. */
const continueRuns = ({ crib, logging }: OpenCrib, listed: Promise<void>): void => {
  listed
    .then(() => crib.continueFlows())
    .catch((error: unknown) => {
      logging.log.warn('runs of flows are not continued', { cause: reasonOf(error) });
    });
};

const serve = async (io: Io, options: McpOptions): Promise<number> => {
  if (options.servers && options.surface !== 'full') {
    throw misuse('--servers goes with --surface full only.');
  }
  const open = await openCrib(io, undefined, { watch: true, waits: false, service: 'mcp' });
  const { crib, logging } = open;
  const stopSwitching = switchOnSignal(io, logging);
  const listed = firstLists(io, crib);
  try {
    const own = await surfaceOptions(io, options, open);
    const serving = { crib, options: { ...own, listed } };
    continueRuns(open, listed);
    const { http } = options;
    await (http === undefined ? overStdio(io, serving) : overHttp(io, serving, http));
    return 0;
  } finally {
    await crib.close();
    stopSwitching();
    await logging.service?.close();
  }
};

export const mcpCommand = (program: Command, io: Io): Command => {
  const command = program
    .command('mcp')
    .addOption(
      new Option('--surface <kind>', 'all tools, or few that find or program the others')
        .choices(['full', 'search', 'code'])
        .default('full'),
    )
    .option(
      '--servers <names>',
      'only the tools of these MCP servers; several between commas, or repeated',
      collect,
    )
    .option(
      '--client <name>',
      'the name of this client as an agent, in rules, budgets and the record',
    )
    .option('--user <id>', 'as this user')
    .option(
      '--role <role>',
      'in this role, with no permissions but those of roles and grants; can be repeated',
      collect,
    )
    .addOption(
      new Option('--approvals <way>', 'ask through the client where it can, or only in the inbox')
        .choices(['elicit', 'inbox'])
        .default('elicit'),
    )
    .option(
      '--http <port>',
      `HTTP on 127.0.0.1 instead; clients send the token in ${TOKEN}, or the one printed`,
      wholeNumber('--http', 0, MAX_PORT),
    )
    .action(leaving(io, (options: McpOptions) => serve(io, options)));
  return withExamples(
    command,
    'toolcrib mcp',
    'toolcrib mcp --surface search --client cursor',
    'toolcrib mcp --http 7421',
  );
};
