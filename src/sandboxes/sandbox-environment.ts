/** The variables a sandboxed program sees: a few of ours, those configured, and none of the host's. */
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxConfig } from '../contract/sandbox.ts';

export const SANDBOX_HOME = '/home/sandbox';

/** The second form is how npm takes the registry of a scope from the environment. */
const NAME = /^(?:[A-Za-z_][A-Za-z0-9_]*|npm_config_@[a-z0-9._~-]+:registry)$/;

/** Fails with SANDBOX_ERROR for a name or a value that no environment can hold. */
export const sandboxEnvironment = (
  path: string,
  { environmentVariables = {} }: SandboxConfig,
): Readonly<Record<string, string>> => {
  for (const [name, value] of Object.entries(environmentVariables)) {
    if (NAME.test(name) && !value.includes('\0')) continue;
    throw new ToolFailure('SANDBOX_ERROR', 'A variable given to the sandbox is not valid.', {
      suggestions: ['Name variables with letters, digits and underscores.'],
    });
  }
  return {
    PATH: path,
    HOME: SANDBOX_HOME,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    ...environmentVariables,
  };
};
