/** Everybody who asks the servers of `apis-server.mjs` for a sum. */
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadProduct } from './product.mjs';

export const expectedSum = (i) => i + 2;

const number = { type: 'integer', minimum: 0, maximum: 1_000_000_000 };

/** What a program would check by hand before it sends two numbers. */
const inputCheck = () => {
  const fields = { properties: { a: number, b: number }, required: ['a', 'b'] };
  const isInput = new Ajv2020({ allErrors: true }).compile({
    type: 'object',
    additionalProperties: false,
    ...fields,
  });
  return (input) => {
    if (!isInput(input)) throw new Error('the input does not fit');
  };
};

const bareGraphql = async ({ graphql: url }) => {
  const check = inputCheck();
  const query = 'query ($a: Int!, $b: Int!) { sum(a: $a, b: $b) }';
  return {
    call: async (i) => {
      const variables = { a: i, b: 2 };
      check(variables);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const { data, errors } = await response.json();
      if (errors) throw new Error(errors[0].message);
      return data.sum;
    },
  };
};

const bareGrpc = async ({ grpc: address }) => {
  const { default: grpc } = await import('@grpc/grpc-js');
  const { loadSync } = await import('@grpc/proto-loader');
  const check = inputCheck();
  const packages = grpc.loadPackageDefinition(loadSync(join(import.meta.dirname, 'sums.proto')));
  const client = new packages.sums.v1.Sums(address, grpc.credentials.createInsecure());
  return {
    call: (i) => {
      const input = { a: i, b: 2 };
      check(input);
      return new Promise((resolve, reject) => {
        client.Add(input, (error, reply) => (error ? reject(error) : resolve(reply.sum)));
      });
    },
    close: () => client.close(),
  };
};

/** Without labels of the user, the second call would have to be approved: private data may not flow on. */
const OPEN = { labels: { trust: 'trusted', sensitivity: 'public' }, sink: false };

const toolcrib = async ({ folder, sources, tool, sumOf }) => {
  const { createCrib } = await loadProduct();
  const crib = await createCrib({
    store: 'memory',
    builtins: false,
    home: folder,
    root: folder,
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow' }] },
    config: { registry: { lock: 'off' }, sources },
  });
  return {
    call: (i) => crib.execute(tool, { a: i, b: 2 }),
    sumOf: ({ success, data, error }) => {
      if (!success) throw new Error(`${error?.code}: ${error?.message}`);
      return sumOf(data);
    },
    close: () => crib.close(),
  };
};

const toolcribGraphql = ({ folder, graphql: url }) =>
  toolcrib({
    folder,
    tool: 'sum',
    sumOf: ({ data }) => data,
    sources: { graphql: { sums: { url, ...OPEN } } },
  });

const toolcribGrpc = ({ folder, grpc: address }) =>
  toolcrib({
    folder,
    tool: 'Sums_Add',
    sumOf: ({ sum }) => sum,
    sources: {
      grpc: { sums: { address, proto: [join(import.meta.dirname, 'sums.proto')], ...OPEN } },
    },
  });

export const contenders = {
  'GraphQL over fetch': bareGraphql,
  'Toolcrib, GraphQL': toolcribGraphql,
  'grpc-js client': bareGrpc,
  'Toolcrib, gRPC': toolcribGrpc,
};
