/** A local GraphQL service and a local gRPC server that add two numbers. Ends with its parent. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { buildSchema, graphql } from 'graphql';

const schema = buildSchema('type Query { "Adds two numbers." sum(a: Int!, b: Int!): Int! }');
const rootValue = { sum: ({ a, b }) => a + b };

const answer = async (request, response) => {
  const { query, variables } = await json(request);
  const result = await graphql({ schema, source: query, variableValues: variables, rootValue });
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
};

const startGraphql = () =>
  new Promise((resolve) => {
    const server = createServer((request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}/`));
  });

const startGrpc = () =>
  new Promise((resolve, reject) => {
    const { 'sums.v1.Sums': service } = loadSync(`${import.meta.dirname}/sums.proto`);
    const server = new grpc.Server();
    server.addService(service, {
      Add: ({ request: { a = 0, b = 0 } }, callback) => callback(null, { sum: a + b }),
    });
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(`127.0.0.1:${port}`),
    );
  });

process.on('disconnect', () => process.exit());
process.send({ graphql: await startGraphql(), grpc: await startGrpc() });
