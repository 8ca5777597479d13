/**
 * Answers requests of a server for the language model of the client whose call runs. They spend the
 * client's model on a prompt of the server, so they are refused by name unless the user allowed them
 * for this server and the client supports them. The answer goes to the server only.
 */
import type {
  Client,
  CreateMessageRequest,
  CreateMessageResult,
} from '@modelcontextprotocol/client';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { linkOf } from '../call/question-link.ts';
import type { RunningCall, RunningCalls } from '../call/running-calls.ts';
import type { QuestionDeps } from './answer-questions.ts';

const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;
/** Of all messages of one request, in characters. */
const MAX_PROMPT = 200_000;
const MAX_TOKENS = 16_384;

const refusal = (message: string, code: number): Error =>
  Object.assign(new Error(message), { code });

type Params = CreateMessageRequest['params'];

/** Forwards harmless fields only: no context of other servers, and no tools for the client's model. */
const forwardedParams = ({
  messages,
  systemPrompt,
  temperature,
  stopSequences,
  ...rest
}: Params) => ({
  messages,
  maxTokens: Math.min(rest.maxTokens, MAX_TOKENS),
  ...(systemPrompt !== undefined && { systemPrompt }),
  ...(temperature !== undefined && { temperature }),
  ...(stopSequences !== undefined && { stopSequences }),
  ...(rest.modelPreferences !== undefined && { modelPreferences: rest.modelPreferences }),
});

const faultOf = (params: Params): string | undefined => {
  if (params.tools !== undefined || params.toolChoice !== undefined) {
    return 'the model is lent without tools';
  }
  return JSON.stringify(params.messages).length > MAX_PROMPT ? 'the prompt is too long' : undefined;
};

const noModel = (call: RunningCall | undefined, calls: RunningCalls): string => {
  if (call) return 'the client of the call cannot sample';
  if (calls.size <= 1) return 'no call runs on this server';
  return 'several calls of different callers run on this server, and it is not known whose is meant';
};

/** Answers requests of a server that may use the model. */
const lendModel = (client: Client, calls: RunningCalls, { settings, deps }: QuestionDeps): void => {
  const { name: server } = settings;
  const refuse = (reason: string): never => {
    deps.runtime.log.warn('Sampling of an MCP server was refused', { server, reason });
    throw refusal(`Sampling is refused: ${reason} (${server}).`, INVALID_REQUEST);
  };
  client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
    const fault = faultOf(params);
    if (fault !== undefined) return refuse(fault);
    const call = calls.askedBy(linkOf(mcpReq._meta), 'sample');
    const sample = call?.askers.sample;
    if (!sample) return refuse(noModel(call, calls));
    try {
      const answer = await sample({ server, params: forwardedParams(params) });
      return answer as unknown as CreateMessageResult;
    } catch (error) {
      return refuse(deps.redact(reasonOf(error)));
    }
  });
};

/** Refuses by name every request that the client did not announce. */
const refuseOthers = (client: Client, { settings: { name } }: QuestionDeps): void => {
  client.fallbackRequestHandler = async ({ method }) => {
    const reason =
      method === 'sampling/createMessage'
        ? `Sampling is refused: the user allows it per server, with \`sampling: true\``
        : 'Method not found';
    throw refusal(`${reason} (${name}: ${method}).`, METHOD_NOT_FOUND);
  };
};

export const answerSampling = (
  client: Client,
  calls: RunningCalls,
  questionDeps: QuestionDeps,
): void => {
  refuseOthers(client, questionDeps);
  if (questionDeps.settings.sampling === true) lendModel(client, calls, questionDeps);
};
