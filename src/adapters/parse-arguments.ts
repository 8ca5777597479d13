/** The arguments of a call, as the text that a model wrote. */
import type { JsonSchema } from '../contract/schema.ts';
import { parseStrictJson } from '../kit/text/strict-json.ts';
import { dropNulls } from './drop-nulls.ts';
import type { TurnCall } from './run-turn.ts';

const parse = (text: unknown): TurnCall['input'] => {
  if (typeof text !== 'string') return { value: text ?? {} };
  // Nothing at all is how some models say "none".
  if (text.trim() === '') return { value: {} };
  const json = parseStrictJson(text);
  if ('value' in json) return json;
  const { kind, message } = json.flaw;
  const reason = kind === 'syntax' ? 'not JSON' : `refused: ${message}`;
  return { fault: `The arguments are ${reason}. Send them again, whole and as one JSON object.` };
};

/** Parses them, and takes out the nulls that strict mode of OpenAI has models write. */
export const parseArguments = (
  text: unknown,
  schema: JsonSchema | undefined,
): TurnCall['input'] => {
  const input = parse(text);
  if (!schema || 'fault' in input) return input;
  return { value: dropNulls(input.value, schema) };
};
