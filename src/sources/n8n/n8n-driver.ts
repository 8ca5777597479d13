/** Turns the workflows of an n8n into tools: those of the configuration, those that ship, those found by its API. */
import { ToolFailure } from '../../contract/errors.ts';
import type { ExternalSettings, SourceDriver } from '../../contract/source-driver.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { discoverWorkflows, type N8nDefinition } from './discover-workflows.ts';
import { defineInvocationTools, deliveryToolName, RESULT_TOOL_NAME } from './invocation-tools.ts';
import { type N8nSettings, ownSettings, type WorkflowSettings } from './n8n-settings.ts';
import { SHIPPED_WORKFLOWS } from './shipped-workflows.ts';
import {
  defineWorkflowTool,
  type LaterDeps,
  pingOf,
  type WorkflowToolDeps,
} from './workflow-tool.ts';

const NOTHING: N8nDefinition = { format: 1, workflows: [], refused: [] };

const isDefinition = (value: unknown): value is N8nDefinition =>
  isRecord(value) && value.format === 1 && Array.isArray(value.workflows);

/** Orders the workflows by who describes them: the user first, then what ships, then n8n. */
const workflowsOf = (
  { workflows = {}, shipped }: N8nSettings,
  { workflows: discovered }: N8nDefinition,
): ReadonlyMap<string, WorkflowSettings> => {
  const named = new Map<string, WorkflowSettings>([
    ...(shipped ? Object.entries(SHIPPED_WORKFLOWS) : []),
    ...Object.entries(workflows),
  ]);
  const paths = new Set([...named.values()].map(({ webhookPath }) => webhookPath));
  const ids = new Set([...named.values()].map(({ workflowId }) => workflowId));
  for (const { name, ...workflow } of discovered) {
    const { webhookPath, workflowId } = workflow;
    const isNamed = named.has(name) || paths.has(webhookPath) || ids.has(workflowId);
    if (!isNamed) named.set(name, workflow);
  }
  return named;
};

/** Makes one tool, or reports why it cannot be one: a schema of a note may be of no use. */
const toolOf = (
  name: string,
  workflow: WorkflowSettings,
  deps: WorkflowToolDeps,
): readonly Tool[] => {
  const ownNames = [RESULT_TOOL_NAME, deliveryToolName(deps.settings.name)];
  if (ownNames.includes(name)) {
    deps.refuse({ name, reason: 'a tool of Toolcrib itself has this name' });
    return [];
  }
  if (workflow.mode === 'async' && !deps.later) {
    deps.refuse({ name, reason: 'workflows that answer later need a crib with a store' });
    return [];
  }
  try {
    return [defineWorkflowTool(name, workflow, deps)];
  } catch (error) {
    deps.refuse({ name, reason: deps.redact(reasonOf(error)) });
    return [];
  }
};

const hasLater = (workflows: ReadonlyMap<string, WorkflowSettings>): boolean =>
  [...workflows.values()].some(({ mode }) => mode === 'async');

export const createN8nDriver = (later?: LaterDeps): SourceDriver => ({
  kind: 'n8n',
  locationOf: (settings: ExternalSettings) => ownSettings(settings).baseUrl,
  read: async (settings, deps) => {
    const own = ownSettings(settings);
    // Without discovery nothing is asked: the configuration says it all.
    const definition = own.discover ? await discoverWorkflows(own, deps) : NOTHING;
    return { definition, files: [] };
  },
  ping: async (_definition, settings, { fetch, redact }) => {
    const { healthy, message = 'n8n does not answer.' } = await pingOf({
      settings,
      probe: fetch,
      redact,
    })();
    if (!healthy) throw new ToolFailure('NETWORK', message);
  },
  build: (definition, settings, buildDeps) => {
    if (!isDefinition(definition)) return undefined;
    const deps: WorkflowToolDeps = { ...buildDeps, settings, later };
    for (const refused of definition.refused) deps.refuse(refused);
    const workflows = workflowsOf(ownSettings(settings), definition);
    const tools = [...workflows].flatMap(([name, workflow]) => toolOf(name, workflow, deps));
    const more = later && hasLater(workflows) ? defineInvocationTools(deps, later.invocations) : [];
    return [...tools, ...more];
  },
});
