/** Makes a tool of each method. What cannot become one is refused with a reason. */
import { defineTool } from '../../../contract/define-tool.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import type { BuildDeps, ExternalSettings } from '../../../contract/source-driver.ts';
import type { AssignedFlow, Tier, Tool } from '../../../contract/tool.ts';
import { ownValue } from '../../../kit/data/own-value.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Channels } from '../call/channels.ts';
import { messageIssue } from '../codec/encode-message.ts';
import { createTypeTable, type TypeTable } from '../codec/type-table.ts';
import { isIdentifier, isTypeName } from '../definition/checked-names.ts';
import type { GrpcDefinition, MethodModel, ServiceModel } from '../definition/model.ts';
import type { GrpcSettings } from '../grpc-settings.ts';
import { checkHealth } from './check-health.ts';
import { inputSchema, messageOf } from './input-object.ts';
import { createMessageSchemas, type MessageSchemas } from './message-schema.ts';
import { type MethodDeps, runMethod } from './run-method.ts';
import { createMethodFilter, type NamedMethod, pathOf, toolNames } from './tool-names.ts';

const MAX_DESCRIPTION = 2000;
const MAX_SHOWN = 200;
const MAX_TOOL_NAME = 128;

export interface ToolDeps extends BuildDeps {
  readonly settings: GrpcSettings;
  readonly external: ExternalSettings;
  readonly channels: Channels;
}

interface Catalog {
  readonly types: TypeTable;
  readonly schemas: MessageSchemas;
  /** The names of the tools by the paths of the methods. */
  readonly names: ReadonlyMap<string, string>;
}

type ServiceMethod = NamedMethod & { readonly model: MethodModel; readonly of: ServiceModel };

/** Says why a method cannot become a tool. */
const refusalOf = (
  { service, method, model }: ServiceMethod,
  types: TypeTable,
): string | undefined => {
  if (!isTypeName(service) || !isIdentifier(method)) return 'its name cannot be used';
  if (model.clientStream && model.serverStream) {
    return 'it streams in both directions; a tool call sends one message';
  }
  if (model.clientStream) return 'it takes a stream of messages; a tool call sends one';
  const unknown = [model.input, model.output].find((name) => types.message(name) === undefined);
  return unknown === undefined
    ? undefined
    : `its message ${visibleText(unknown.slice(0, MAX_SHOWN))} is not defined`;
};

/** Chooses the tier: the user's, else read_only if the server says so, else the worse case. */
const tierOf = ({ tier, toolTiers }: ExternalSettings, name: string, model: MethodModel): Tier =>
  ownValue(toolTiers, name) ??
  tier ??
  (model.idempotency === 'NO_SIDE_EFFECTS' ? 'read_only' : 'external_api');

/** Assigns labels. What the user leaves open counts as the worse case. */
const assignedFlow = (
  { labels, toolLabels = {} }: ExternalSettings,
  name: string,
): AssignedFlow => ({
  trust: 'untrusted',
  sensitivity: 'private',
  sink: true,
  ...labels,
  ...ownValue(toolLabels, name),
});

const descriptionOf = ({ service, method, model, of }: ServiceMethod): string => {
  const words = model.doc ?? of.doc;
  const call = `Calls ${service}/${method} (gRPC${model.serverStream ? ', a stream of messages' : ''}).`;
  const old = model.deprecated ? ' Deprecated.' : '';
  return `${words === undefined ? '' : `${words}\n\n`}${call}${old}`.slice(0, MAX_DESCRIPTION);
};

/** Describes the method for the lock: what a server says of side effects decides whether a person is asked. */
const documentationOf = ({ service, method, model }: ServiceMethod): string =>
  `gRPC ${service}/${method}, idempotency level ${model.idempotency ?? 'unknown'}.`;

const outputOf = (model: MethodModel, schemas: MessageSchemas): JsonSchema | undefined => {
  const schema = schemas.schemaOf(model.output, 'output');
  if (!schema || !model.serverStream) return schema;
  const { $defs, ...message } = schema;
  // A recursive message refers to its own definition, never to the root.
  return {
    type: 'object',
    properties: { messages: { type: 'array', items: message }, complete: { type: 'boolean' } },
    required: ['messages', 'complete'],
    ...($defs !== undefined && { $defs }),
  };
};

