/**
 * Chooses the `npm_config_…` variables that npm gets. A program that npm started, e.g. with npx, has the
 * settings of the project's `.npmrc` among them, and a project must not choose where packages come from.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { Environment } from './run-program.ts';

const PREFIX = 'npm_config_';

const undecided = (): ToolFailure =>
  new ToolFailure(
    'PRECONDITION_FAILED',
    'npm handed on the registry of this project’s .npmrc, which does not count here.',
    { suggestions: ['Start toolcrib itself instead of npx toolcrib or a script of package.json.'] },
  );

/** Reads `key = value` lines as npm does, with variables in values. */
const settingsOf = (text: string, env: Environment): ReadonlyMap<string, string> =>
  new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const [, key = '', value = ''] = /^\s*([^#;[\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (key === '') return [];
      const plain = value.replace(/^(["'])(.*)\1$/, '$2');
      const filled = plain.replaceAll(
        /\$\{([^}]+)\}/g,
        (whole, name: string) => env[name] ?? whole,
      );
      return [[key.toLowerCase().replaceAll('-', '_'), filled] as const];
    }),
  );

const sameValue = (a: string, b: string): boolean =>
  a.replace(/\/+$/, '') === b.replace(/\/+$/, '');

/**
 * Gives the variables without those that a project's `.npmrc` has set. Rejects where the registry is
 * one of them: to leave it out could mean another registry than the user's.
 */
export const npmVariables = async (env: Environment): Promise<Environment> => {
  const project = env.npm_config_local_prefix;
  const text =
    project === undefined ? '' : await readFile(join(project, '.npmrc'), 'utf8').catch(() => '');
  const settings = settingsOf(text, env);
  const isOfProject = (name: string, value: string): boolean => {
    const set = settings.get(name.slice(PREFIX.length).toLowerCase());
    return set !== undefined && sameValue(set, value);
  };
  const own = Object.entries(env).filter(([name]) => name.toLowerCase().startsWith(PREFIX));
  const ofProject = own.filter(([name, value = '']) => isOfProject(name, value));
  if (ofProject.some(([name]) => name.toLowerCase().endsWith('registry'))) throw undecided();
  return Object.fromEntries(own.filter((entry) => !ofProject.includes(entry)));
};
