/** Checks what a tool needs, one by one: credentials, programs, a sandbox, a server, other tools. */
import type { HealthCheck } from '../../contract/health.ts';
import type { AuthRequirement, Tool } from '../../contract/tool.ts';
import { within } from '../../kit/data/bounded-work.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { adviceOf, broken, notSetUp, ok } from './findings.ts';
import type { ToolCheckDeps } from './health-deps.ts';

/** Checks a credential with the tool's own test. No message contains the secret. */
const tryCredential = async (
  auth: AuthRequirement,
  secret: string,
  { runtime, timeoutMs }: ToolCheckDeps,
): Promise<HealthCheck> => {
  const { configKey: key, required } = auth;
  const refused = (message: string): HealthCheck => ({
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

const credentialCheck = async (
  { auth }: Tool,
  deps: ToolCheckDeps,
): Promise<readonly HealthCheck[]> => {
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
      notSetUp: true,
    },
  ];
};

/** Warns of missing secrets; they are no faults, because a tool may work without them. */
const secretChecks = async (
  { needs = {}, auth }: Tool,
  { secret }: ToolCheckDeps,
): Promise<readonly HealthCheck[]> => {
  const checks: HealthCheck[] = [];
  for (const key of needs.secrets ?? []) {
    if (key === auth?.configKey || /[*?]/.test(key) || (await secret(key)) !== undefined) continue;
    checks.push({
      name: 'secret',
      state: 'warning',
      message: `The secret ${key} is not configured`,
      fix: `Store it: toolcrib secrets set ${key}`,
      notSetUp: true,
    });
  }
  return checks;
};

/** Lists the programs of command patterns: `git *` needs git, `*` needs none in particular. */
const programsOf = ({ needs = {} }: Tool): readonly string[] => [
  ...new Set(
    (needs.commands ?? [])
      .map((pattern) => pattern.trim().split(/\s+/, 1)[0] ?? '')
      .filter((program) => program !== '' && !/[*?]/.test(program)),
  ),
];

/** How to install what is no package of its own name. */
const INSTALLATIONS: Readonly<Record<string, string>> = {
  oxlint: 'Install it in the project: npm install -D oxlint',
  npm: 'Install Node with npm: nodejs.org',
};

const installationOf = (program: string): string =>
  ownValue(INSTALLATIONS, program) ?? `Install ${program}, on the PATH.`;

const programChecks = async (
  tool: Tool,
  { hasProgram }: ToolCheckDeps,
): Promise<readonly HealthCheck[]> => {
  const checks: HealthCheck[] = [];
  for (const program of programsOf(tool)) {
    checks.push(
      (await hasProgram(program))
        ? ok('program', `${program} is there`)
        : notSetUp(broken('program', `${program} is not installed`, installationOf(program))),
    );
  }
  return checks;
};

const sandboxCheck = async (
  { sandbox }: Tool,
  deps: ToolCheckDeps,
): Promise<readonly HealthCheck[]> => {
  if (!sandbox) return [];
  const { type } = sandbox;
  const readiness = await within(deps.runtime, deps.timeoutMs, () => deps.sandbox(type));
  return readiness.ready
    ? [ok('sandbox', `Sandbox ${type} works`)]
    : [notSetUp(broken('sandbox', `No ${type} sandbox: ${readiness.reason}`, readiness.install))];
};

const SERVER = /^mcp:(.+)$/s;

const serverCheck = async (
  { server }: Tool,
  deps: ToolCheckDeps,
): Promise<readonly HealthCheck[]> => {
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
  deps: ToolCheckDeps,
): Promise<readonly HealthCheck[]> => {
  if (dependencies.length === 0) return [];
  const missing = deps.missingTools(name);
  return missing.length === 0
    ? [ok('dependencies', `The tools it needs are there: ${dependencies.length}`)]
    : [
        notSetUp(
          broken(
            'dependencies',
            `It needs ${missing.join(', ')}`,
            'Switch on or add what it needs.',
          ),
        ),
      ];
};

type NeedCheck = (tool: Tool, deps: ToolCheckDeps) => Promise<readonly HealthCheck[]>;

/** The checks, each with the name of the finding when it throws. */
export const TOOL_NEEDS: readonly (readonly [string, NeedCheck])[] = [
  ['credential', credentialCheck],
  ['secret', secretChecks],
  ['program', programChecks],
  ['sandbox', sandboxCheck],
  ['server', serverCheck],
  ['dependencies', dependencyCheck],
];
