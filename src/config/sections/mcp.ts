/** The `mcp` section: the MCP servers whose tools are taken in. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { ALSO_WHEN_FAULTY, address, milliseconds, nonEmptyText, WHOLE } from './fields.ts';

const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const serverShape = z.strictObject({
  command: nonEmptyText
    .exactOptional()
    .describe('The program to start, for a server that speaks over stdio.')
    .meta(byProject('add')),
  args: z
    .array(z.string())
    .exactOptional()
    .describe('Arguments of the program.')
    .meta(byProject('add')),
  env: z
    .record(
      z.string().regex(/^[^=]+$/, 'a variable name is not empty and holds no "="'),
      z.string().describe('The value of one variable of the program.').meta(byProject('add')),
    )
    .exactOptional()
    .describe('The environment of the program; it gets these variables and no others of yours.'),
  url: address(['http', 'https', 'ws', 'wss'])
    .exactOptional()
    .describe('The address of a server that is already running.')
    .meta(byProject('add')),
  transport: z
    .enum(['stdio', 'http', 'sse', 'websocket'])
    .exactOptional()
    .describe('How to speak to it; found out from command or url when absent.')
    .meta(byProject('add')),
  enabled: z
    .boolean()
    .exactOptional()
    .describe('false leaves the server out.')
    .meta(byProject('off')),
  timeoutMs: milliseconds
    .exactOptional()
    .describe('Milliseconds one request may take.')
    .meta(byProject('add')),
  maxRestarts: z
    .int()
    .min(0)
    .max(1000)
    .exactOptional()
    .describe('How often a server that died is started again before it is given up.')
    .meta(byProject('add')),
  healthCheckIntervalMs: milliseconds
    .exactOptional()
    .describe('Milliseconds between two looks at whether the server still answers.')
    .meta(byProject('add')),
});

/** What is wrong with the way the server is reached, and what to do about it. */
const faultOf = ({ command, url, transport }: z.output<typeof serverShape>): string | undefined => {
  if (command === undefined && url === undefined) {
    return 'say how to reach the server: "command" for a program to start, or "url" for one that is running';
  }
  if (command !== undefined && url !== undefined) {
    return 'has both "command" and "url"; keep "command" for a program to start, or "url" for one that is running';
  }
  const overStdio = command !== undefined;
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

export const mcpSection = z
  .strictObject({
    enabled: z
      .boolean()
      .describe('Take tools in from MCP servers.')
      .meta(byProject('off'))
      .default(true),
    servers: z
      .record(
        z
          .string()
          .regex(
            SERVER_NAME,
            'a server name is 1 to 64 letters, digits, "_" or "-" and starts with a letter or digit',
          ),
        server,
      )
      .describe('The servers, by name.')
      .default({}),
  })
  .describe('MCP servers whose tools are taken in.')
  .prefault({});
