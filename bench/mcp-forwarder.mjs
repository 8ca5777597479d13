/**
 * A proxy as the libraries of peers let one be written, for what their programs do not offer:
 * `fastmcp` forwards its one tool, `mcp-proxy` forwards everything over stdio.
 *
 *   node mcp-forwarder.mjs fastmcp|mcp-proxy <port, or 0 for stdio> <program of the server>
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [library, port, program] = process.argv.slice(2);

const client = new Client({ name: 'forwarder', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [program] }));

const withFastmcp = async () => {
  const { FastMCP } = await import('fastmcp');
  const { z } = await import('zod');
  const server = new FastMCP({ name: 'forwarder', version: '1.0.0' });
  server.addTool({
    name: 'echo',
    description: 'Says what it was told.',
    parameters: z.object({ text: z.string() }),
    execute: async (input) => {
      const { content } = await client.callTool({ name: 'echo', arguments: input });
      return { content };
    },
  });
  const isStdio = port === '0';
  await server.start(
    isStdio
      ? { transportType: 'stdio' }
      : { transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1' } },
  );
};

const withMcpProxy = async () => {
  const { proxyServer } = await import('mcp-proxy');
  const { Server } = await import('@modelcontextprotocol/server');
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const serverCapabilities = client.getServerCapabilities() ?? {};
  const server = new Server(
    { name: 'forwarder', version: '1.0.0' },
    { capabilities: serverCapabilities },
  );
  await proxyServer({ client, server, serverCapabilities });
  await server.connect(new StdioServerTransport());
};

await (library === 'fastmcp' ? withFastmcp() : withMcpProxy());
