/** A server with as many tools as a large one has. `node mcp-many-tools-server.mjs <which> <how many>` */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { manyTools } from './crib-under-test.mjs';

const [which, count] = process.argv.slice(2).map(Number);
const tools = manyTools((tool) => tool, count * (which + 1))
  .slice(count * which)
  .map(({ name, description, input }) => ({ name, description, inputSchema: input }));

serveStdio(() => {
  const product = new McpServer(
    { name: 'many', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  product.server.setRequestHandler('tools/list', () => ({ tools }));
  product.server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: params.name }],
  }));
  return product;
});
