/**
 * What the console shows of the set-up of this server: settings and their sources, the rules in
 * force, whether a credential exists. Never a secret, nor a value that could hold one.
 */
import { ANY_NAME } from '../config/document/config-fields.ts';
import { valueAt } from '../config/document/config-tree.ts';
import { describeConfig } from '../config/document/describe.ts';
import type { LoadedSettings } from '../config/loaded-settings.ts';
import type { Logger } from '../contract/runtime.ts';
import { openPolicy } from '../crib/open-policy.ts';
import { openSecrets, type SecretDeps } from '../crib/open-secrets.ts';
import { readUserKey } from '../crib/user-folder.ts';
import { readLinkToken } from '../governance/approvals/approval-link.ts';
import { flowRules, TIER_RULES } from '../governance/policy/builtin-rules.ts';
import { parsePolicy } from '../governance/policy/document/parse-policy.ts';
import { originOf, type PolicySource } from '../governance/policy/document/policy-document.ts';
import { verifySignature } from '../governance/signing/verify-signature.ts';
import type { PolicyView, RuleView, SettingLine } from '../surfaces/http/http-deps.ts';

/** Settings below a name of the user's choice hold commands, headers and variables, which are not shown. */
const isBelowName = (path: string): boolean => path.includes(ANY_NAME);

const serverNames = ({ config, provenance }: LoadedSettings): SettingLine => ({
  path: 'mcp.servers',
  value: Object.keys(config.mcp.servers),
  default: [],
  source: provenance('mcp.servers'),
  description: 'The MCP servers, by name.',
});

export const settingLines = (loaded: LoadedSettings): readonly SettingLine[] => [
  ...describeConfig()
    .filter(({ path }) => !isBelowName(path))
    .map(({ path, default: usual, description }) => {
      const at = valueAt(loaded.config, path.split('.'));
      const value = at.isSet ? at.value : null;
      return {
        path,
        value,
        default: usual ?? null,
        source: loaded.provenance(path),
        description,
      };
    }),
  serverNames(loaded),
];

const writtenRules = (source: PolicySource): readonly RuleView[] =>
  (source.document.rules ?? [])
    // A project's policy cannot allow anything.
    .filter(({ effect }) => source.kind !== 'project' || effect !== 'allow')
    .map(({ name, effect, tools, tiers, when, reason, shadow }, index) => ({
      id: name,
      effect,
      source: originOf(source, ['rules', index]),
      ...(tools && { tools }),
      ...(tiers && { tiers }),
      ...(when !== undefined && { condition: when }),
      ...(reason !== undefined && { reason }),
      shadow: source.document.shadow === true || shadow === true,
    }));

const shippedRules = (
  { policy }: LoadedSettings['config'],
  hasTiers: boolean,
): readonly RuleView[] =>
  [...(hasTiers ? TIER_RULES : []), ...flowRules(policy.flow)].map(
    ({ name, effect, tiers, when, reason }) => ({
      id: name,
      effect,
      source: 'built in',
      ...(tiers && { tiers }),
      ...(when !== undefined && { condition: when }),
      reason,
      shadow: false,
    }),
  );

/** Lists the rules in force, in the order in which they are considered. */
export const policyView = async (
  { config, policyFiles }: LoadedSettings,
  log: Logger,
): Promise<PolicyView> => {
  const { version } = await openPolicy({ policyFiles }, config.policy, { log });
  const { shadow } = config.policy;
  const sources = policyFiles
    .map(({ path, text, kind }) => parsePolicy(text, path, kind))
    .map((source) => (shadow ? { ...source, document: { ...source.document, shadow } } : source));
  const hasTiers = sources.every(({ document }) => document.shadow || document.builtin !== false);
  const before = sources.filter(({ kind }) => kind !== 'project');
  const after = sources.filter(({ kind }) => kind === 'project');
  const shipped = shippedRules(config, hasTiers);
  return {
    version,
    rules: [...before.flatMap(writtenRules), ...shipped, ...after.flatMap(writtenRules)],
  };
};

/** Reads signed approval links with the key of the user whose folder this is. */
export const linkReader =
  (userDir: string, now: () => number) =>
  async (token: string): Promise<{ approvalId: string; approve: boolean } | undefined> => {
    const key = await readUserKey(userDir);
    if (!key) return undefined;
    const { publicKey } = key;
    const verify = (text: string, signature: string): boolean =>
      verifySignature({ publicKey, text, signature });
    return readLinkToken(token, { verify }, now());
  };

/** Makes the check whether a credential exists; a source that cannot be read has none. */
export const secretCheck = (deps: SecretDeps): ((key: string) => Promise<boolean>) => {
  const sources = openSecrets(deps);
  return async (key) => {
    for (const source of sources) {
      const value = await source.get(key).catch(() => undefined);
      if (value !== undefined) return true;
    }
    return false;
  };
};
