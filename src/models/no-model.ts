/** The model of a crib that has none: it says how to configure one. */
import { ToolFailure } from '../contract/errors.ts';
import type { Model } from '../contract/model.ts';

export const createNoModel = (): Model => ({
  configured: false,
  generate: () =>
    Promise.reject(
      new ToolFailure('MODEL_NOT_CONFIGURED', undefined, {
        suggestions: [
          'Add a `model` section to .toolcrib/config.yml: provider, model and apiKeyRef.',
          'Or pass `model` to createCrib.',
        ],
      }),
    ),
});
