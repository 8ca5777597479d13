/** Makes the tool of one workflow: it waits for the answer, or puts the run on record and returns its id. */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Needs } from '../../contract/needs.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import type { BuildDeps, ExternalSettings } from '../../contract/source-driver.ts';
import type { AssignedFlow, Capability, Health, Tier, Tool } from '../../contract/tool.ts';
import { isToolName } from '../../contract/tool-name.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { decodeText, readBytes } from '../../kit/http/read-reply.ts';
import { secretKeysOf } from '../../kit/text/resolve-secrets.ts';
import { visibleBlock, visibleText } from '../../kit/text/visible-text.ts';
import { callWebhook, METADATA, type WebhookDeps } from './call-webhook.ts';
import type { Invocations } from './invocations.ts';
import {
  hostOf,
  ownSettings,
  retryPolicy,
  type WorkflowSettings,
  withoutSlash,
} from './n8n-settings.ts';

/** What runs that answer later need of the crib. */
export interface LaterDeps {
  readonly invocations: Invocations;
  /** Adds the job that delivers a run, on behalf of who made the call; the same run again adds none. */
  enqueue(
    run: { readonly source: string; readonly id: string },
    context: ToolContext,
  ): Promise<void>;
}

export interface WorkflowToolDeps extends BuildDeps {
  readonly settings: ExternalSettings;
  readonly later?: LaterDeps | undefined;
}

const MAX_DESCRIPTION = 20_000;
const MAX_PING_BYTES = 10_000;
const PING_MS = 5_000;
const OPEN_INPUT: JsonSchema = { type: 'object' };

const ASKS: Capability = {
  action: 'run_workflow',
  description: 'Runs a workflow that acts on your behalf.',
  requiresConfirmation: true,
};

/** Returns what a call reaches; headers of the configuration may refer to secrets. */
export const needsOf = (settings: ExternalSettings): Needs => {
  const own = ownSettings(settings);
  const { host, isLocal } = hostOf(own);
  const secrets = [
    ...secretKeysOf(settings.headers),
    ...(own.webhookSecret === undefined ? [] : [own.webhookSecret]),
  ];
  return {
    hosts: [host],
    ...(isLocal && { localHosts: [host] }),
    ...(secrets.length > 0 && { secrets: [...new Set(secrets)] }),
  };
};

const WORST: AssignedFlow = { trust: 'untrusted', sensitivity: 'private', sink: true };
/** The id of a run is ours; what the workflow answers is labelled where it is read. */
const OWN_ID: AssignedFlow = { trust: 'trusted', sensitivity: 'public', sink: true };

/** Labels results: what the user leaves open counts as the worse case. */
const assignedFlow = (
  { labels = {}, toolLabels = {} }: ExternalSettings,
  name: string,
  isLater: boolean,
): AssignedFlow => {
  const tool = Object.hasOwn(toolLabels, name) ? toolLabels[name] : undefined;
  return { ...(isLater ? OWN_ID : WORST), ...labels, ...tool };
};

/** Chooses the tier that the user gave to the tool, the workflow or the source; `external_api` otherwise. */
const tierOf = ({ toolTiers, tier }: ExternalSettings, name: string, own: WorkflowSettings): Tier =>
  (Object.hasOwn(toolTiers, name) ? toolTiers[name] : undefined) ??
  own.tier ??
  tier ??
  'external_api';

/** Asks n8n whether it is up. */
export const pingOf =
  ({ settings, probe, redact }: Pick<WorkflowToolDeps, 'settings' | 'probe' | 'redact'>) =>
  async (): Promise<Health> => {
    if (!probe) return { healthy: false, message: 'n8n cannot be asked from here.' };
    const address = `${withoutSlash(ownSettings(settings).baseUrl)}/healthz`;
    try {
      const signal = AbortSignal.timeout(PING_MS);
      const response = await probe(address, { signal, redirect: 'manual' });
      const text = decodeText(await readBytes(response, MAX_PING_BYTES));
      if (response.ok && /"status"\s*:\s*"ok"/.test(text)) return { healthy: true };
      return { healthy: false, message: `n8n answered ${response.status} to ${address}.` };
    } catch (error) {
      return { healthy: false, message: redact(`n8n cannot be reached: ${String(error)}`) };
    }
  };

export const webhookDeps = (
  { settings, runtime, redact }: WorkflowToolDeps,
  context: ToolContext,
): WebhookDeps => {
  const { headers, maxOutputBytes } = settings;
  return { own: ownSettings(settings), headers, maxOutputBytes, runtime, redact, context };
};

type Input = Readonly<Record<string, unknown>>;

interface KeyedRun {
  readonly workflowId: string;
  readonly input: unknown;
  /** What asked for the run: other askers get other runs, although the input is the same. */
  readonly triggeredBy: string;
}

/**
 * Makes the key that names one run of a workflow: equal parts have an equal key, whatever the order of
 * the fields of the input.
 */
