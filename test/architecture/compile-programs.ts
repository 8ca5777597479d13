/** Compiles programs that nobody runs, with the project's compiler and options, for what is wrong. */
import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../../scripts/build-state.mjs';

export interface CompileError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Entry {
  readonly types?: string;
}

/**
 * The types that users get, by the names that they import: as `npm test` builds them, because the
 * compiler does not check those again and is done in a fraction of the time. The sources where nothing
 * is built.
 */
const typesOfPackage = (): Readonly<Record<string, readonly string[]>> => {
  const text = readFileSync(`${root}package.json`, 'utf8');
  const { exports } = JSON.parse(text) as { readonly exports: Readonly<Record<string, Entry>> };
  const built = isBuilt();
  const paths = Object.entries(exports).flatMap(([name, { types }]) => {
    if (types === undefined) return [];
    const source = types.replace('./dist/', 'src/').replace('.d.ts', '.ts');
    const path = built ? types.slice('./'.length) : source;
    return [[`toolcrib${name.slice(1)}`, [`${root}${path}`]] as const];
  });
  return Object.fromEntries(paths);
};

/** As if the programs lay in a project that installed the package. */
const tsconfigFor = (types: ReturnType<typeof typesOfPackage>) => ({
  extends: `${root}tsconfig.json`,
  compilerOptions: {
    rootDir: '/',
    rewriteRelativeImportExtensions: false,
    typeRoots: [`${root}node_modules/@types`],
    paths: { ...types, zod: [`${root}node_modules/zod/index.d.ts`] },
  },
  include: ['*.ts'],
});

const errorsIn = (output: string): readonly CompileError[] =>
  [...output.matchAll(/^([\w-]+\.ts)\((\d+),\d+\): error (.*)$/gm)].map((match) => ({
    file: match[1] ?? '',
    line: Number(match[2]),
    message: match[3] ?? '',
  }));

/** Errors in the programs themselves, by file name; throws when the compiler did not run. */
export const compilePrograms = (
  texts: Readonly<Record<string, string>>,
): readonly CompileError[] => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'programs-')));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfigFor(typesOfPackage())));
    symlinkSync(`${root}node_modules`, join(folder, 'node_modules'), 'dir');
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const compiler = `${root}node_modules/typescript/bin/tsc`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [compiler, '-p', folder, '--pretty', 'false'],
      { encoding: 'utf8', cwd: folder },
    );
    const errors = errorsIn(stdout);
    if (status !== 0 && errors.length === 0) throw new Error(`tsc: ${stdout}${stderr}`);
    return errors;
  } finally {
    rmSync(folder, { recursive: true });
  }
};
