/** Judges what a tool of a team wants to reach: a compromised catalog must not reach the user's machine. */
import type { Tool } from '../../contract/tool.ts';

/** Says why a tool of a team must not be loaded; nothing for one that may. */
export const teamRefusal = (
  { needs, auth }: Pick<Tool, 'needs' | 'auth'>,
  granted: readonly string[],
): string | undefined => {
  if (needs?.commands?.length) return 'A tool of a team runs no programs of this machine.';
  if (needs?.localHosts?.length) return 'A tool of a team reaches no hosts on this machine.';
  const keys = [...(needs?.secrets ?? []), ...(auth ? [auth.configKey] : [])];
  const missing = keys.find((key) => !granted.includes(key));
  if (missing === undefined) return undefined;
  return `It needs the secret ${missing}; add the key to teams.secrets if the team may use it.`;
};
