/**
 * Shows what a project's configuration would do, to the person who is asked to trust it. What runs code
 * comes last, next to the question, and is never cut; every other cut is stated.
 */
import { visibleText } from '../../kit/text/visible-text.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { ProjectChange } from '../../trust/narrow-project.ts';
import { LOCK } from '../../trust/project-folder.ts';
import type { ProjectTrust } from '../../trust/project-trust.ts';
import { counted } from './format-units.ts';

const MAX_LINES = 60;
const MAX_CHARS = 400;

const whole = (value: unknown): string => visibleText(JSON.stringify(value));

const cut = (text: string): string => {
  const hidden = text.length - MAX_CHARS;
  return hidden > 0 ? `${text.slice(0, MAX_CHARS)}⟨${hidden} more characters⟩` : text;
};

const shown = (value: unknown): string => (value === undefined ? 'not set' : cut(whole(value)));

const firstLines = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `⟨${lines.length - MAX_LINES} more, see the file⟩`];

const fullBlock = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`  ${title}`, ...lines.map((line) => `    ${line}`)];

const block = (title: string, lines: readonly string[]): readonly string[] =>
  fullBlock(title, firstLines(lines));

const SERVER = /^mcp\.servers\./;

/** Shows the whole command line of every server that comes from the project. */
const serverLines = ({ config, changes }: LoadedConfig): readonly string[] => {
  const touched = changes.map(({ path }) => path).filter((path) => SERVER.test(path));
  return Object.entries(config.mcp.servers)
    .filter(([name]) => touched.some((path) => path.startsWith(`mcp.servers.${name}.`)))
    .map(([name, { command, args = [], url, env = {} }]) => {
      const what = command === undefined ? `talk to ${whole(url)}` : whole([command, ...args]);
      const variables = Object.keys(env).length === 0 ? '' : `, with the variables ${whole(env)}`;
      return `${visibleText(name)}: ${what}${variables}`;
    });
};

interface AcceptedTool {
  readonly tool: string;
  readonly origin: string;
}

/** Reads the lock; `undefined` when it cannot be read, because such a lock stops the start. */
const acceptedIn = (bytes: Uint8Array): readonly AcceptedTool[] | undefined => {
  try {
    const { tools } = JSON.parse(new TextDecoder().decode(bytes)) as { tools?: unknown };
    if (!Array.isArray(tools)) return undefined;
    return tools.map(({ tool, origin }: Record<string, unknown>) => ({
      tool: String(tool),
      origin: String(origin),
    }));
  } catch {
    return undefined;
  }
};

/** Lists the tools that the project's lock accepts, by source: trust in the project accepts them too. */
const lockLines = ({ folder }: ProjectTrust): readonly string[] => {
  const bytes = folder?.contents.get(LOCK);
  if (!bytes) return [];
  const accepted = acceptedIn(bytes);
  if (!accepted) return [`  Its ${LOCK} cannot be read, and would stop the start.`];
  const origins = [...new Set(accepted.map(({ origin }) => origin))];
  return block(
    `It accepts ${counted(accepted.length, 'tool')} from outside; you will not be asked about them:`,
    origins.map((origin) => {
      const tools = accepted.filter((entry) => entry.origin === origin).map(({ tool }) => tool);
      return `${visibleText(origin)}: ${cut(visibleText(tools.join(', ')))}`;
    }),
  );
};

const changeLine = ({ path, from, to, meaning }: ProjectChange): string =>
  `${visibleText(path)}: ${shown(from)} → ${shown(to)}   ${visibleText(meaning)}`;

/** Builds the page. `preview` is the configuration as it would be once trusted. */
export const trustPage = (trust: ProjectTrust, preview: LoadedConfig): readonly string[] => {
  const files = Object.keys(trust.folder?.files ?? {});
  const code = files.filter((file) => /^tools\//i.test(file));
  const changes = preview.changes.filter(({ path }) => !SERVER.test(path));
  const lines = [
    ...block('Files:', files.map(visibleText)),
    ...block('It would change these settings:', changes.map(changeLine)),
    ...block(
      'It would add these rules:',
      preview.policyFiles
        .filter(({ kind }) => kind === 'project')
        .map(({ path }) => visibleText(path)),
    ),
    ...block(
      'It asks for these as well, and does not get them:',
      preview.narrowed.map(({ path, message }) => `${visibleText(path)}: ${message}`),
    ),
    ...block('Different since you trusted it:', (trust.changed ?? []).map(visibleText)),
    ...lockLines(trust),
    ...block(`It brings tools (${counted(code.length, 'file')} of code):`, code.map(visibleText)),
    ...fullBlock('It would start or use these servers:', serverLines(preview)),
  ];
  return [
    `This project has its own configuration: ${visibleText(trust.projectDir ?? '')}`,
    ...lines,
  ];
};
