/** The prompt and completion requests of a client, answered from the shelves of the surface. */
import type { GetPromptResult, InputRequiredResult, Server } from '@modelcontextprotocol/server';
import type { CallContext } from '../call/call-context.ts';
import { askNeeded, laterDigest, openRound } from '../call/call-round.ts';
import type { ClientLink } from '../client-link.ts';
import type { ServerSite } from '../server-site.ts';
import type { ListedPrompt, PromptAsked, PromptShelf } from './collection.ts';
import { pageOf } from './page.ts';
import { fromShelves } from './serve-resources.ts';

const MAX_VALUES = 100;

const unique = (listed: readonly ListedPrompt[]): readonly ListedPrompt[] => {
  const byName = new Map<string, ListedPrompt>();
  for (const each of listed) if (!byName.has(each.name)) byName.set(each.name, each);
  return [...byName.values()];
};

const promptFrom = async (
  site: ServerSite,
  asked: PromptAsked,
  link: ClientLink,
): Promise<GetPromptResult> => {
  for (const shelf of site.prompts) {
    const prompt = await shelf.get(asked, site.session.caller, link);
    if (prompt) return { ...prompt, messages: [...prompt.messages] } as GetPromptResult;
  }
  const { ProtocolError, ProtocolErrorCode } = site.sdk;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown prompt');
};

const getPrompt = async (
  site: ServerSite,
  asked: PromptAsked,
  ctx: CallContext,
): Promise<GetPromptResult | InputRequiredResult> => {
  const round = openRound(site, ctx, laterDigest('prompt', asked.name, asked.args));
  try {
    return await promptFrom(site, asked, round.link);
  } catch (error) {
    const needed = await askNeeded(site, round);
    if (needed) return needed;
    throw error;
  }
};

type Completing = Parameters<NonNullable<PromptShelf['complete']>>[0];

const valuesFor = async (
  site: ServerSite,
  {
    prompt,
    template,
    ...asked
  }: Omit<Completing, 'prompt'> & { prompt?: string; template?: string },
): Promise<readonly string[]> => {
  if (template !== undefined) {
    for (const shelf of site.resources) {
      const values = await shelf.complete?.({ ...asked, template });
      if (values) return values;
    }
  }
  if (prompt !== undefined) {
    for (const shelf of site.prompts) {
      const values = await shelf.complete?.({ ...asked, prompt }, site.session.caller);
      if (values) return values;
    }
  }
  return [];
};

export const servePrompts = (server: Server, site: ServerSite): void => {
  const { sdk, pageSize: size } = site;
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const listed = await fromShelves(
      site.prompts,
      (shelf) => shelf.list(site.session.caller),
      site,
    );
    const request = { cursor: params?.cursor, size, keyOf: ({ name }: ListedPrompt) => name };
    const { items, ...next } = pageOf(unique(listed), request, sdk);
    const prompts = items.map((item) => ({ ...item, arguments: [...item.arguments] }));
    return { prompts, ...next };
  });
  server.setRequestHandler('prompts/get', ({ params }, ctx) =>
    getPrompt(site, { name: params.name, args: params.arguments ?? {} }, ctx),
  );
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { ref, argument, context } = params;
    const given = context?.arguments;
    const asked = { argument: argument.name, typed: argument.value, ...(given && { given }) };
    const of = ref.type === 'ref/prompt' ? { prompt: ref.name } : { template: ref.uri };
    const values = await valuesFor(site, { ...asked, ...of });
    const shown = values.slice(0, MAX_VALUES);
    return {
      completion: { values: shown, total: values.length, hasMore: shown.length < values.length },
    };
  });
};
