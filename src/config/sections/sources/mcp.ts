/** The `mcp` section: MCP servers whose tools are loaded. */
import { z } from 'zod';
import { SERVER_TRANSPORTS } from '../../../contract/servers.ts';
import {
  ALSO_WHEN_FAULTY,
  address,
  milliseconds,
  nonEmptyText,
  positiveCount,
  toolName,
  WHOLE,
} from '../fields.ts';
import { described, optionalSetting, section, setting } from '../setting.ts';
import { FLOW, HEADERS, SECRET, SOURCE_NAME, tier, toolSettings } from './source-fields.ts';

const flowName = z
  .string()
  .regex(/^(?:\*|[A-Za-z0-9][A-Za-z0-9_.:-]{0,127})$/, 'expected the name of a flow, or *');

const sandboxSettings = z.strictObject({
  read: optionalSetting(z.array(nonEmptyText), {
    about: 'Files and folders it may read, from the workspace on; nothing else of yours is seen.',
    project: 'add',
  }),
  write: optionalSetting(z.array(nonEmptyText), {
    about: 'Files and folders it may read and write.',
    project: 'add',
  }),
  hosts: optionalSetting(z.array(nonEmptyText), {
    about: 'Hosts it may reach, by http and https; none when absent.',
    project: 'add',
  }),
  memoryMb: optionalSetting(positiveCount, {
    about: 'Megabytes of memory; 1024 when absent.',
    project: 'add',
  }),
  processes: optionalSetting(positiveCount, {
    about: 'Processes at the same time; 128 when absent.',
    project: 'add',
  }),
});

const oauthSettings = z.strictObject({
  clientId: optionalSetting(nonEmptyText, {
    about: 'The client id, where Toolcrib was registered by hand.',
    project: 'user',
  }),
  scope: optionalSetting(nonEmptyText, {
    about: 'The scopes to ask for, instead of what the server names.',
    project: 'user',
  }),
  redirectPort: optionalSetting(z.int().min(1).max(65_535), {
    about: 'The port of the redirect address, where it was registered by hand.',
    project: 'user',
  }),
});

const CONNECTION = {
  command: optionalSetting(nonEmptyText, {
    about: 'The program to start, for a server that speaks over stdio.',
    project: 'add',
  }),
  args: optionalSetting(z.array(z.string()), {
    about: 'Arguments of the program.',
    project: 'add',
  }),
  env: optionalSetting(
    z.record(
      z.string().regex(/^[^=]+$/, 'a variable name is not empty and holds no "="'),
      described(z.string(), {
        about: `The value of one variable of the program; ${SECRET} stands for a secret.`,
        project: 'add',
      }),
    ),
    { about: 'The environment of the program; it gets these variables and no others of yours.' },
  ),
  cwd: optionalSetting(nonEmptyText, {
    about: 'The folder the program starts in; the workspace when absent.',
    project: 'user',
  }),
  url: optionalSetting(address(['http', 'https', 'ws', 'wss']), {
    about: 'The address of a server that is already running.',
    project: 'add',
  }),
  headers: HEADERS,
  transport: optionalSetting(z.enum(SERVER_TRANSPORTS), {
    about: 'How to speak to it; found out from command or url when absent.',
    project: 'add',
  }),
  enabled: optionalSetting(z.boolean(), {
    about: 'false leaves the server out.',
    project: 'off',
  }),
};

const TRUST = {
  ...FLOW,
  tier: optionalSetting(tier, {
    about: 'How risky its tools are; external_api, which asks every time, when absent.',
    project: 'user',
  }),
  tools: optionalSetting(
    z.record(toolName, toolSettings.describe('One tool, under the name the server gives it.')),
    { about: 'What you say of single tools of the server.' },
  ),
  roots: optionalSetting(z.boolean(), {
    about: 'true tells the server which folder is the workspace.',
    project: 'user',
  }),
  sampling: optionalSetting(z.boolean(), {
    about:
      'true lets the server ask the language model of the MCP client whose call runs, if that client can; refused when absent.',
    project: 'user',
  }),
  sandbox: optionalSetting(
    sandboxSettings.describe('What a program that is started here can see and use.'),
    {
      about:
        'Starts the program in the process sandbox, which needs bubblewrap on Linux; without it, it can do what you can.',
    },
  ),
  oauth: optionalSetting(oauthSettings.describe('How to log in.'), {
    about: 'How to log in to a remote server.',
  }),
};

