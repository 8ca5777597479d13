/** The server behind every proxy: one tool that says what it was told, on the official SDK, over stdio. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const echo = {
  name: 'echo',
  description: 'Says what it was told.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
};

serveStdio(() => {
  const product = new McpServer(
    { name: 'echo', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  const { server } = product;
  server.setRequestHandler('tools/list', () => ({ tools: [echo] }));
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: String(params.arguments?.text) }],
  }));
  return product;
});
