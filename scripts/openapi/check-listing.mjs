/**
 * Checks definitions as the providers and MCP clients do, by their documented rules: one tool that breaks
 * them makes a provider refuse the whole request, or a client lose the tool.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { at, isObject } from './document.mjs';

const COMBINATIONS = ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not', '$ref'];

const rootFault = (schema) => {
  if (!isObject(schema) || schema.type !== 'object') return 'the root is not an object';
  const combined = COMBINATIONS.find((key) => schema[key] !== undefined);
  return combined && `${combined} at the root`;
};

/** Visits every object below a node; schemas and data alike, which is stricter than needed. */
const findNode = (root, isWrong) => {
  const open = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (!Array.isArray(node)) {
      const fault = isWrong(node);
      if (fault) return fault;
    }
    for (const [key, value] of Object.entries(node)) {
      if (key !== 'default' && key !== 'enum' && key !== 'const' && key !== 'examples') {
        open.push(value);
      }
    }
  }
  return undefined;
};

const danglingReference = (schema) =>
  findNode(schema, (node) => {
    if (typeof node.$ref !== 'string') return undefined;
    return at(schema, node.$ref) === undefined
      ? `the reference ${node.$ref} leads nowhere`
      : undefined;
  });

const strictFault = (schema) =>
  findNode(schema, (node) => {
    if (!isObject(node.properties) || node.type === undefined) return undefined;
    const names = Object.keys(node.properties);
    if (![node.type].flat().includes('object')) return undefined;
    if (node.additionalProperties !== false) return 'an open object in a strict schema';
    const required = new Set(Array.isArray(node.required) ? node.required : []);
    return names.every((name) => required.has(name)) ? undefined : 'an optional field in strict';
  });

const openai = ({ function: { name, description, parameters, strict } }) => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return `the name ${name}`;
  if (typeof description !== 'string') return 'no description';
  if (parameters === undefined) return undefined;
  return (
    rootFault(parameters) ??
    danglingReference(parameters) ??
    (strict === true ? strictFault(parameters) : undefined)
  );
};

const anthropic = ({ name, input_schema: schema }) => {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return `the name ${name}`;
  const illegal = Object.keys(schema?.properties ?? {}).find(
    (field) => !/^[A-Za-z0-9_.-]{1,64}$/.test(field),
  );
  if (illegal !== undefined) return `the field ${illegal}`;
  return rootFault(schema) ?? danglingReference(schema);
};

const gemini = ({ name, parameters }) => {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(name)) return `the name ${name}`;
  if (parameters === undefined) return undefined;
  const isTyped = (node) => typeof node.type === 'string' || Array.isArray(node.anyOf);
  const visit = (schema, depth) => {
    if (!isObject(schema) || depth > 60) return undefined;
    if (schema.$ref !== undefined || schema.oneOf !== undefined || schema.allOf !== undefined) {
      return 'a keyword that the dialect lacks';
    }
    if (!isTyped(schema)) return 'a schema without a type';
    if (schema.type === 'array' && !isObject(schema.items)) return 'a list without items';
    const inner = [
      ...Object.values(schema.properties ?? {}),
      ...(schema.anyOf ?? []),
      ...(schema.items ? [schema.items] : []),
    ];
    for (const one of inner) {
      const fault = visit(one, depth + 1);
      if (fault) return fault;
    }
    return undefined;
  };
  return (
    (parameters.type === 'object' ? undefined : 'the root is not an object') ?? visit(parameters, 0)
  );
};

/** Compiles as clients on the official SDK do when they list the tools: with the meta-schema. */
const createCompiler = () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  return (schema) => {
    try {
      ajv.compile(schema);
      return undefined;
    } catch (error) {
      return `the output schema does not compile: ${String(error.message).slice(0, 120)}`;
    } finally {
      ajv.removeSchema(schema);
    }
  };
};

const createMcp = () => {
  const compiled = new Map();
  const compileFault = createCompiler();
  return ({ name, inputSchema, outputSchema }) => {
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) return `the name ${name}`;
    const fault = rootFault(inputSchema) ?? danglingReference(inputSchema);
    if (fault !== undefined || outputSchema === undefined) return fault;
    if (outputSchema.type !== 'object') return 'the output is not an object';
    const text = JSON.stringify(outputSchema);
    if (!compiled.has(text)) compiled.set(text, compileFault(outputSchema));
    return compiled.get(text);
  };
};

const NAME_OF = {
  openai: (definition) => definition.function.name,
  anthropic: ({ name }) => name,
  gemini: ({ name }) => name,
  mcp: ({ name }) => name,
};
export const PROVIDERS = Object.keys(NAME_OF);

/** Checks all tools of a crib. Returns, per wire name, `provider: what is wrong`. */
export const listingFaults = (crib, wireNames) => {
  const checks = { openai, anthropic, gemini, mcp: createMcp() };
  const faults = new Map();
  for (const provider of PROVIDERS) {
    const { definitions } = crib.tools.forModel(provider);
    const listed = new Set();
    for (const definition of definitions) {
      const name = NAME_OF[provider](definition);
      const fault = listed.has(name) ? 'the name is listed twice' : checks[provider](definition);
      listed.add(name);
      if (fault) faults.set(name, `${provider}: ${fault}`);
    }
    for (const name of wireNames) {
      if (!listed.has(name)) faults.set(name, `${provider}: is not listed`);
    }
  }
  return faults;
};
