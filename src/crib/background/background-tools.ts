/**
 * Makes the tools that the job types `generate_embedding` and `send_notification` call, when their
 * services exist.
 */
import type { Config } from '../../config/schema.ts';
import type { Model } from '../../contract/model.ts';
import type { Source } from '../../contract/source.ts';
import type { Store } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CribOptions } from '../crib-options.ts';
import { programEmbedder } from './program-embedder.ts';

export interface BackgroundToolDeps {
  readonly config: Pick<Config, 'model'>;
  now(): number;
  store(): Promise<Store>;
}

/** Returns the price of embeddings; `undefined` when there are none. */
const priceOf = (
  { background, model }: CribOptions,
  config: BackgroundToolDeps['config'],
): { readonly price: NonNullable<Model['embedPrice']> | undefined } | undefined => {
  const { embeddings } = background ?? {};
  if (embeddings) return { price: programEmbedder(embeddings).embedPrice };
  if (model) return model.embed && { price: model.embedPrice };
  const settings = config.model?.embedding;
  if (!settings) return undefined;
  const { inputUsdPerMillion: inputPerMillion } = settings;
  if (inputPerMillion === undefined) return { price: 'unpriced' };
  return { price: { inputPerMillion, outputPerMillion: 0 } };
};

/** Tells whether there is a service for embeddings: the program's, its model, or the configured one. */
export const hasEmbeddings = (
  options: CribOptions,
  config: BackgroundToolDeps['config'],
): boolean => priceOf(options, config) !== undefined;

const embeddingTools = async (
  options: CribOptions,
  deps: BackgroundToolDeps,
): Promise<readonly Tool[]> => {
  const priced = priceOf(options, deps.config);
  if (!priced) return [];
  const [{ defineSaveEmbedding }, { defineSearchEmbeddings }, { defineDeleteEmbeddings }] =
    await Promise.all([
      import('../../tools/embeddings/save-embedding.ts'),
      import('../../tools/embeddings/search-embeddings.ts'),
      import('../../tools/embeddings/delete-embeddings.ts'),
    ]);
  const vectors = async () => (await deps.store()).vectors;
  const own = options.background?.embeddings;
  const common = { now: deps.now, ...(priced.price !== undefined && { price: priced.price }) };
  const save = defineSaveEmbedding({
    ...common,
    keep: async ({ kind: type, id, userId, vector, ...item }) =>
      own?.store
        ? own.store({ type, id, userId, vector })
        : (await vectors()).put({ ...item, kind: type, id, userId, vector }),
  });
  // A program that stores vectors elsewhere searches them there.
  if (own?.store) return [save as Tool];
  const search = { ...common, vectors };
  return [save, defineSearchEmbeddings(search), defineDeleteEmbeddings(search)] as readonly Tool[];
};

const pushTools = async (
  { background }: CribOptions,
  deps: BackgroundToolDeps,
): Promise<readonly Tool[]> => {
  const { push } = background ?? {};
  if (!push) return [];
  const [{ defineSendNotification }, { storedDevices }] = await Promise.all([
    import('../../tools/service/send-notification.ts'),
    import('../../job/push-devices.ts'),
  ]);
  const devices = storedDevices({ now: deps.now, memory: async () => (await deps.store()).memory });
  return [
    defineSendNotification({
      send: (message, signal) => push.send(message, signal),
      tokens: async (userId) => (push.tokens ? push.tokens(userId) : devices.tokens(userId)),
      removeToken: async (userId, tokenId) =>
        push.removeToken ? push.removeToken(tokenId) : devices.remove(userId, tokenId),
    }) as Tool,
  ];
};

/** Makes the source of these tools; none when there is no service. */
export const backgroundTools = (
  options: CribOptions,
  deps: BackgroundToolDeps,
): readonly Source[] => {
  if (!options.background?.push && !hasEmbeddings(options, deps.config)) return [];
  const load = async () => [
    ...(await embeddingTools(options, deps)),
    ...(await pushTools(options, deps)),
  ];
  return [{ kind: 'builtin', label: 'background', load }];
};
