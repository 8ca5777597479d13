/** Schemas whose conversion could cost far more than their size: it stays in proportion to the document. */
import { describe, expect, it } from 'vitest';
import {
  inputOf,
  jsonBody,
  oneOperation,
  openapiTools,
} from '../../../../test/fixtures/openapi-source.ts';
import { compileJsonSchema } from '../../../registry/schema/json-schema.ts';
import { Resolver } from '../operations/resolver.ts';
import { OtherSide } from './other-side.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const inputFor = async (schema: object, schemas: object = {}) => {
  const document = oneOperation(jsonBody(schema), { components: { schemas } });
  const [tool] = (await openapiTools({ 'a.json': document })).tools;
  return inputOf(tool);
};

/** Nests a schema `levels` deep. */
const nested = (levels: number, inner: object, wrap: (one: object) => object): object => {
  let schema = inner;
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
};

describe('threat: a small document makes the conversion of its schemas endless', () => {
  const discriminator = { propertyName: 'kind' };
  const wraps: Readonly<Record<string, (one: object) => object>> = {
    'oneOf with a discriminator': (one) => ({ oneOf: [one], discriminator }),
    'oneOf with a discriminator, beside a reference': (one) => ({
      oneOf: [ref('Other'), one],
      discriminator,
    }),
    'oneOf and anyOf': (one) => ({ oneOf: [one], anyOf: [{ type: 'string' }], discriminator }),
    'nullable anyOf': (one) => ({ anyOf: [one], nullable: true }),
    'allOf in a field': (one) => ({ allOf: [{ type: 'object', properties: { a: one } }] }),
    'allOf with fields beside it': (one) => ({ properties: { b: {} }, allOf: [one, {}] }),
    items: (one) => ({ type: 'array', items: one, contains: {} }),
  };

  it.each(Object.keys(wraps))(
    'hostile: %s, 39 levels deep',
    async (kind) => {
      const schema = nested(39, { type: 'string' }, wraps[kind] ?? ((one) => one));
      const Other = { type: 'object', properties: { kind: { type: 'string' } } };
      const started = process.cpuUsage();
      await inputFor({ type: 'object', properties: { v: schema } }, { Other });
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1e6).toBeLessThan(5);
    },
    20_000,
  );
});

describe('threat: many schemas take in one large base', () => {
  it('hostile: the marked fields of a base are looked for once', () => {
    let reads = 0;
    const field = {
      get readOnly() {
        reads += 1;
        return true;
      },
    };
    const fields = Array.from({ length: 5_000 }, (_, at) => [`f${at}`, field]);
    const Base = { type: 'object', properties: Object.fromEntries(fields) };
    const documents = { 'a.json': { openapi: '3.0.0', components: { schemas: { Base } } } };
    const otherSide = new OtherSide(
      'request',
      new Resolver({ format: 1, root: 'a.json', documents }),
    );
    for (let use = 0; use < 100; use += 1) {
      const value = { allOf: [ref('Base'), { properties: { [`own${use}`]: {} } }] };
      const marked = otherSide.fieldsOf({ value, address: 'a.json', pointer: '' });
      expect(marked.has('f999')).toBe(true);
    }
    expect(reads).toBeLessThan(5_000);
  });

  it('hostile: 99 parts that describe one field differently are compared once each', async () => {
    const large = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`p${at}`, { type: 'string' }]),
    );
    const parts = Array.from({ length: 99 }, (_, at) => [
      `P${at}`,
      {
        type: 'object',
        properties: { v: { type: 'object', properties: { ...large, [`x${at}`]: {} } } },
      },
    ]);
    const uses = Array.from({ length: 30 }, (_, at) => [
      `U${at}`,
      { allOf: [...parts.map(([name]) => ref(String(name))), { minProperties: at }] },
    ]);
    const properties = Object.fromEntries(uses.map(([name]) => [name, ref(String(name))]));
    const started = process.cpuUsage();
    await inputFor(
      { type: 'object', properties },
      { ...Object.fromEntries(parts), ...Object.fromEntries(uses) },
    );
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(3);
  }, 60_000);
});

describe('threat: schemas lead to each other in thousands of steps', () => {
  const own = (at: number) => ({ type: 'object', properties: { [`f${at}`]: { type: 'string' } } });
  const links: Readonly<Record<string, (next: object, at: number) => object>> = {
    allOf: (next, at) => ({ allOf: [next, own(at)] }),
    anyOf: (next, at) => ({ anyOf: [next, own(at)] }),
    'a field': (next, at) => ({ properties: { n: { allOf: [next] }, [`f${at}`]: {} } }),
  };

  it.each(
    Object.keys(links).flatMap(
      (kind) =>
        [
          [kind, 'in a circle', 600],
          [kind, 'in a circle', 5_000],
          [kind, 'to an end', 5_000],
        ] as const,
    ),
  )(
    'hostile: by %s, %s, %i of them: the operation can be called',
    async (kind, end, length) => {
      const link = links[kind] ?? ((next) => next);
      const schemas = Object.fromEntries(
        Array.from({ length }, (_, at) => [`R${at}`, link(ref(`R${(at + 1) % length}`), at)]),
      );
      if (end === 'to an end') schemas[`R${length - 1}`] = own(length - 1);
      const input = await inputFor({ type: 'object', properties: { v: ref('R0') } }, schemas);
      expect(compileJsonSchema(input).validate({ v: { f0: 'x' } }).ok).toBe(true);
    },
    30_000,
  );
});
