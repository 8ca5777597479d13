/**
 * Answers of a person in the messages of the AI SDK. Messages come from a client: what is read here is
 * no more than which call the person was asked about and what they said; the store decides whether
 * such a call waits.
 */
import type { AiSdkMessage } from '../contract/tool-sets.ts';

export interface PartAnswer {
  readonly name: string;
  readonly input: unknown;
  readonly approve: boolean;
}

type Part = Readonly<Record<string, unknown>>;

const partsIn = ({ content }: AiSdkMessage): readonly Part[] =>
  Array.isArray(content)
    ? content.filter((part): part is Part => typeof part === 'object' && part !== null)
    : [];

/** Returns the answers of the last message, each with the call that it is about. */
export const answersIn = (messages: readonly AiSdkMessage[]): readonly PartAnswer[] => {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [];
  const asked = messages.filter(({ role }) => role === 'assistant').flatMap(partsIn);
  const calls = new Map(
    asked.filter(({ type }) => type === 'tool-call').map((part) => [part.toolCallId, part]),
  );
  const requests = new Map(
    asked
      .filter(({ type }) => type === 'tool-approval-request')
      .map((part) => [part.approvalId, part.toolCallId]),
  );
  return partsIn(last).flatMap(({ type, approvalId, approved }) => {
    const call = calls.get(requests.get(approvalId));
    if (type !== 'tool-approval-response' || typeof approved !== 'boolean' || !call) return [];
    return [{ name: String(call.toolName), input: call.input, approve: approved }];
  });
};
