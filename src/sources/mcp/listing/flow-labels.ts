/**
 * Assigns labels to the results of a server's tool, and whether a call can carry data out. The user
 * decides; what the user leaves open counts as the worse case. The server has no influence.
 */
import type { AssignedFlow, Tier } from '../../../contract/tool.ts';
import type { ServerSettings } from '../server-settings.ts';

/** Tells whether a server is confined and has no access to user data: its results cannot be private. */
const seesNothingPrivate = ({ sandbox, env, roots }: ServerSettings): boolean =>
  sandbox !== undefined &&
  sandbox.read.length + sandbox.write.length === 0 &&
  Object.keys(env).length === 0 &&
  !roots;

/** Tells whether a server can send data out: it has a network and is not declared read-only. */
const canSend = ({ url, sandbox }: ServerSettings, tier: Tier): boolean => {
  if (url !== '') return true;
  if (sandbox !== undefined && sandbox.hosts.length === 0) return false;
  return tier !== 'read_only';
};

export const assignedFlow = (
  settings: ServerSettings,
  { name, tier }: { readonly name: string; readonly tier: Tier },
): AssignedFlow => {
  const { labels = {}, toolLabels = {} } = settings;
  const toolOwn = Object.hasOwn(toolLabels, name) ? (toolLabels[name] ?? {}) : {};
  const assigned = { ...labels, ...toolOwn };
  return {
    trust: assigned.trust ?? 'untrusted',
    sensitivity: assigned.sensitivity ?? (seesNothingPrivate(settings) ? 'public' : 'private'),
    sink: assigned.sink ?? canSend(settings, tier),
  };
};

/** Assigns what is read from a server beside its tools. */
export const serverFlow = (settings: ServerSettings): AssignedFlow =>
  assignedFlow({ ...settings, toolLabels: {} }, { name: '', tier: settings.tier });