const reachOf = ({ authority, isLoopback, secretKeys }: GrpcSettings): Tool['needs'] => ({
  hosts: [authority],
  ...(isLoopback && { localHosts: [authority] }),
  ...(secretKeys.length > 0 && { secrets: secretKeys }),
});

const methodDeps = (
  method: ServiceMethod,
  { types }: Catalog,
  { deps, tier }: { readonly deps: ToolDeps; readonly tier: Tier },
): MethodDeps => {
  const { settings, external, channels, redact, runtime } = deps;
  return {
    method: method.model,
    path: pathOf(method),
    types,
    settings,
    channels,
    timeoutMs: external.timeoutMs,
    maxOutputBytes: external.maxOutputBytes,
    isRepeatable: tier === 'read_only' || method.model.idempotency === 'IDEMPOTENT',
    redact: (text) => redact(text),
    now: () => runtime.now(),
  };
};

/** Makes the alias by its full name, which leads to this tool even if another one has the short name. */
const aliasOf = (name: string): Pick<Tool, 'aliases'> =>
  name.length <= MAX_TOOL_NAME ? { aliases: [name] } : {};

const validatorOf = (type: string, types: TypeTable) => ({
  name: 'message',
  check(input: unknown): string | undefined {
    const issue = messageIssue(type, messageOf(type, input), types);
    return issue && `${issue.path.join('.') || 'the input'}: ${issue.message}`;
  },
});

const healthOf = ({ settings, channels, resolveHost, redact, runtime }: ToolDeps) =>
  resolveHost
    ? {
        healthCheck: () =>
          checkHealth({
            settings,
            channels,
            resolveHost: (host, port) => resolveHost(host, port),
            redact: (text) => redact(text),
            now: () => runtime.now(),
          }),
      }
    : {};

const buildTool = (method: ServiceMethod, catalog: Catalog, deps: ToolDeps): Tool | undefined => {
  const { external, settings } = deps;
  const { model } = method;
  const { types, schemas, names } = catalog;
  const name = names.get(pathOf(method)) ?? '';
  const input = inputSchema(model.input, schemas);
  if (!input) {
    deps.refuse({ name, reason: 'its input has too many fields' });
    return undefined;
  }
  const output = outputOf(model, schemas);
  const tier = tierOf(external, name, model);
  const run = methodDeps(method, catalog, { deps, tier });
  return defineTool<Record<string, unknown>, unknown>({
    name,
    description: descriptionOf(method),
    documentation: documentationOf(method),
    tier,
    source: 'external',
    category: 'api',
    ...aliasOf(`${external.name}.${name}`),
    tags: ['grpc', external.name],
    server: `grpc:${external.name}`,
    assigned: assignedFlow(external, name),
    timeoutMs: external.timeoutMs,
    ...(run.isRepeatable && { idempotent: true }),
    // A stream that fails gives what came until then: other tries would lose it.
    ...(run.isRepeatable && !model.serverStream && { retry: RetryPolicies.STANDARD }),
    needs: reachOf(settings) ?? {},
    input,
    ...(output && { output }),
    validators: [validatorOf(model.input, types)],
    ...healthOf(deps),
    run: (value, context) => runMethod(value, context, run),
  }) as Tool;
};

const methodsOf = ({ services }: GrpcDefinition): readonly ServiceMethod[] =>
  services.flatMap((of) =>
    of.methods.map((model) => ({ service: of.name, method: model.name, model, of })),
  );

export const buildTools = (definition: GrpcDefinition, deps: ToolDeps): readonly Tool[] => {
  const types = createTypeTable(definition);
  const { include, exclude } = deps.settings;
  const isWanted = createMethodFilter(include, exclude);
  const methods = methodsOf(definition);
  const usable = methods.filter((method) => {
    const reason = refusalOf(method, types);
    if (reason !== undefined && isWanted(method)) {
      const name = visibleText(`${method.service}/${method.method}`.slice(0, MAX_SHOWN));
      deps.refuse({ name, reason });
    }
    return reason === undefined;
  });
  for (const one of definition.missing) deps.refuse(one);
  const catalog: Catalog = {
    types,
    schemas: createMessageSchemas(types, Object.keys(definition.messages)),
    // Of all methods: a filter must not change the names of others.
    names: toolNames(usable),
  };
  return usable.filter(isWanted).flatMap((method) => buildTool(method, catalog, deps) ?? []);
};
