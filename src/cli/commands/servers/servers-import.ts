/**
 * `toolcrib servers import`: imports the servers of other programs, and can configure those programs to
 * use Toolcrib.
 */
import { type Command, Option } from 'commander';
import { CLIENTS, type ClientName } from '../../../config/mcp-import/client-files.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { canAsk, confirm } from '../../input/confirm.ts';
import { advise, hint, type Io, note, print, printDone, printJson, warn } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { openConfigDeps } from '../../session/config-edit.ts';
import { openVaultOf } from '../secrets/secrets-deps.ts';
import { type FoundFile, findImports } from './find-imports.ts';
import { importData, importPage } from './import-page.ts';
import { offerTools } from './offer-tools.ts';
import { type ImportPlan, type PlannedServer, planImport, takeServers } from './plan-import.ts';
import {
  changeEachFile,
  type FileChanges,
  type Rewritten,
  reportUnchanged,
  restoreFile,
  rewriteFile,
} from './rewrite-files.ts';

interface ImportOptions {
  readonly from?: ClientName;
  readonly rewrite?: boolean;
  readonly restore?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly project?: boolean;
  readonly accept?: boolean;
  readonly allTools?: boolean;
}

/** Asks the person, unless `--yes` was given. Fails where nobody can be asked. */
const isAgreed = async (io: Io, question: string, { yes }: ImportOptions): Promise<boolean> => {
  if (yes === true) return true;
  if (!io.json && canAsk(io)) return confirm(io, question);
  throw new ToolFailure('APPROVAL_REQUIRED', 'Nobody can be asked, so nothing was changed.', {
    suggestions: ['Look at it with --dry-run, then add --yes.'],
  });
};

/**
 * Leaves out files of the current folder with `--yes`: somebody else may have put them there. They count
 * when they are named, or when a person can review them first.
 */
const withoutProjectFiles = (
  io: Io,
  files: readonly FoundFile[],
  { yes, project, dryRun }: ImportOptions,
): readonly FoundFile[] => {
  if (yes !== true || project === true || dryRun === true) return files;
  for (const { file } of files.filter(({ isProject }) => isProject)) {
    warn(io, `Not imported without a look: ${visibleText(file)}`);
  }
  return files.filter(({ isProject }) => !isProject);
};

/** Makes the failure for programs without a file to rewrite, before anybody is asked about it. */
const nothingToRewrite = ({ from }: ImportOptions): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'There is no file to rewrite: none was found and none is named.', {
    suggestions: [
      'Name the file: toolcrib servers import <file> --rewrite',
      ...(from === undefined
        ? [`Programs whose files are found automatically: ${CLIENTS.join(', ')}`]
        : ['Leave --from out to look for the files of all programs.']),
    ],
  });

const rewriteAll = (
  io: Io,
  { files, servers }: ImportPlan,
  { allTools = false }: ImportOptions,
): Promise<FileChanges<Rewritten>> =>
  changeEachFile(files, async (source) => {
    if (source.fault !== undefined) throw new ToolFailure('CONFLICT', `It ${source.fault}.`);
    const ofFile = servers.filter(({ file }) => file === source.file);
    const imported = ofFile.filter(({ outcome }) => outcome !== 'refused').map(({ name }) => name);
    if (imported.length === 0) return undefined;
    const refused = ofFile.filter(({ outcome }) => outcome === 'refused');
    return rewriteFile(source, {
      now: io.runtime.now(),
      stays: (name) => refused.some(({ foreignName }) => foreignName === name),
      env: io.env,
      cwd: io.cwd,
      ...(!allTools && { servers: imported }),
    });
  });

