/**
 * Says who may add jobs of which type, and to which queue. What the handler of a program does is code that no
 * rule judges, so an agent needs the word of the program or of whoever made its token.
 */
import type { Caller } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import { DEFAULT_QUEUE, type JobType } from './job-types.ts';

/** What these do is calls, each judged by itself. */
const JUDGED_TYPES: ReadonlySet<string> = new Set(['tool', 'flow']);

/** Roles of people; whoever comes through a surface with none of them counts as an agent. */
const PEOPLE: ReadonlySet<string> = new Set(['owner', 'admin', 'operator']);

const isAgent = ({ roles, authenticated }: Caller): boolean =>
  (authenticated !== undefined || roles.includes('agent')) &&
  !roles.some((role) => PEOPLE.has(role));

type AddedType = Pick<JobType, 'type' | 'openToAgents'>;

const mayAdd = ({ type, openToAgents }: AddedType, caller: Caller): boolean => {
  if (JUDGED_TYPES.has(type)) return true;
  if (caller.tools) return caller.tools.includes(`job:${type}`);
  return openToAgents === true || !isAgent(caller);
};

/** Throws PERMISSION_DENIED for a caller who may not add jobs of this type. */
export const assertMayAdd = (type: AddedType, caller: Caller): void => {
  if (mayAdd(type, caller)) return;
  const { type: name } = type;
  const remedy = caller.tools
    ? `Ask for a token whose tools name job:${name}.`
    : `Register ${name} with openToAgents, or use a token whose tools name job:${name}.`;
  throw new ToolFailure('PERMISSION_DENIED', `You may not add jobs of the type ${name}.`, {
    suggestions: [remedy],
  });
};

/**
 * Throws PERMISSION_DENIED for an agent that chooses a queue which the program does not have, or another than
 * the one that its program gave a type: the first would be kept for good, the second has no rate of that queue.
 */
export const assertMayChoose = (
  { queue, caller }: { readonly queue: string; readonly caller: Caller },
  { type, queue: own }: Pick<JobType, 'type' | 'queue'>,
  queues: readonly string[],
): void => {
  if (queue === own || !isAgent(caller)) return;
  if (own === DEFAULT_QUEUE && queues.includes(queue)) return;
  const message = `You may not add jobs of the type ${type} to the queue ${queue}.`;
  throw new ToolFailure('PERMISSION_DENIED', message, {
    suggestions: ['Leave the queue out: the type has one.'],
  });
};
