/** The `budget` section. */
import { z } from 'zod';
import { byProject } from '../project-rule.ts';
import { positiveCount, toolName, usd } from './fields.ts';

const lower = byProject('lower');

/** Limits of one kind of spender; each is checked by itself. */
const limits = (who: string) => ({
  usd: usd.exactOptional().describe(`US dollars ${who} may spend.`).meta(lower),
  calls: positiveCount.exactOptional().describe(`Calls ${who} may make.`).meta(lower),
  tokens: positiveCount.exactOptional().describe(`Tokens ${who} may use up.`).meta(lower),
});

const perTool = z
  .union([usd, z.strictObject(limits('this tool, for all users together,'))])
  .describe(
    'What all users together may spend on this tool in a day: US dollars, or several limits.',
  )
  .meta(byProject('spending'));

/** The limits of one tool as a mapping; a plain number is dollars. */
export type ToolBudget = z.output<typeof perTool>;

export const budgetSection = z
  .strictObject({
    dailyUsd: usd
      .describe('US dollars one user may spend in a day on all tools.')
      .meta(lower)
      .default(10),
    dailyCalls: positiveCount
      .exactOptional()
      .describe('Calls one user may make in a day.')
      .meta(lower),
    dailyTokens: positiveCount
      .exactOptional()
      .describe('Tokens the calls of one user may use up in a day.')
      .meta(lower),
    perTool: z
      .record(toolName, perTool)
      .describe('Daily limits of single tools, by name.')
      .default({}),
    perAgent: z
      .strictObject(limits('one agent in a day'))
      .exactOptional()
      .describe('Daily limits of every single agent.'),
    perSession: z
      .strictObject(limits('one session'))
      .exactOptional()
      .describe('Limits of every single session.'),
    perFlow: z
      .strictObject(limits('one run of a flow'))
      .exactOptional()
      .describe('Limits of every single run of a flow.'),
  })
  .describe('How much calls may cost.')
  .prefault({});
