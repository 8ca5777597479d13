/** Writes the reference of all settings as Markdown, published as `docs/configuration.md`. */
import { configFields, isPlanned } from './config-fields.ts';
import { describeConfig, type SettingDescription } from './describe.ts';
import { configShape } from './read-config-shape.ts';

const INTRODUCTION = `# Configuration

<!-- Written by scripts/write-config-docs.mjs from the schema in src/config; edit it there. -->

Settings come from three places. The stronger one wins; mappings are merged, lists and single values are replaced.

1. Environment variables \`TOOLCRIB_*\`. An empty one counts as unset, an unknown one is an error.
2. The project: \`.toolcrib/config.yml\` (or \`.yaml\`), in the working directory or the nearest one above it, below the home directory.
   \`TOOLCRIB_CONFIG\` names another file.
3. The user: \`config.yml\` (or \`.yaml\`) in \`$XDG_CONFIG_HOME/toolcrib\`, else \`~/.config/toolcrib\`, on macOS
   \`~/Library/Application Support/toolcrib\`, on Windows \`%APPDATA%\\toolcrib\`. \`TOOLCRIB_HOME\` names another directory.

A project's configuration is inert until you trust the project: \`toolcrib trust\` shows what it would do and asks, and so does the first
command on a terminal. Trust is given to the folder with exactly the files that it has then; when one changes you are asked again. In CI, where
nobody can be asked, \`TOOLCRIB_TRUST=1\` trusts the project for one process. A file that \`TOOLCRIB_CONFIG\` names is yours, as it is.

Even a trusted project can only narrow what you, or the defaults, set; the column *a project* says how. What it asks for beyond that is not
taken, and told. The environment is yours and may set anything.

A mistake anywhere stops the start, and all mistakes are listed at once with file, line and column. Editors check the file against
\`docs/config.schema.json\`; \`toolcrib init\` writes a commented file that points at it.

\`<name>\` stands for a name of your choice, such as a tool or a server, and is written as it is: \`TOOLCRIB_TOOLS__read_file__ENABLED=false\`.
In a variable, a list is written with commas (\`a,b\`) or as JSON, and a mapping as JSON.
`;

/** Escapes a cell: a bar would end it. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const defaultText = (value: unknown): string =>
  value === undefined ? '–' : code(typeof value === 'string' ? value : JSON.stringify(value));

const row = ({ path, type, env, description, project, ...rest }: SettingDescription): string => {
  const cells = [code(path), cell(type), defaultText(rest.default), cell(description)];
  return `| ${[...cells, cell(project), code(env)].join(' | ')} |`;
};

const HEAD = `| setting | value | default | meaning | a project | variable |
|---|---|---|---|---|---|`;

const COMING = `## Coming

The configuration accepts these settings already, so that a file may name them, but nothing reads them yet. \`toolcrib init\` does not write them.

| setting | value | default | meaning |
|---|---|---|---|`;

const comingRow = ({ path, type, description, ...rest }: SettingDescription): string => {
  const meaning = description.replace(/ Not built yet\.$/, '');
  return `| ${[code(path), cell(type), defaultText(rest.default), cell(meaning)].join(' | ')} |`;
};

export const configMarkdown = (): string => {
  const planned = new Set(
    configFields()
      .filter(({ shape }) => isPlanned(shape))
      .map(({ path }) => path.join('.')),
  );
  const rows = describeConfig();
  const sections = Object.entries(configShape().properties ?? {}).flatMap(([name, shape]) => {
    const own = rows.filter(({ path }) => path.startsWith(`${name}.`) && !planned.has(path));
    if (own.length === 0) return [];
    const table = [HEAD, ...own.map(row)].join('\n');
    return [`## ${name}\n\n${shape.description ?? ''}\n\n${table}\n`];
  });
  const coming = rows.filter(({ path }) => planned.has(path)).map(comingRow);
  return [INTRODUCTION, ...sections, `${[COMING, ...coming].join('\n')}\n`].join('\n');
};
