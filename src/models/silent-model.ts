/** Removes the warnings of a model: the library would print them to the console of the host. */
import type { VendorModel } from './model-settings.ts';

type Library = typeof import('ai');

export const silentModel = (library: Library, model: VendorModel): VendorModel =>
  library.wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v3',
      wrapGenerate: async ({ doGenerate }) => ({ ...(await doGenerate()), warnings: [] }),
      wrapStream: async ({ doStream }) => {
        const { stream, ...rest } = await doStream();
        const quiet = new TransformStream({
          transform: (part: { readonly type: string }, controller) =>
            controller.enqueue(part.type === 'stream-start' ? { ...part, warnings: [] } : part),
        });
        return { ...rest, stream: stream.pipeThrough(quiet) as typeof stream };
      },
    },
  });
