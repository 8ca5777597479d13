/**
 * Every tool that ships, from the outside: the commands on its page do what the page says, and what
 * is wrong or missing is answered with a code and the next step.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/output/print-result.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { sized } from '../guarantees/size.ts';
import { createProject } from './run-toolcrib.ts';
import { CASES, MISSING, putFiles, type ToolCase } from './shipped-tool-cases.ts';

const PAGES = join(import.meta.dirname, '../../docs/tools');
const TIMEOUT = 120_000;

interface Call {
  readonly code: number;
  readonly result: ToolResult;
}

/** The unit tests of a tool run all of its examples; here, in small, the first of each. */
const MAX_COMMANDS = sized(1, 100);

const listed = await createProject().run(['tools', '--json']);
const names = listed.json<{ tools: { name: string; source: string }[] }>().tools;
const shipped = names.filter(({ source }) => source === 'builtin').map(({ name }) => name);

const crib = await createCrib({ store: 'memory', watch: false });
const definitions = new Map(crib.tools.list().map(({ tool }) => [tool.name, tool]));
afterAll(() => crib.close());

const definitionOf = (name: string): Tool => {
  const tool = definitions.get(name);
  if (!tool) throw new Error(`${name} is listed and not defined`);
  return tool;
};

/** The commands of a page, as a reader would paste them. */
const commandsOf = (name: string): readonly string[] => {
  const page = readFileSync(join(PAGES, `${name}.md`), 'utf8');
  return [...page.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, command]) => command ?? '');
};

interface Setting {
  readonly folder: string;
  readonly home: string;
  readonly cli: string;
  readonly env: NodeJS.ProcessEnv;
}

/** In a shell, where `toolcrib` is the program that was built. */
const paste = (command: string, { folder, cli, env }: Setting): Promise<Call> =>
  new Promise((resolve, reject) => {
    const script = `toolcrib() { '${process.execPath}' '${cli}' "$@" --yes --json; }; ${command}`;
    const child = execFile('/bin/sh', ['-c', script], { cwd: folder, env }, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code);
      try {
        resolve({ code, result: JSON.parse(out) as ToolResult });
      } catch {
        reject(new Error(`${command}\nended with ${code} and no JSON:\n${out}\n${err}`));
      }
    });
    child.stdin?.end();
  });

/** A fresh folder with what the case needs; the server is gone afterwards. */
const inPlace = async <T>(
  { files, prepare, open, env }: ToolCase,
  work: (setting: Setting, url: string) => Promise<T>,
): Promise<T> => {
  const project = createProject();
  putFiles(project.folder, files);
  const beside = await open?.();
  try {
    await prepare?.(project.folder, beside?.url ?? '');
    const own = env?.(beside?.url ?? '') ?? {};
    return await work({ ...project, env: { ...project.env, ...own } }, beside?.url ?? '');
  } finally {
    await beside?.close();
  }
};

const caseOf = (name: string): ToolCase => {
  const found = Object.hasOwn(CASES, name) ? CASES[name] : undefined;
  if (found) return found;
  throw new Error(`${name} ships without a case in shipped-tool-cases.ts`);
};

