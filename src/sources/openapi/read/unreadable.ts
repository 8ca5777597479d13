/** The failure of a document that cannot be read. */
import { ToolFailure } from '../../../contract/errors.ts';

export const unreadable = (what: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The OpenAPI document cannot be read: ${what}.`, {
    suggestions: ['Check the address or the path, and that it is OpenAPI 3.0, 3.1 or Swagger 2.'],
  });
