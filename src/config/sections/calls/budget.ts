/** The `budget` section. */
import { z } from 'zod';
import { positiveCount, toolName, usd } from '../fields.ts';
import { described, optionalSetting, section, setting } from '../setting.ts';

/** Makes the limits of one kind of spender; each is checked separately. */
const limits = (who: string) => ({
  usd: optionalSetting(usd, { about: `US dollars ${who} may spend.`, project: 'lower' }),
  calls: optionalSetting(positiveCount, { about: `Calls ${who} may make.`, project: 'lower' }),
  tokens: optionalSetting(positiveCount, { about: `Tokens ${who} may use up.`, project: 'lower' }),
});

const perTool = described(
  z.union([usd, z.strictObject(limits('this tool, for all users together,'))]),
  {
    about:
      'What all users together may spend on this tool in a day: US dollars, or several limits.',
    project: 'spending',
  },
);

/** Makes the rate at which one caller may start something. */
const startRate = (
  what: string,
  defaults: { readonly minute: number; readonly hour: number },
  verb = 'start',
) =>
  section(
    z.strictObject({
      perMinute: setting(positiveCount, {
        about: `The most ${what} of one caller in a minute.`,
        project: 'lower',
        default: defaults.minute,
      }),
      perHour: setting(positiveCount, {
        about: `The most ${what} of one caller in an hour.`,
        project: 'lower',
        default: defaults.hour,
      }),
    }),
    `How many ${what} one caller may ${verb}.`,
  );

const starts = section(
  z.strictObject({
    runs: startRate('runs of flows', { minute: 300, hour: 5_000 }),
    jobs: startRate('jobs and schedules', { minute: 1_000, hour: 20_000 }),
    events: startRate('events for runs', { minute: 600, hour: 12_000 }, 'send'),
  }),
  'What one caller may start in the background. The program itself and its user at the terminal are not limited.',
);

export const budgetSection = section(
  z.strictObject({
    dailyUsd: setting(usd, {
      about: 'US dollars one user may spend in a day on all tools.',
      project: 'lower',
      default: 10,
    }),
    dailyCalls: optionalSetting(positiveCount, {
      about: 'Calls one user may make in a day.',
      project: 'lower',
    }),
    dailyTokens: optionalSetting(positiveCount, {
      about: 'Tokens the calls of one user may use up in a day.',
      project: 'lower',
    }),
    unknownUsd: optionalSetting(usd, {
      about:
        'US dollars held for a call whose price nobody can tell beforehand. A tool that declares no price may not charge more for one call. 1 when absent.',
      project: 'lower',
    }),
    unknownTokens: optionalSetting(positiveCount, {
      about:
        'Tokens held for a call that cannot tell beforehand how many it uses, where a limit counts tokens. 100,000 when absent.',
      project: 'lower',
    }),
    perTool: setting(z.record(toolName, perTool), {
      about: 'Daily limits of single tools, by name.',
      default: {},
    }),
    perAgent: optionalSetting(z.strictObject(limits('one agent in a day')), {
      about: 'Daily limits of every single agent.',
    }),
    perSession: optionalSetting(z.strictObject(limits('one session')), {
      about: 'Limits of every single session.',
    }),
    perFlow: optionalSetting(z.strictObject(limits('one run of a flow')), {
      about: 'Limits of every single run of a flow.',
    }),
    starts,
  }),
  'How much calls may cost.',
);
