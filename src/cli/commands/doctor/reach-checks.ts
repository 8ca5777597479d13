/** Checks what a tool needs, one by one: credentials, programs, a sandbox, a server, other tools. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { AuthRequirement, Tool } from '../../../contract/tool.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { counted } from '../../output/format-units.ts';
import type { HealthDeps } from './health-deps.ts';
import type { Check } from './machine-checks.ts';
import { within } from './within.ts';

export const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });

export const broken = (name: string, message: string, fix?: string): Check => ({
  name,
  state: 'broken',
  message,
  ...(fix !== undefined && fix !== '' && { fix }),
});

/** Gives the first suggestion of a failure. */
export const adviceOf = (error: unknown): string | undefined =>
  error instanceof ToolFailure ? error.extras?.suggestions?.[0] : undefined;

/** Says whether a credential works, as the tool's own test finds it. The secret is in no message. */
const tryCredential = async (
  auth: AuthRequirement,
  secret: string,
  { runtime, timeoutMs }: HealthDeps,
): Promise<Check> => {
  const { configKey: key, required } = auth;
  const refused = (message: string): Check => ({
    name: 'credential',
    state: required ? 'broken' : 'warning',
    message,
    fix: `Replace it: toolcrib secrets set ${key}`,
  });
  try {
    const works: unknown = await within(runtime, timeoutMs, async () => auth.test?.(secret));
    if (works === true) return ok('credential', `${key} is there and works`);
    return refused(`The credential ${key} is there, but it does not work`);
  } catch (error) {
    const reason = reasonOf(error).replaceAll(secret, '(secret)');
    return refused(`The credential ${key} could not be tried: ${reason}`);
  }
};

const credentialCheck = async ({ auth }: Tool, deps: HealthDeps): Promise<readonly Check[]> => {
  if (!auth) return [];
  const { configKey: key, required, setupUrl } = auth;
  const secret = await deps.secret(key);
  if (secret !== undefined) {
    return [
      auth.test ? await tryCredential(auth, secret, deps) : ok('credential', `${key} is there`),
    ];
  }
  const where = setupUrl === undefined ? '' : `; get one at ${setupUrl}`;
  return [
    {
      name: 'credential',
      state: required ? 'broken' : 'warning',
      message: `The credential ${key} is not configured`,
      fix: `Store it: toolcrib secrets set ${key}${where}`,
    },
  ];
};

/** Warns of missing secrets: a tool may do without one. */
const secretChecks = async (
  { needs = {}, auth }: Tool,
  { secret }: HealthDeps,
): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (const key of needs.secrets ?? []) {
    if (key === auth?.configKey || /[*?]/.test(key) || (await secret(key)) !== undefined) continue;
    checks.push({
      name: 'secret',
      state: 'warning',
      message: `The secret ${key} is not configured`,
      fix: `Store it: toolcrib secrets set ${key}`,
    });
  }
  return checks;
};

/** Lists the programs of command patterns: `git *` needs git; `*` needs none in particular. */
const programsOf = ({ needs = {} }: Tool): readonly string[] => [
  ...new Set(
    (needs.commands ?? [])
      .map((pattern) => pattern.trim().split(/\s+/, 1)[0] ?? '')
      .filter((program) => program !== '' && !/[*?]/.test(program)),
  ),
];

const programChecks = async (tool: Tool, { hasProgram }: HealthDeps): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  for (const program of programsOf(tool)) {
    checks.push(
      (await hasProgram(program))
        ? ok('program', `${program} is there`)
        : broken('program', `${program} is not installed`, `Install ${program}, on the PATH.`),
    );
  }
  return checks;
};

const sandboxCheck = async ({ sandbox }: Tool, deps: HealthDeps): Promise<readonly Check[]> => {
  if (!sandbox) return [];
  const { type } = sandbox;
  const readiness = await within(deps.runtime, deps.timeoutMs, () => deps.sandbox(type));
  return readiness.ready
    ? [ok('sandbox', `Sandbox ${type} works`)]
    : [broken('sandbox', `No ${type} sandbox: ${readiness.reason}`, readiness.install)];
};

const SERVER = /^mcp:(.+)$/s;

const serverCheck = async ({ server }: Tool, deps: HealthDeps): Promise<readonly Check[]> => {
  const name = SERVER.exec(server ?? '')?.[1];
  if (name === undefined) return [];
  try {
    const { state } = await deps.server(name);
    return [ok('server', `The MCP server ${name} answers (${state})`)];
  } catch (error) {
    const fix = adviceOf(error) ?? `See why: toolcrib servers test ${name}`;
    return [broken('server', `The MCP server ${name}: ${reasonOf(error)}`, fix)];
  }
};

const dependencyCheck = async (
  { name, dependencies = [] }: Tool,
  deps: HealthDeps,
): Promise<readonly Check[]> => {
  if (dependencies.length === 0) return [];
  const missing = deps.missingTools(name);
  return missing.length === 0
    ? [ok('dependencies', `${counted(dependencies.length, 'tool')} it needs are there`)]
    : [broken('dependencies', `It needs ${missing.join(', ')}`, 'Switch on or add what it needs.')];
};

type ReachCheck = (tool: Tool, deps: HealthDeps) => Promise<readonly Check[]>;

/** Each check with the name it has in reports when it throws. */
export const REACH_CHECKS: readonly (readonly [string, ReachCheck])[] = [
  ['credential', credentialCheck],
  ['secret', secretChecks],
  ['program', programChecks],
  ['sandbox', sandboxCheck],
  ['server', serverCheck],
  ['dependencies', dependencyCheck],
];