export const generateIdempotencyKey = ({ workflowId, input, triggeredBy }: KeyedRun): string =>
  `n8n-${digestOf([workflowId, input, triggeredBy])}`;

/** Keeps users and calls apart: the same input twice is two runs, unless the caller gives a key. */
const keyOf = (workflowId: string, input: Input, context: ToolContext): string => {
  const triggeredBy = JSON.stringify([context.userId, context.idempotencyKey]);
  return generateIdempotencyKey({ workflowId, input, triggeredBy });
};

const runNow =
  ({ workflowId = '', webhookPath }: WorkflowSettings, deps: WorkflowToolDeps) =>
  (input: Input, context: ToolContext): Promise<unknown> => {
    const { userId, sessionId: chatId, agentId: triggeredBy, executionId: requestId } = context;
    const idempotencyKey = keyOf(workflowId, input, context);
    const metadata = { userId, chatId, triggeredBy };
    const request = { webhookPath, input, requestId, idempotencyKey, metadata };
    return callWebhook(request, webhookDeps(deps, context));
  };

const runLater =
  (name: string, { workflowId = '', webhookPath }: WorkflowSettings, deps: WorkflowToolDeps) =>
  async (input: Input, context: ToolContext): Promise<unknown> => {
    const { invocations, enqueue } = deps.later as LaterDeps;
    const { name: source } = deps.settings;
    const { userId, sessionId: chatId, agentId: triggeredBy } = context;
    const idempotencyKey = keyOf(workflowId, input, context);
    const names = { source, tool: name, workflowId, webhookPath, idempotencyKey };
    const who = { userId, chatId, triggeredBy };
    const { id, status } = await invocations.claim({ ...names, ...who, input });
    if (status === 'pending') await enqueue({ source, id }, context);
    return { invocationId: id, status };
  };

const LATER_OUTPUT: JsonSchema = {
  type: 'object',
  properties: {
    invocationId: { type: 'string' },
    status: { enum: ['pending', 'running', 'success', 'failure'] },
  },
  required: ['invocationId', 'status'],
};

const outputOf = (isLater: boolean, output: JsonSchema | undefined): JsonSchema | undefined => {
  if (isLater) return LATER_OUTPUT;
  return (
    output && {
      type: 'object',
      properties: {
        output,
        executionId: { type: 'string' },
        durationMs: { type: 'number' },
      },
      required: ['output', 'durationMs'],
    }
  );
};

/** The field is filled here: an input that brings its own is refused, not overwritten. */
const ownMetadata = {
  name: 'metadata',
  check: (input: Input): string | undefined =>
    Object.hasOwn(input, METADATA) ? `The field ${METADATA} is filled by Toolcrib.` : undefined,
};

const describe = ({ description = '' }: WorkflowSettings, isLater: boolean): string => {
  const text = visibleBlock(description.slice(0, MAX_DESCRIPTION));
  const later = 'Returns an id at once; read the result with get_workflow_result.';
  return isLater ? `${text}\n${later}` : text;
};

/** Describes the workflow for the lock, so that a name that leads to another workflow is noticed. */
const documentationOf = ({ webhookPath, workflowId = webhookPath }: WorkflowSettings): string =>
  visibleText(`n8n webhook ${webhookPath} of the workflow ${workflowId}.`);

export const defineWorkflowTool = (
  name: string,
  workflow: WorkflowSettings,
  deps: WorkflowToolDeps,
): Tool => {
  const { settings } = deps;
  const own = { ...workflow, workflowId: workflow.workflowId ?? workflow.webhookPath };
  const isLater = own.mode === 'async';
  const output = outputOf(isLater, own.output);
  const retry = isLater ? undefined : retryPolicy(ownSettings(settings).retry);
  const alias = `${settings.name}.${name}`;
  return defineTool<Input, unknown>({
    name,
    description: describe(own, isLater),
    documentation: documentationOf(own),
    source: 'workflow',
    category: 'service',
    tier: tierOf(settings, name, own),
    ...(isToolName(alias) && { aliases: [alias] }),
    tags: ['n8n', settings.name],
    server: `n8n:${settings.name}`,
    assigned: assignedFlow(settings, name, isLater),
    needs: needsOf(settings),
    timeoutMs: own.timeoutMs ?? settings.timeoutMs,
    cost: own.costUsd ? { model: 'usage_based', fixed: own.costUsd } : { model: 'free' },
    ...(own.permissions && { permissions: own.permissions }),
    ...(own.asksFirst && { capabilities: [ASKS] }),
    // The user has said that a second request with the same key is taken for the first.
    ...(retry && { retry, idempotent: true }),
    input: own.input ?? OPEN_INPUT,
    ...(output && { output }),
    validators: [ownMetadata],
    healthCheck: pingOf(deps),
    run: isLater ? runLater(name, own, deps) : runNow(own, deps),
  }) as Tool;
};
