/** GitHub's public schema, imported whole: 1,600 types, 272 operations. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildSchema, type GraphQLSchema, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import type { ExternalSettings, ReadDeps } from '../../contract/source-driver.ts';
import type { RefusedTool } from '../../contract/sources.ts';
import type { Tool } from '../../contract/tool.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { compileJsonSchema } from '../../registry/schema/json-schema.ts';
import { createGraphqlDriver } from './graphql-driver.ts';
import type { GraphqlDefinition } from './schema/definition.ts';

const file = fileURLToPath(
  new URL('../../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url),
);

const settings = (own: object = {}): ExternalSettings => ({
  name: 'github',
  kind: 'graphql',
  enabled: true,
  toolTiers: {},
  headers: {},
  timeoutMs: 60_000,
  maxOutputBytes: 1_000_000,
  own: { url: 'https://api.github.com/graphql', schema: file, ...own },
});

const deps = {
  signal: new AbortController().signal,
  readFile: (path: string) => readFile(path),
  absolutePath: (path: string) => path,
} as unknown as ReadDeps;

interface Import {
  readonly definition: GraphqlDefinition;
  readonly tools: readonly Tool[];
  readonly refused: readonly RefusedTool[];
}

const importWhole = async (own: object = {}): Promise<Import> => {
  const driver = createGraphqlDriver();
  const { definition } = await driver.read(settings(own), deps);
  const refused: RefusedTool[] = [];
  const runtime = createRuntime({});
  const redact = (text: string): string => text;
  const refuse = (one: RefusedTool): unknown => refused.push(one);
  const cached = JSON.parse(JSON.stringify(definition)) as GraphqlDefinition;
  const tools = driver.build(cached, settings(own), { runtime, redact, refuse });
  return { definition: cached, tools: tools ?? [], refused };
};

/** Gives the document that a call of a tool sends. */
const documentOf = async (tool: Tool, input: object = {}): Promise<string> => {
  let query = '';
  const answer = async (_url: unknown, init: { readonly body: string }) => {
    ({ query } = JSON.parse(init.body) as { query: string });
    return new Response('{"data":null,"errors":[{"message":"no"}]}');
  };
  const context = fakeContext({ fetch: answer as unknown as typeof fetch });
  await Promise.resolve(tool.run(input, context)).catch((error: unknown) => {
    if (query === '') throw error;
  });
  return query;
};

const schemaOf = (schema: unknown): Record<string, unknown> =>
  (typeof schema === 'function' ? schema() : schema) as Record<string, unknown>;

let whole: Import;
let reference: GraphQLSchema;
beforeAll(async () => {
  whole = await importWhole();
  // The file itself defines two fields twice.
  reference = buildSchema(await readFile(file, 'utf8'), { assumeValidSDL: true });
});

const toolNamed = (name: string): Tool => {
  const tool = whole.tools.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
};

describe("GitHub's GraphQL schema", () => {
  it('becomes a tool for each query and mutation, with short and distinct names', () => {
    const operations = [reference.getQueryType(), reference.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(whole.tools.length + whole.refused.length).toBe(operations.length);
    expect(whole.refused).toEqual([]);
    const names = whole.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.length > 64)).toEqual([]);
    expect(toolNamed('repository').tier).toBe('read_only');
    expect(toolNamed('createIssue').tier).toBe('external_api');
    expect(toolNamed('createIssue').needs?.hosts).toEqual(['api.github.com']);
  });

  it('gives documents that the reference library finds valid, within the limits', async () => {
    const faults: string[] = [];
    for (const tool of whole.tools) {
      const query = await documentOf(tool);
      const [fault] = validate(reference, parse(query));
      if (fault) faults.push(`${tool.name}: ${fault.message}\n${query}`);
    }
    expect(faults).toEqual([]);
  });

  it('gives valid documents at other limits as well', async () => {
    for (const own of [
      { maxDepth: 1, maxFields: 1 },
      { maxDepth: 6, maxFields: 400 },
    ]) {
      const { tools } = await importWhole(own);
      for (const tool of tools.filter((_, at) => at % 8 === 0)) {
        const query = await documentOf(tool);
        expect(validate(reference, parse(query)), `${tool.name}: ${query}`).toEqual([]);
      }
    }
  });

  it('gives input and output schemas that compile', () => {
    for (const tool of whole.tools) {
      for (const schema of [schemaOf(tool.input), schemaOf(tool.output)]) {
        expect(() => compileJsonSchema(schema)).not.toThrow();
      }
    }
  });

  it('is kept in a form of which nothing but operations and their types is left', () => {
    const { definition } = whole;
    expect(JSON.stringify(definition).length).toBeLessThan(1_300_000);
    expect(Object.keys(definition.types).length).toBeGreaterThan(1000);
  });

  it('asks a list in pages for its entries, and for where the next page begins', async () => {
    const query = await documentOf(toolNamed('search'));
    expect(query).toContain('pageInfo { endCursor hasNextPage }');
    expect(query).toMatch(/nodes \{ __typename .*\.\.\. on Issue \{.*\.\.\. on User \{ id /);
  });

  it('lets a caller choose fields, and refuses what the schema does not have', async () => {
    const repository = toolNamed('repository');
    const fields = 'name issues(first: 5) { nodes { title author { login } } }';
    const query = await documentOf(repository, { owner: 'o', name: 'n', fields });
    expect(validate(reference, parse(query))).toEqual([]);
    expect(query).toContain('issues(first: 5)');
    const refusal = documentOf(repository, { owner: 'o', name: 'n', fields: 'nope' });
    await expect(refusal).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