const LIMITS = {
  timeoutMs: optionalSetting(milliseconds, {
    about: 'Milliseconds a request may go without an answer or a sign of progress.',
    project: 'add',
  }),
  maxCallMs: optionalSetting(milliseconds, {
    about: 'Milliseconds a call may take in all, however much progress it shows.',
    project: 'add',
  }),
  maxRestarts: optionalSetting(z.int().min(0).max(1000), {
    about: 'How often a server that died is started again before it is given up.',
    project: 'add',
  }),
  healthCheckIntervalMs: optionalSetting(milliseconds, {
    about: 'Milliseconds between two looks at whether the server still answers.',
    project: 'add',
  }),
  idleMs: optionalSetting(milliseconds, {
    about: 'Milliseconds without a call after which the server is ended until the next one.',
    project: 'add',
  }),
  maxMessageBytes: optionalSetting(positiveCount, {
    about: 'The largest message that is read; a server that sends a larger one is restarted.',
    project: 'add',
  }),
  maxOutputBytes: optionalSetting(positiveCount, {
    about: 'The largest result of a tool of this server.',
    project: 'add',
  }),
};

const serverShape = z.strictObject({ ...CONNECTION, ...TRUST, ...LIMITS });

/** Finds contradictions between the settings of a server, and says what to do. */
const faultOf = (server: z.output<typeof serverShape>): string | undefined => {
  const { command, url, transport, sandbox, oauth } = server;
  if (command === undefined && url === undefined) {
    return 'say how to reach the server: "command" for a program to start, or "url" for one that is running';
  }
  if (command !== undefined && url !== undefined) {
    return 'has both "command" and "url"; keep "command" for a program to start, or "url" for one that is running';
  }
  const overStdio = command !== undefined;
  if (sandbox !== undefined && !overStdio) {
    return 'only a program that is started here has a "sandbox"; a server with "url" runs elsewhere';
  }
  if (sandbox !== undefined && Object.keys(sandbox).length === 0) {
    return 'say what the sandbox lets the program see; "read: []" shows it nothing of yours';
  }
  if (oauth !== undefined && overStdio) {
    return 'only a server with "url" is logged in to; give a program its credentials in "env"';
  }
  if (transport === undefined || (transport === 'stdio') === overStdio) return undefined;
  return overStdio
    ? `transport ${transport} needs "url"; a server with "command" speaks stdio`
    : 'transport stdio needs "command"; a server with "url" speaks http, sse or websocket';
};

const server = serverShape
  .superRefine((value, context) => {
    const message = faultOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', params: WHOLE, message });
  }, ALSO_WHEN_FAULTY)
  .describe('One MCP server, under its name.');

export const mcpSection = section(
  z.strictObject({
    enabled: setting(z.boolean(), {
      about: 'Take tools in from MCP servers.',
      project: 'off',
      default: true,
    }),
    startTimeoutMs: setting(milliseconds, {
      about: 'Milliseconds a server may take to start; tools of one that is late come later.',
      project: 'lower',
      default: 10_000,
    }),
    servers: setting(
      z.record(
        z
          .string()
          .regex(
            SOURCE_NAME,
            'a server name is 1 to 64 letters, digits, "_" or "-" and starts with a letter or digit',
          ),
        server,
      ),
      { about: 'The servers, by name.', default: {} },
    ),
    flows: setting(z.array(flowName).max(1000), {
      about: 'The flows that MCP clients find among the tools, by name; * is all of them.',
      project: 'subset',
      default: ['*'],
    }),
  }),
  'MCP servers whose tools are taken in, and flows that MCP clients are offered.',
);
