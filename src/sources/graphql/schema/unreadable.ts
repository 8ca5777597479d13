/** The failure of a schema that cannot be read. */
import { ToolFailure } from '../../../contract/errors.ts';

export const unreadable = (reason: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The schema cannot be read: ${reason}`, {
    suggestions: ['Give a schema file in GraphQL or as introspection JSON: the setting `schema`.'],
  });
