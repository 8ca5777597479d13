/** `send_notification`: sends a message to each device of a user, through the push service of the program. */
import { z } from 'zod';
import type { PushMessage, PushToken } from '../../contract/background-services.ts';
import { type Caller, isOwner } from '../../contract/caller.ts';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { errorCodeOf, reasonOf } from '../../kit/data/reason-of.ts';

export interface SendNotificationDeps {
  send(message: PushMessage, signal: AbortSignal): Promise<void>;
  tokens(userId: string): Promise<readonly PushToken[]>;
  /** Removes a device that no longer exists. */
  removeToken(userId: string, tokenId: string): Promise<unknown>;
}

const MAX_DEVICES_AT_ONCE = 20;

const input = () =>
  z.strictObject({
    userId: z.string().min(1).optional().describe('Who is told; the caller itself when absent.'),
    title: z.string().trim().min(1).max(200).describe('The headline.'),
    body: z.string().trim().min(1).max(4_000).describe('The message.'),
    data: z.record(z.string(), z.unknown()).optional().describe('Data for the app.'),
  });

const output = () =>
  z.strictObject({
    tokenCount: z.int().describe('Devices of the user.'),
    successCount: z.int().describe('Devices that were sent to.'),
    removed: z.int().describe('Devices that are gone and were forgotten.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

/** Tells whether a caller may notify a user: the addressee comes from an input that anyone may write. */
const mayNotify = (caller: Caller, addressee: string): boolean =>
  caller.userId === addressee || isOwner(caller);

type Outcome = 'sent' | 'gone' | ToolFailure;

/** Makes the failure of one device, without the token, which the service may quote. */
const failureOf = (error: unknown, token: string): ToolFailure =>
  new ToolFailure('SERVER_ERROR', reasonOf(error).replaceAll(token, '[token]'));

const sendTo = async (
  message: PushMessage,
  signal: AbortSignal,
  { send }: SendNotificationDeps,
): Promise<Outcome> => {
  try {
    signal.throwIfAborted();
    await send(message, signal);
    return 'sent';
  } catch (error) {
    return errorCodeOf(error) === 'INVALID_TOKEN' ? 'gone' : failureOf(error, message.token);
  }
};

/** Sends to a few devices at a time: a user may have many. */
const sendToAll = async (
  tokens: readonly PushToken[],
  message: Pick<PushMessage, 'title' | 'body' | 'data'>,
  run: (message: PushMessage) => Promise<Outcome>,
): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < tokens.length; from += MAX_DEVICES_AT_ONCE) {
    const part = tokens.slice(from, from + MAX_DEVICES_AT_ONCE);
    const sent = part.map(({ token, platform }) => run({ ...message, token, platform }));
    outcomes.push(...(await Promise.all(sent)));
  }
  return outcomes;
};

const notify = async (
  { userId, title, body, data }: Input,
  context: ToolContext,
  deps: SendNotificationDeps,
): Promise<Output> => {
  const addressee = userId ?? context.userId;
  const tokens = await deps.tokens(addressee);
  const message = { title, body, ...(data && { data }) };
  const outcomes = await sendToAll(tokens, message, (each) => sendTo(each, context.signal, deps));
  const gone = tokens.filter((_, at) => outcomes[at] === 'gone');
  for (const { id } of gone) await deps.removeToken(addressee, id);
  const failures = outcomes.filter((each) => each instanceof ToolFailure);
  const successCount = outcomes.filter((each) => each === 'sent').length;
  // Nothing was sent and a device may still be reachable: another attempt repeats no message.
  if (successCount === 0 && failures[0]) throw failures[0];
  if (failures.length > 0) context.warn(`${failures.length} devices could not be reached.`);
  return { tokenCount: tokens.length, successCount, removed: gone.length };
};

export const defineSendNotification = (deps: SendNotificationDeps): Tool<Input, Output> =>
  defineTool({
    name: 'send_notification',
    description: 'Sends a push notification to the devices of a user.',
    source: 'builtin',
    category: 'service',
    tier: 'external_api',
    tags: ['notification', 'push', 'message'],
    permissions: ['tool:notifications'],
    capabilities: [{ action: 'notify', description: 'Send a push notification.' }],
    cost: { model: 'free' },
    timeoutMs: 30_000,
    // It is sent to people, and carries data out of the machine.
    sink: true,
    validators: [
      {
        name: 'addressee',
        check: ({ userId }: Input, { caller }) =>
          userId === undefined || mayNotify(caller, userId)
            ? undefined
            : 'Only an owner or admin may notify other users.',
      },
    ],
    input,
    output,
    run: (request, context) => notify(request, context, deps),
  });
