/** Everybody who asks the API of `openapi-server.mjs` for a sum. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadProduct } from './product.mjs';

export const expectedSum = (i) => i + 2;

const ajv = () => new Ajv2020({ strict: false, allErrors: true });
const number = { type: 'integer', minimum: 0, maximum: 1_000_000_000 };

/** What a program would write by hand: check the input, send it, check the answer. */
const bareFetch = async ({ origin }) => {
  const isInput = ajv().compile({
    type: 'object',
    properties: { a: number, b: number },
    required: ['a', 'b'],
    additionalProperties: false,
  });
  const isAnswer = ajv().compile({
    type: 'object',
    properties: { sum: { type: 'integer' } },
    required: ['sum'],
  });
  return {
    call: async (i) => {
      const input = { a: i, b: 2 };
      if (!isInput(input)) throw new Error('the input does not fit');
      const { a, b } = input;
      const response = await fetch(`${origin}/v1/numbers/${encodeURIComponent(a)}/sum?b=${b}`, {
        headers: { accept: 'application/json' },
      });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const answer = await response.json();
      if (!isAnswer(answer)) throw new Error('the answer does not fit');
      return answer.sum;
    },
  };
};

const toolcrib = async ({ origin, folder }) => {
  const { createCrib } = await loadProduct();
  // Without labels of the user, the second call would have to be approved: private data may not flow on.
  const labels = { trust: 'trusted', sensitivity: 'public' };
  const document = `${origin}/openapi.json`;
  const crib = await createCrib({
    store: 'memory',
    builtins: false,
    home: folder,
    root: folder,
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow' }] },
    config: {
      registry: { lock: 'off' },
      sources: { openapi: { sums: { document, labels, sink: false, responses: 'fail' } } },
    },
  });
  return {
    call: (i) => crib.execute('add_numbers', { a: i, b: 2 }),
    sumOf: ({ success, data, error }) => {
      if (!success) throw new Error(`${error?.code}: ${error?.message}`);
      return data.body.sum;
    },
    close: () => crib.close(),
  };
};

export const contenders = { 'bare fetch': bareFetch, 'Toolcrib, OpenAPI': toolcrib };
