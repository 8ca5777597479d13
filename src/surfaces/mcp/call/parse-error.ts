/** Says in the words of JSON-RPC why a message was not taken as JSON. */
import type { JsonFlaw } from '../../../kit/text/json-scan.ts';

export const parseError = ({ message, offset }: Pick<JsonFlaw, 'message' | 'offset'>) => ({
  code: -32700,
  message: `Parse error: at character ${offset + 1}, ${message}`,
});
