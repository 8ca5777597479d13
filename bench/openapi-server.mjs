/** A local API that adds two numbers, and its document. Prints its address, and ends with its parent. */
import { createServer } from 'node:http';

const number = { type: 'integer', minimum: 0, maximum: 1_000_000_000 };

const document = {
  openapi: '3.1.0',
  info: { title: 'Sums', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  paths: {
    '/numbers/{a}/sum': {
      get: {
        operationId: 'add_numbers',
        summary: 'Adds two numbers.',
        parameters: [
          { name: 'a', in: 'path', required: true, schema: number },
          { name: 'b', in: 'query', required: true, schema: number },
        ],
        responses: {
          200: {
            description: 'The sum.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { sum: { type: 'integer' } },
                  required: ['sum'],
                },
              },
            },
          },
        },
      },
    },
  },
};

const send = (response, value) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

const server = createServer((request, response) => {
  if (request.url === '/openapi.json') return send(response, document);
  const [, a, b] = /^\/v1\/numbers\/(\d+)\/sum\?b=(\d+)$/.exec(request.url) ?? [];
  send(response, { sum: Number(a) + Number(b) });
});
server.listen(0, '127.0.0.1', () =>
  process.send({ origin: `http://127.0.0.1:${server.address().port}` }),
);
process.on('disconnect', () => process.exit());
