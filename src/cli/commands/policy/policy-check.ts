/** `toolcrib policy check`: checks the policy files and names every problem, with file and line. */
import type { Command } from 'commander';
import type { PolicyFile } from '../../../config/load/policy-files.ts';
import { ERRORS, ToolFailure } from '../../../contract/errors.ts';
import type { Logger } from '../../../contract/runtime.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, warn } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { trustNotes } from '../../session/settle-trust.ts';
import { policyFilesFor, ruleToolWarnings } from './policy-files.ts';

interface CheckOptions {
  readonly policy?: string;
}

interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Collects warnings about rules from the log of a crib that uses them. */
const collecting = (lines: string[]): Logger => ({
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => void lines.push(message),
  error: (message) => void lines.push(message),
});

/** Loads the rules into a crib that has no tools and stores nothing. */
const tryRules = async (
  policyFiles: readonly PolicyFile[],
  { config }: LoadedConfig,
): Promise<Findings> => {
  const { createCrib } = await import('../../../crib/create-crib.ts');
  const warnings: string[] = [];
  const runtime = { log: collecting(warnings) };
  try {
    const crib = await createCrib({
      config,
      builtins: false,
      store: 'memory',
      policyFiles,
      runtime,
    });
    await crib.close();
    return { problems: [], warnings };
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'CONFIG_INVALID') throw error;
    return { problems: error.message.split('\n'), warnings };
  }
};

const SILENT = collecting([]);

/** Lists rules that name tools which this project does not have. Starts no server. */
const unknownTools = async (
  io: Io,
  files: readonly PolicyFile[],
  loaded: LoadedConfig,
): Promise<readonly string[]> => {
  if (files.length === 0) return [];
  const [{ createCribHost }, { projectOptions }] = await Promise.all([
    import('../../../crib/create-crib.ts'),
    import('../../../crib/project/project-options.ts'),
  ]);
  const crib = await createCribHost({
    ...projectOptions(loaded, io),
    policyFiles: [],
    startServers: false,
    watch: false,
    runtime: { log: SILENT },
  });
  try {
    return await ruleToolWarnings(files, crib);
  } finally {
    await crib.close();
  }
};

/** Checks file by file, so that one bad file does not hide the next; then all of them together. */
const findingsOf = async (
  files: readonly PolicyFile[],
  loaded: LoadedConfig,
): Promise<Findings> => {
  const byFile = await Promise.all(files.map((file) => tryRules([file], loaded)));
  const problems = byFile.flatMap((findings) => findings.problems);
  return problems.length > 0 ? { problems, warnings: [] } : tryRules(files, loaded);
};

const report = (io: Io, files: readonly PolicyFile[], { problems, warnings }: Findings): void => {
  for (const warning of warnings) warn(io, visibleText(warning));
  if (problems.length > 0) {
    for (const problem of problems) note(io, `${io.noteInk.red('✗')} ${visibleText(problem)}`);
    note(io, `  ${io.noteInk.cyan('→')} Correct these first: Toolcrib does not start with them.`);
  } else if (files.length === 0) {
    print(io, 'There is no policy file: the default rules apply.');
  } else {
    for (const { path, kind } of files) print(io, `  ${visibleText(path)} (${kind})`);
    const read = `${counted(files.length, 'file')} of rules`;
    const verdict =
      warnings.length === 0
        ? `${io.ink.green('✓')} ${read}, all sound.`
        : `${io.ink.yellow('!')} ${read} can be used, with ${counted(warnings.length, 'warning')}.`;
    print(io, verdict);
  }
};

const check = async (io: Io, { policy }: CheckOptions): Promise<number> => {
  const { loadConfig } = await import('../../../trust/load-config.ts');
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const files = await policyFilesFor(io, loaded, policy);
  const fileFindings = await findingsOf(files, loaded);
  const unknown = fileFindings.problems.length > 0 ? [] : await unknownTools(io, files, loaded);
  const findings = { ...fileFindings, warnings: [...fileFindings.warnings, ...unknown] };
  const ok = findings.problems.length === 0;
  if (io.json) {
    printJson(io, { ok, files: files.map(({ path, kind }) => ({ path, kind })), ...findings });
  } else {
    warn(io, ...trustNotes(loaded));
    report(io, files, findings);
  }
  return ok ? 0 : ERRORS.CONFIG_INVALID.exit;
};

export const policyCheckCommand = (policy: Command, io: Io): Command =>
  withExamples(
    withJson(policy.command('check', { isDefault: true }))
      .option('--policy <file>', 'check this file instead of the user’s')
      .action(leaving(io, (options: CheckOptions) => check(io, options))),
    'toolcrib policy check',
    'toolcrib policy check --policy new.yml',
  );