const questionFor = (servers: readonly PlannedServer[], { rewrite }: ImportOptions): string => {
  const moved = servers.reduce((sum, { secrets }) => sum + secrets.length, 0);
  const parts = [
    ...(servers.length > 0 ? [`import ${counted(servers.length, 'server')}`] : []),
    ...(moved > 0 ? [`store ${counted(moved, 'value')} as secrets`] : []),
    ...(rewrite === true ? ['make the programs use Toolcrib (a copy of each file is kept)'] : []),
  ];
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}?`;
};

const LEFT = {
  rewritten: { verb: 'rewritten', again: 'toolcrib servers import --rewrite' },
  restored: { verb: 'restored', again: 'toolcrib servers import --restore' },
} as const;

/** Prints what was done; returns the exit code. */
const report = (
  io: Io,
  { plan, taken, file }: { plan: ImportPlan; taken: readonly PlannedServer[]; file?: string },
  { done: rewritten, left }: FileChanges<Rewritten>,
): number => {
  const names = taken.map(({ name }) => name);
  if (io.json) {
    const where = file === undefined ? {} : { into: file };
    printJson(io, { ...importData(plan), taken: names, ...where, rewritten, notRewritten: left });
    return reportUnchanged(io, left, LEFT.rewritten);
  }
  printDone(io, `Imported: ${names.join(', ') || 'nothing new'}`);
  if (file !== undefined) hint(io, `in ${visibleText(file)}`);
  for (const { file: changed, backup } of rewritten) {
    printDone(io, `Rewritten: ${visibleText(changed)}`);
    hint(io, `copy: ${visibleText(backup)}`);
  }
  if (rewritten.length > 0) {
    advise(io, 'To undo this: toolcrib servers import --restore');
  }
  return reportUnchanged(io, left, LEFT.rewritten);
};

const importServers = async (
  io: Io,
  files: readonly string[],
  options: ImportOptions,
): Promise<number> => {
  const deps = await openConfigDeps(io);
  const lists = await findImports(io, { files, from: options.from });
  const vault = await openVaultOf(io);
  const plan = await planImport(withoutProjectFiles(io, lists, options), {
    configured: deps.loaded.config.mcp.servers,
    secret: (key) => vault.get(key),
  });
  if (options.rewrite === true && plan.files.length === 0) throw nothingToRewrite(options);
  const newServers = plan.servers.filter(({ outcome }) => outcome === 'new');
  if (!io.json) note(io, ...importPage(io, plan));
  const isIdle = newServers.length === 0 && options.rewrite !== true;
  if (options.dryRun === true || isIdle) {
    if (io.json) printJson(io, { ...importData(plan), taken: [], rewritten: [], notRewritten: [] });
    else print(io, isIdle ? 'There is nothing new to import.' : 'Nothing was changed.');
    return 0;
  }
  if (!(await isAgreed(io, questionFor(newServers, options), options))) {
    throw new ToolFailure('USER_CANCELLED', 'Nothing was changed.');
  }
  const file =
    newServers.length > 0
      ? await takeServers(io, { deps, vault, inProject: options.project === true }, newServers)
      : undefined;
  const changes =
    options.rewrite === true ? await rewriteAll(io, plan, options) : { done: [], left: [] };
  const code = report(
    io,
    { plan, taken: newServers, ...(file !== undefined && { file }) },
    changes,
  );
  const ask = options.accept !== false && options.yes !== true;
  const names = newServers.map(({ name }) => name);
  await offerTools(
    io,
    names.map((name) => `mcp:${name}`),
    { ask },
  );
  return code;
};

/** Restores the files of other programs as they were before `--rewrite`. */
const restore = async (
  io: Io,
  files: readonly string[],
  options: ImportOptions,
): Promise<number> => {
  const lists = await findImports(io, { files, from: options.from });
  const rewritten = lists.filter(({ reading }) => reading?.isOurs === true);
  if (rewritten.length > 0) {
    note(io, ...rewritten.map(({ file }) => `  ${visibleText(file)}`));
    const question = 'Restore these files from their copies? Changes made since are lost.';
    if (!(await isAgreed(io, question, options))) {
      throw new ToolFailure('USER_CANCELLED', 'Nothing was changed.');
    }
  }
  const { done, left } = await changeEachFile(rewritten, ({ file }) => restoreFile(file));
  if (io.json) printJson(io, { restored: done.map(({ file }) => file), notRestored: left });
  else if (done.length + left.length === 0) print(io, 'There is no copy to restore.');
  else for (const { file } of done) printDone(io, `Restored: ${visibleText(file)}`);
  return reportUnchanged(io, left, LEFT.restored);
};

export const serversImportCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withJson(
      servers
        .command('import')
        .description(
          'import the MCP servers of other programs: Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Gemini CLI, Zed, Codex and opencode. You see first what would be imported. Values that look like secrets are stored as secrets; only their names get into the configuration.',
        )
        .argument('[file...]', 'only these files; by default the known locations'),
    )
      .addOption(new Option('--from <program>', 'only of this program').choices(CLIENTS))
      .option('--dry-run', 'only show what would be imported')
      .option('--rewrite', 'make Toolcrib their only server; a copy of each file is kept beside it')
      .option(
        '--all-tools',
        'with --rewrite: offer them every tool, not only those of their servers',
      )
      .option('--restore', 'restore the files that --rewrite changed')
      .option('--project', 'import into the configuration of this project instead of your own')
      .option('-y, --yes', 'do not ask')
      .option('--no-accept', 'start nothing and ask nothing about their tools')
      .action(
        leaving(io, (files: readonly string[], options: ImportOptions) =>
          (options.restore === true ? restore : importServers)(io, files, options),
        ),
      ),
    'toolcrib servers import --dry-run',
    'toolcrib servers import --from cursor --rewrite',
    'toolcrib servers import .mcp.json --project',
    'toolcrib servers import --restore',
  );
