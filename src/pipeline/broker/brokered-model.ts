/**
 * Makes the model that a tool is handed: before each question the most that it can cost is held, and
 * afterwards its actual cost is counted, whether the tool reports it or not.
 */
import type { Call } from '../../contract/call.ts';
import type { Model, ModelReply } from '../../contract/model.ts';
import type { Spending } from '../../contract/store.ts';
import { boundedMicros } from '../../governance/ledger/estimate-cost.ts';
import { modelUsd } from '../../governance/ledger/most-cost.ts';
import type { Purse } from '../budget/purse.ts';
import {
  assertConverseRequest,
  assertEmbedRequest,
  assertModelRequest,
  MAX_ANSWER_TOKENS,
} from './context-checks.ts';

/** Tokens for roles and separators, which vendors count as well. */
const MAX_FRAME_TOKENS = 256;

export interface ModelBudget {
  purse(call: Call<'ready'>): Purse;
}

interface Question {
  readonly call: Call<'ready'>;
  readonly price: Model['price'];
  readonly budget: ModelBudget;
}

/** Counts bytes: no tokenizer makes more tokens of a text than it has bytes. */
const mostTokens = (...texts: readonly unknown[]): number => {
  let bytes = MAX_FRAME_TOKENS;
  for (const text of texts) {
    if (text === undefined) continue;
    bytes += Buffer.byteLength(typeof text === 'string' ? text : JSON.stringify(text), 'utf8');
  }
  return bytes;
};

interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Holds the most a question can cost, and returns it; throws when the budget does not cover it. */
const holdFor = async (
  { call, price }: Question,
  purse: Purse,
  used: Tokens,
): Promise<Spending> => {
  const usd = modelUsd(call.ready.tool, price, used);
  const tokens = used.inputTokens + used.outputTokens;
  if (usd === undefined) return purse.askOpen(tokens);
  const most = { micros: boundedMicros(usd), tokens };
  await purse.ask(most);
  return most;
};

const count = (value: number): number =>
  Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0;

/** The part of a reply that gives its cost; an embedding has no output tokens. */
type Priced = Pick<ModelReply, 'inputTokens' | 'costUsd'> &
  Partial<Pick<ModelReply, 'outputTokens'>>;

const actualOf = ({ call, price }: Question, reply: Priced): Spending => {
  const inputTokens = count(reply.inputTokens);
  const outputTokens = count(reply.outputTokens ?? 0);
  const usd = reply.costUsd ?? modelUsd(call.ready.tool, price, { inputTokens, outputTokens });
  return { micros: boundedMicros(usd ?? 0), tokens: inputTokens + outputTokens };
};

const paid = async <R extends Priced>(
  question: Question,
  used: Tokens,
  ask: () => Promise<R>,
): Promise<R> => {
  const { call, budget } = question;
  const purse = budget.purse(call);
  const most = await holdFor(question, purse, used);
  let reply: R;
  try {
    reply = await ask();
  } catch (error) {
    // A question that was cut off may have been answered, and paid, all the same.
    const isCutOff = call.control.aborted;
    await purse.answered(most, isCutOff ? most : { micros: 0, tokens: 0 });
    throw error;
  }
  await purse.answered(most, actualOf(question, reply));
  return reply;
};

/** Makes `embed`, which is there without a language model, too. */
const brokeredEmbed = (question: Omit<Question, 'price'>, model: Model): Pick<Model, 'embed'> => {
  const { embed, embedPrice } = model;
  if (!embed) return {};
  return {
    embed: async (request) => {
      assertEmbedRequest(request);
      const used = { inputTokens: mostTokens(request.text), outputTokens: 0 };
      return paid({ ...question, price: embedPrice }, used, () => embed.call(model, request));
    },
  };
};

export const brokeredModel = (call: Call<'ready'>, model: Model, budget: ModelBudget): Model => {
  const embedding = brokeredEmbed({ call, budget }, model);
  if (!model.configured) return { ...model, ...embedding };
  const question = { call, price: model.price, budget };
  const { converse } = model;
  return {
    configured: true,
    ...(model.price !== undefined && { price: model.price }),
    ...embedding,
    generate: async (request) => {
      assertModelRequest(request);
      const { system, prompt, schema, maxTokens = MAX_ANSWER_TOKENS } = request;
      const inputTokens = mostTokens(system, prompt, schema);
      const used = { inputTokens, outputTokens: maxTokens };
      return paid(question, used, () => model.generate({ ...request, maxTokens }));
    },
    ...(converse && {
      converse: async (request) => {
        assertConverseRequest(request);
        const { system, messages, tools, maxTokens = MAX_ANSWER_TOKENS } = request;
        const inputTokens = mostTokens(system, messages, tools);
        const used = { inputTokens, outputTokens: maxTokens };
        return paid(question, used, () => converse.call(model, { ...request, maxTokens }));
      },
    }),
  };
};
