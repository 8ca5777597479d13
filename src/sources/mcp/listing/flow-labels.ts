/**
 * What the results of a server's tool are, and whether a call carries data out. The user says so; what
 * is not said is taken to be the worse. The server has no say in it.
 */
import type { AssignedFlow, Tier } from '../../../contract/tool.ts';
import type { ServerSettings } from '../server-settings.ts';

/** Confined, and given nothing of the user: what it returns cannot be the user's. */
const seesNothingPrivate = ({ sandbox, env, roots }: ServerSettings): boolean =>
  sandbox !== undefined &&
  sandbox.read.length + sandbox.write.length === 0 &&
  Object.keys(env).length === 0 &&
  !roots;

/** A program without a network has nobody to tell. One that the user calls a reader sends nothing. */
const canTell = ({ url, sandbox }: ServerSettings, tier: Tier): boolean => {
  if (url !== '') return true;
  if (sandbox !== undefined && sandbox.hosts.length === 0) return false;
  return tier !== 'read_only';
};

export const assignedFlow = (
  settings: ServerSettings,
  { name, tier }: { readonly name: string; readonly tier: Tier },
): AssignedFlow => {
  const { labels = {}, toolLabels = {} } = settings;
  const own = Object.hasOwn(toolLabels, name) ? (toolLabels[name] ?? {}) : {};
  const said = { ...labels, ...own };
  return {
    trust: said.trust ?? 'untrusted',
    sensitivity: said.sensitivity ?? (seesNothingPrivate(settings) ? 'public' : 'private'),
    sink: said.sink ?? canTell(settings, tier),
  };
};
