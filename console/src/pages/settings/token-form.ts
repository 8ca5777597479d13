/** A new token as the form has it, what is wrong with it, and what is sent. */
import type { Role } from '../../api/call-records.ts';

export interface TokenForm {
  readonly name: string;
  readonly role: Role;
  /** Days as text; empty is for ever. */
  readonly days: string;
  /** Names with commas or spaces between them; empty is all. */
  readonly tools: string;
  /** Dollars as text; empty is no limit. */
  readonly dailyUsd: string;
  /** Empty is the server's own. */
  readonly isolation: string;
}

export const ROLES: readonly (readonly [Role, string])[] = [
  ['agent', 'calls tools, reads its own calls'],
  ['viewer', 'reads everything, changes nothing'],
  ['operator', 'also decides approvals, undoes, restarts servers'],
  ['admin', 'also tokens, settings and permissions'],
];

/** Ninety days: a token that nobody remembers should not work for ever. */
export const EMPTY_TOKEN: TokenForm = {
  name: '',
  role: 'agent',
  days: '90',
  tools: '',
  dailyUsd: '',
  isolation: '',
};

export type TokenProblems = Readonly<Partial<Record<keyof TokenForm, string>>>;

export const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
export const NAME_PROBLEM =
  '1 to 64 letters, digits, “.”, “_” or “-”, and a letter or digit first.';
const MAX_DAYS = 3650;
const MAX_USD = 1_000_000;

const isAmount = (text: string): boolean => /^\d+(\.\d+)?$/.test(text.trim());

export const tokenProblems = ({ name, days, dailyUsd }: TokenForm): TokenProblems => {
  const lasts = Number(days);
  return {
    ...(!NAME.test(name.trim()) && { name: NAME_PROBLEM }),
    ...(days.trim() !== '' &&
      !(isAmount(days) && lasts > 0 && lasts <= MAX_DAYS) && {
        days: `More than 0 and at most ${MAX_DAYS} days, or blank for no end.`,
      }),
    ...(dailyUsd.trim() !== '' &&
      !(isAmount(dailyUsd) && Number(dailyUsd) <= MAX_USD) && {
        dailyUsd: 'An amount in dollars, or blank for no limit of its own.',
      }),
  };
};

/** Makes the request body; only for a form without problems. */
export const tokenBody = (form: TokenForm): Readonly<Record<string, unknown>> => {
  const tools = form.tools.split(/[\s,]+/).filter(Boolean);
  return {
    name: form.name.trim(),
    role: form.role,
    ...(form.days.trim() !== '' && { expiresInDays: Number(form.days) }),
    ...(tools.length > 0 && { tools }),
    ...(form.dailyUsd.trim() !== '' && { dailyUsd: Number(form.dailyUsd) }),
    ...(form.isolation !== '' && { isolation: form.isolation }),
  };
};
