/** The tools around runs that answer later: the one that delivers a run, and the one that reads its record. */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Invocation } from '../../contract/invocation.ts';
import type { Tool } from '../../contract/tool.ts';
import { callWebhook } from './call-webhook.ts';
import type { Invocations } from './invocations.ts';
import { ownSettings, retryPolicy, withoutSlash } from './n8n-settings.ts';
import { needsOf, type WorkflowToolDeps, webhookDeps } from './workflow-tool.ts';

const INPUT = {
  type: 'object',
  properties: {
    invocationId: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: 'The id of the run.',
    },
  },
  required: ['invocationId'],
  additionalProperties: false,
} as const;

interface Input {
  readonly invocationId: string;
}

/** Names the tool that the job of a run calls. */
export const deliveryToolName = (source: string): string => `n8n_deliver_${source}`;

/** The tool that reads the record of a run. */
export const RESULT_TOOL_NAME = 'get_workflow_result';

/** Says the same for a run of another user and for one that is not there. */
const ownRun = async (
  { invocationId }: Input,
  { userId }: ToolContext,
  invocations: Invocations,
): Promise<Invocation> => {
  const record = await invocations.get(invocationId);
  if (record?.userId === userId) return record;
  throw new ToolFailure('NOT_FOUND', 'You have no run of a workflow with that id.');
};

const deliver = async (
  record: Invocation,
  deps: WorkflowToolDeps,
  context: ToolContext,
): Promise<unknown> => {
  const { settings } = deps;
  const { callbackUrl } = ownSettings(settings);
  const { id, userId, chatId, triggeredBy, webhookPath, input, idempotencyKey } = record;
  const address = `${withoutSlash(callbackUrl ?? '')}/callbacks/n8n/${settings.name}`;
  const metadata = {
    userId,
    chatId,
    triggeredBy,
    invocationId: id,
    ...(callbackUrl !== undefined && { callbackUrl: address }),
  };
  const request = { webhookPath, input, requestId: id, idempotencyKey, metadata };
  const { executionId, durationMs } = await callWebhook(request, webhookDeps(deps, context));
  return { executionId, durationMs };
};

/**
 * Delivers a run that is on record. It sends what the approved call wrote down and nothing else, so that
 * neither a person nor the rules about data that leaves are asked a second time.
 */
const defineDelivery = (deps: WorkflowToolDeps, invocations: Invocations): Tool => {
  const { settings } = deps;
  const retry = retryPolicy(ownSettings(settings).retry);
  return defineTool<Input, unknown>({
    name: deliveryToolName(settings.name),
    description:
      'Starts a workflow run that is on record. Jobs call it; calling it has no other use.',
    source: 'workflow',
    category: 'service',
    tier: 'write',
    input: INPUT,
    tags: ['n8n', settings.name],
    server: `n8n:${settings.name}`,
    assigned: { trust: 'untrusted', sensitivity: 'private', sink: false },
    needs: needsOf(settings),
    timeoutMs: settings.timeoutMs,
    cost: { model: 'free' },
    ...(retry && { retry, idempotent: true }),
    run: async (input, context) => {
      const record = await ownRun(input, context, invocations);
      const isWaiting =
        record.source === settings.name &&
        (await invocations.begin(record.id, context.idempotencyKey));
      if (!isWaiting) throw new ToolFailure('CONFLICT', 'This run waits for no delivery.');
      const answer = (await deliver(record, deps, context)) as { readonly executionId?: string };
      await invocations.started(record.id, answer.executionId);
      return { invocationId: record.id, status: 'running', ...answer };
    },
  }) as Tool;
};

/** Shows a record without what only the delivery needs. */
const viewOf = (record: Invocation): object => {
  const { id: invocationId, tool, workflowId, status, createdAt } = record;
  const { completedAt, durationMs, executionId, output, error } = record;
  return {
    invocationId,
    tool,
    workflowId,
    status,
    createdAt,
    ...(completedAt !== undefined && { completedAt }),
    ...(durationMs !== undefined && { durationMs }),
    ...(executionId !== undefined && { executionId }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
  };
};

const defineResult = ({ settings }: WorkflowToolDeps, invocations: Invocations): Tool =>
  defineTool<Input, unknown>({
    name: RESULT_TOOL_NAME,
    description:
      'Reads how far a workflow run is that was started by an earlier call, and what it answered.',
    source: 'workflow',
    category: 'service',
    tier: 'read_only',
    input: INPUT,
    aliases: [`${settings.name}.get_workflow_result`],
    tags: ['n8n', settings.name],
    // What a workflow answers comes from outside.
    assigned: { trust: 'untrusted', sensitivity: 'private', sink: false },
    cost: { model: 'free' },
    run: async (input, context) => viewOf(await ownRun(input, context, invocations)),
  }) as Tool;

export const defineInvocationTools = (
  deps: WorkflowToolDeps,
  invocations: Invocations,
): readonly Tool[] => [defineDelivery(deps, invocations), defineResult(deps, invocations)];
