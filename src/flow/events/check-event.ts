/** Guards what a run is sent: plain JSON data of bounded size, since each event is kept until it is taken. */
import { ToolFailure } from '../../contract/errors.ts';
import { jsonValue } from '../../kit/data/json-value.ts';
import { issuesText } from '../../kit/text/issues-text.ts';

export const MAX_EVENT_BYTES = 262_144;

const refuse = (path: string, message: string): never => {
  const issues = [{ path: [path], message }];
  throw new ToolFailure('VALIDATION_ERROR', `The event cannot be sent: ${issuesText(issues)}`, {
    issues,
    suggestions: ['Send plain JSON data; keep what is large elsewhere and name it in the payload.'],
  });
};

const plainPayload = (payload: unknown): unknown => {
  try {
    return jsonValue(payload);
  } catch {
    return refuse('payload', 'is no JSON');
  }
};

/** Returns a copy of the payload as JSON has it. Throws VALIDATION_ERROR for one that cannot be kept. */
export const checkEvent = (name: string, payload: unknown): unknown => {
  const plain = plainPayload(payload);
  const bytes = Buffer.byteLength(JSON.stringify([name, plain]));
  if (bytes > MAX_EVENT_BYTES) {
    refuse('payload', `has ${bytes} bytes with the name; at most ${MAX_EVENT_BYTES} are kept`);
  }
  return plain;
};
