/** The rules that are looked for beside a configuration which names none. */
export const DEFAULT_POLICY_FILE = 'policy.yml';