const runInput = (name: string, input: unknown, setting: Setting): Promise<Call> =>
  paste(`toolcrib run ${name} '${JSON.stringify(input).replaceAll("'", `'\\''`)}'`, setting);

/**
 * Tools whose refusal of bad input is read from the program: in small, one of each kind. The program
 * prints the result that the pipeline gives, and has one exit code for each code of an error.
 */
const throughProgram = sized(['calculator', 'file_operations', 'rest_api_call'], shipped);

/** In an empty folder: bad input is refused before anything that the tool needs is looked for. */
const runBare = (name: string, input: unknown): Promise<Call> =>
  runInput(name, input, createProject());

const runHere = async (name: string, input: unknown): Promise<Call> => {
  const result = await crib.execute(name, input);
  return { code: exitCodeOf(result), result };
};

/** Tools with examples, and why those cannot be run on this machine, where they cannot. */
const withCommands = shipped
  .filter((name) => !caseOf(name).sample)
  .map((name) => ({ name, reason: caseOf(name).skip?.() }));

describe('every tool that ships', () => {
  it('is known here, and has its page', () => {
    expect(shipped.length).toBeGreaterThanOrEqual(24);
    expect(shipped.filter((name) => !Object.hasOwn(CASES, name))).toEqual([]);
    const bare = shipped.filter((name) => !caseOf(name).sample && commandsOf(name).length === 0);
    expect(bare).toEqual([]);
  });

  it.for(withCommands)(
    '$name does what the commands on its page promise',
    { timeout: TIMEOUT },
    async ({ name, reason }, { skip }) => {
      skip(reason !== undefined, reason);
      const own = caseOf(name);
      const { examples = [] } = definitionOf(name);
      const commands = commandsOf(name);
      expect(commands).toHaveLength(examples.length);
      for (const [index, command] of commands.slice(0, MAX_COMMANDS).entries()) {
        await inPlace(own, async (setting, url) => {
          const moved = own.from === undefined ? command : command.replaceAll(own.from, url);
          const { code, result } = await paste(moved, setting);
          expect(result.error, command).toBeUndefined();
          expect([code, result.status]).toEqual([0, 'success']);
          expect(result.data).toMatchObject((examples[index]?.output ?? {}) as object);
        });
      }
    },
  );

  it.each(shipped)('%s answers bad input with the place', { timeout: TIMEOUT }, async (name) => {
    const call = throughProgram.includes(name) ? runBare : runHere;
    const [example] = definitionOf(name).examples ?? [];
    const given = (caseOf(name).sample ?? example?.input) as Record<string, unknown>;
    const [field = ''] = Object.keys(given);
    // Of no type that any field takes.
    const wrong = { ...given, [field]: { wrong: [{ deeper: null }] } };
    const { code, result } = await call(name, wrong);
    expect([code, result.error?.code]).toEqual([2, 'VALIDATION_ERROR']);
    expect(result.error?.issues?.map(({ path }) => path[0])).toContain(field);
    expect(result.error?.suggestions.join()).toContain(`toolcrib tools info ${name}`);
  });
});

describe('what is missing', () => {
  it('credentials are named, with the address to get one at', { timeout: TIMEOUT }, async () => {
    const keyed = shipped.map(definitionOf).filter(({ auth }) => auth?.required);
    expect(keyed.length).toBeGreaterThanOrEqual(4);
    for (const { name, auth, examples = [] } of keyed) {
      const project = createProject();
      const { code, result } = await runInput(name, examples[0]?.input, project);
      expect([name, code, result.error?.code]).toEqual([name, 3, 'AUTH_MISSING']);
      const said = result.error?.suggestions.join('\n');
      expect(said).toContain(auth?.setupUrl);
      expect(said).toContain(`toolcrib secrets set ${auth?.configKey}`);
    }
  });

  it.for(MISSING)('$tool says how to get its program', { timeout: TIMEOUT }, async (each, test) => {
    const { tool, input, open, env, suggestion } = each;
    const reason = each.skip?.();
    test.skip(reason !== undefined, reason);
    const own = { ...(open && { open }) };
    const { code, result } = await inPlace(own, (setting, url) => {
      const moved = JSON.parse(JSON.stringify(input).replaceAll('http://site.example', url));
      const around = { ...setting.env, ...env?.(setting.folder) };
      return runInput(tool, moved, { ...setting, env: around });
    });
    expect([code, result.error?.code]).toEqual([1, 'DEPENDENCY_MISSING']);
    expect(result.error?.suggestions.join('\n')).toMatch(suggestion);
  });

  it('a language model is named, with the steps', { timeout: TIMEOUT }, async () => {
    const [example] = definitionOf('deep_reasoning').examples ?? [];
    const { code, result } = await runInput('deep_reasoning', example?.input, createProject());
    expect([code, result.error?.code]).toEqual([1, 'MODEL_NOT_CONFIGURED']);
    expect(result.error?.suggestions.join('\n')).toContain('model:');
  });
});
