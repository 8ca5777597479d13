/** "Always allow this pattern": proposes a condition, lets it be changed, says what it allows, asks again. */
import type { Decision } from '../../contract/approver.ts';
import { visibleItem, visibleJson } from '../../kit/text/visible-text.ts';
import { proposeCondition } from './propose-condition.ts';
import { agrees, ask, say, sayIndented, type Talk } from './terminal-dialog.ts';

const TRIES = 3;

const propose = (talk: Talk, proposal: string | undefined): string => {
  if (proposal === undefined) {
    say(talk, '  This input is too long or too odd to propose a condition for it.');
    return 'Type a condition; q or nothing = back';
  }
  say(talk, '  Always allow this tool and action when (the proposal fits this very input only):');
  sayIndented(talk, proposal);
  return 'Enter = take it; or type another condition; q = back';
};

/** A condition that can be used; `undefined` for none. */
const conditionOf = async (talk: Talk): Promise<string | undefined> => {
  const proposal = proposeCondition(talk.request.input);
  const prompt = propose(talk, proposal);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const line = (await ask(talk, prompt))?.trim();
    if (line === undefined || line.toLowerCase() === 'q') return undefined;
    const condition = line === '' ? proposal : line;
    if (condition === undefined) return undefined;
    const fault = await talk.options.checkCondition?.(condition);
    if (fault === undefined) return condition;
    sayIndented(talk, visibleItem(fault));
  }
  return undefined;
};

const consequence = ({ request }: Talk, condition: string): readonly string[] => {
  const { caller, tool, action } = request;
  const what = action === tool || action === '' ? tool : `${tool}, action ${action}`;
  return [
    `${visibleItem(what)}: runs without a question from now on`,
    visibleItem(`for user ${caller.userId} with agent ${caller.agentId}, in every session`),
    `whenever ${visibleJson(condition)}`,
    'What the condition does not speak of may be anything.',
    'It lasts until the tool changes or it is taken back: toolcrib permissions revoke <id>',
  ];
};

/** `undefined` goes back to the question. */
export const askPattern = async (
  talk: Talk,
): Promise<Pick<Decision, 'answer' | 'remember'> | undefined> => {
  const condition = await conditionOf(talk);
  if (condition === undefined) return undefined;
  say(talk, '', '  This allows:');
  sayIndented(talk, ...consequence(talk, condition));
  if (!(await agrees(talk, 'Run this call, and always allow that?'))) return undefined;
  return { answer: 'approve', remember: { scope: 'pattern', condition } };
};
