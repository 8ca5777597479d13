/** The prompt and completion requests of a client, answered from the catalogs of the surface. */
import type { GetPromptResult, InputRequiredResult, Server } from '@modelcontextprotocol/server';
import type { CallContext } from '../call/call-context.ts';
import { askNeeded, laterDigest, openRound } from '../call/call-round.ts';
import type { ClientLink } from '../client-link.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { ListedPrompt, PromptAsked, PromptCatalog } from './collection.ts';
import { pageOf } from './page.ts';
import { fromCatalogs } from './serve-resources.ts';

const MAX_VALUES = 100;

const unique = (listed: readonly ListedPrompt[]): readonly ListedPrompt[] => {
  const byName = new Map<string, ListedPrompt>();
  for (const each of listed) if (!byName.has(each.name)) byName.set(each.name, each);
  return [...byName.values()];
};

const promptFrom = async (
  deps: ServerDeps,
  asked: PromptAsked,
  link: ClientLink,
): Promise<GetPromptResult> => {
  for (const catalog of deps.prompts) {
    const prompt = await catalog.get(asked, deps.session.caller, link);
    if (prompt) return { ...prompt, messages: [...prompt.messages] } as GetPromptResult;
  }
  const { ProtocolError, ProtocolErrorCode } = deps.sdk;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt');
};

const getPrompt = async (
  deps: ServerDeps,
  asked: PromptAsked,
  ctx: CallContext,
): Promise<GetPromptResult | InputRequiredResult> => {
  const round = openRound(deps, ctx, laterDigest('prompt', asked.name, asked.args));
  try {
    return await promptFrom(deps, asked, round.link);
  } catch (error) {
    const needed = await askNeeded(deps, round);
    if (needed) return needed;
    throw error;
  }
};

type Completing = Parameters<NonNullable<PromptCatalog['complete']>>[0];

const valuesFor = async (
  deps: ServerDeps,
  {
    prompt,
    template,
    ...asked
  }: Omit<Completing, 'prompt'> & { prompt?: string; template?: string },
): Promise<readonly string[]> => {
  if (template !== undefined) {
    for (const catalog of deps.resources) {
      const values = await catalog.complete?.({ ...asked, template }, deps.session.caller);
      if (values) return values;
    }
  }
  if (prompt !== undefined) {
    for (const catalog of deps.prompts) {
      const values = await catalog.complete?.({ ...asked, prompt }, deps.session.caller);
      if (values) return values;
    }
  }
  return [];
};

export const servePrompts = (server: Server, deps: ServerDeps): void => {
  const { pageSize: size } = deps;
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const listed = await fromCatalogs(
      deps.prompts,
      (catalog) => catalog.list(deps.session.caller),
      deps,
    );
    const request = { cursor: params?.cursor, size, keyOf: ({ name }: ListedPrompt) => name };
    const { items, ...next } = pageOf(unique(listed), request);
    const prompts = items.map((item) => ({ ...item, arguments: [...item.arguments] }));
    return { prompts, ...next };
  });
  server.setRequestHandler('prompts/get', ({ params }, ctx) =>
    getPrompt(deps, { name: params.name, args: params.arguments ?? {} }, ctx),
  );
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context } = params;
    const { arguments: given } = context ?? {};
    const completing = { argument: argument.name, typed: argument.value, ...(given && { given }) };
    const of = ref.type === 'ref/prompt' ? { prompt: ref.name } : { template: ref.uri };
    const values = await valuesFor(deps, { ...completing, ...of });
    const shown = values.slice(0, MAX_VALUES);
    return {
      completion: { values: shown, total: values.length, hasMore: shown.length < values.length },
    };
  });
};
