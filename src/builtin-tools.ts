/** The tools that ship. Definitions are cheap to load; what they need is loaded when they run. */
import type { Source } from './contract/source.ts';
import type { Tool } from './contract/tool.ts';
import { editFiles } from './tools/filesystem/edit-files.ts';
import { fileOperations } from './tools/filesystem/file-operations.ts';
import { readFile } from './tools/filesystem/read-file.ts';
import { writeFile } from './tools/filesystem/write-file.ts';
import { calculator } from './tools/local/calculator.ts';
import { defineDatetime } from './tools/local/datetime.ts';
import { textTransform } from './tools/local/text-transform.ts';
import { defineFileSearch } from './tools/search/file-search.ts';
import { jsonParser } from './tools/validation/json-parser.ts';
import { validateJson } from './tools/validation/validate-json.ts';
import { validateYaml } from './tools/validation/validate-yaml.ts';

export interface BuiltinOptions {
  readonly defaultZone: string;
  /** Where programs such as ripgrep are looked for. */
  readonly programFolders: readonly string[];
  now(): number;
}

/** The source all cribs load first. */
export const builtinTools = (options: BuiltinOptions): Source => ({
  kind: 'builtin',
  label: 'builtin',
  load: async (): Promise<readonly Tool[]> =>
    [
      calculator,
      defineDatetime(options),
      jsonParser,
      textTransform,
      readFile,
      writeFile,
      editFiles,
      fileOperations,
      defineFileSearch({ folders: options.programFolders }),
      validateJson,
      validateYaml,
    ] as readonly Tool[],
});
