/** Makes the tool of one operation of a WebSocket service. */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { socketTarget } from '../../kit/http/pinned-web-socket.ts';
import { sourceToolFields } from '../../kit/source/source-tool.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { connectService, type ServiceDeps, scopeOf } from './connect-service.ts';
import {
  type MessageScope,
  type MessageTemplate,
  type Path,
  readPath,
  readTemplate,
  valueAt,
  withValueAt,
} from './message-template.ts';
import type { SharedConnection } from './shared-connection.ts';
import { type OperationSettings, ownSettings } from './websocket-settings.ts';

export interface OperationDeps extends ServiceDeps {
  readonly shared: SharedConnection;
}

interface Plan {
  readonly request: MessageTemplate;
  readonly idPath: Path;
  readonly replyPath: Path | undefined;
  readonly errorPath: Path | undefined;
}

const MAX_ERROR = 500;

const optionalPath = (text: string | undefined): Path | undefined =>
  text === undefined ? undefined : readPath(text);

const planOf = (operation: OperationSettings, idField: string): Plan => ({
  request: readTemplate(operation.request ?? { from: 'input' }),
  idPath: readPath(idField),
  replyPath: optionalPath(operation.reply),
  errorPath: optionalPath(operation.error),
});

const messageFor = (plan: Plan, scope: MessageScope): ((id: string) => string) => {
  const message = plan.request.fill(scope);
  if (!isRecord(message)) {
    throw new ToolFailure('VALIDATION_ERROR', 'The message to the service has to be an object.');
  }
  return (id) => JSON.stringify(withValueAt(message, plan.idPath, id));
};

const resultOf = (reply: unknown, { replyPath, errorPath }: Plan): unknown => {
  const error = errorPath && valueAt(reply, errorPath);
  if (error !== undefined && error !== null && error !== false) {
    const text = typeof error === 'string' ? error : JSON.stringify(error);
    const shown = visibleText(text.slice(0, MAX_ERROR));
    throw new ToolFailure('EXECUTION_FAILED', `The service answered with an error: ${shown}`);
  }
  if (!replyPath) return reply;
  const result = valueAt(reply, replyPath);
  if (result !== undefined) return result;
  throw new ToolFailure('OUTPUT_INVALID', 'The reply does not have the result where it should be.');
};

/** Asks the guard at every call: a connection that was allowed once is not used when it no longer is. */
const checkedAddress = async (
  { settings, shared }: OperationDeps,
  context: ToolContext,
): Promise<string> => {
  const { host, port } = socketTarget(new URL(ownSettings(settings).url));
  try {
    return await context.resolveHost(host, port);
  } catch (error) {
    const isForbidden = error instanceof ToolFailure && error.code !== 'NETWORK';
    if (isForbidden && !context.signal.aborted) shared.drop();
    throw error;
  }
};

/** Throws a `TemplateFault` for an operation whose settings cannot be read. */
export const buildOperation = (
  name: string,
  operation: OperationSettings,
  deps: OperationDeps,
): Tool => {
  const { settings, shared } = deps;
  const { url, correlation } = ownSettings(settings);
  const plan = planOf(operation, correlation.field);
  const secrets = [...plan.request.secrets, ...(deps.login?.secrets ?? [])];
  const fields = sourceToolFields(settings, {
    name,
    url: new URL(url),
    secrets,
    tier: operation.tier ?? 'external_api',
  });
  const isReading = fields.tier === 'read_only';
  return defineTool<unknown, unknown>({
    ...fields,
    name,
    description: operation.description,
    ...(isReading && { retry: RetryPolicies.STANDARD }),
    input: operation.input ?? { type: 'object', properties: {}, additionalProperties: false },
    ...(operation.output && { output: operation.output }),
    run: async (input, context) => {
      const address = await checkedAddress(deps, context);
      const secretOf = (key: string): Promise<string> => context.secret(key);
      const scope = await scopeOf(plan.request.secrets, input, secretOf);
      const reply = await shared.request({
        signal: context.signal,
        isRepeatable: isReading,
        text: messageFor(plan, scope),
        connect: (events) => connectService(deps, { secretOf, address }, events),
      });
      return resultOf(reply, plan);
    },
  }) as Tool;
};
