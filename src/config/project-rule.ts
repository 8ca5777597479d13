/**
 * What the configuration of a project may do with a setting. Each setting has its rule in the schema;
 * one without a rule can only be set by the user.
 */

/**
 * `inside` is a folder of the project that a path must stay in; with `belowUser`, in the user's as
 * well. `order` goes from the laxest to the strictest value.
 */
export type ProjectRule =
  | 'free'
  | 'user'
  | 'own'
  | 'lower'
  | 'lower-set'
  | 'higher'
  | 'off'
  | 'tool-off'
  | 'on'
  | 'union'
  | 'subset'
  | 'add'
  | 'spending'
  | 'loop'
  | { readonly order: readonly string[] }
  | { readonly inside: string; readonly belowUser?: true };

/** Marks a setting: `schema.meta(byProject('lower'))`. */
export const byProject = (rule: ProjectRule): { readonly project: ProjectRule } => ({
  project: rule,
});

const WORDS: Readonly<Record<Extract<ProjectRule, string>, string>> = {
  free: 'sets it',
  user: 'cannot set it',
  own: 'has its own beside yours',
  lower: 'lowers it',
  'lower-set': 'lowers what you have set',
  higher: 'raises it',
  off: 'switches it off',
  'tool-off': 'switches it off, unless you enforce the tool',
  on: 'switches it on',
  union: 'adds to it',
  subset: 'leaves entries out',
  add: 'sets it for names you have not used',
  spending: 'lowers it',
  loop: 'makes it stricter',
};

/** Describes the rule for a table: "a project …". */
export const ruleText = (rule: ProjectRule = 'user'): string => {
  if (typeof rule === 'string') return WORDS[rule];
  if ('order' in rule) return `moves it towards ${rule.order.at(-1)}`;
  return rule.belowUser
    ? 'names a folder in itself, below yours'
    : `names a place in ${rule.inside}`;
};
