/** `toolcrib sources info`: what a source is, where it is set, and which tools it has. */
import type { Command } from 'commander';
import type { SourceStatus } from '../../../contract/sources.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson, warn } from '../../io.ts';
import { counted, formatTime } from '../../output/format-units.ts';
import { factRows, table } from '../../output/table.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { noteHeldTools, serverTools, showServerTools } from '../servers/offer-tools.ts';
import { type ConfiguredSource, isOfProject, requireSource } from './source-config.ts';

const REFERENCE = /^(?:[A-Za-z]+ )?\$\{secret:[^}]+\}$/;

/** Settings whose values may be credentials. */
const SENT: ReadonlySet<string> = new Set(['headers', 'metadata']);

const hidden = (values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      REFERENCE.test(String(value)) ? value : '(hidden)',
    ]),
  );

/** Hides headers and metadata that are not references to secrets. */
const shownSettings = ({ settings }: Pick<ConfiguredSource, 'settings'>): object =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, SENT.has(key) ? hidden(value) : value]),
  );

const factsOf = (
  source: ConfiguredSource,
  status: SourceStatus | undefined,
  where: string,
): readonly (readonly [string, string])[] => [
  ['Kind', source.kind],
  ['State', status?.state ?? 'disabled'],
  ...(status ? [['Location', status.location] as const] : []),
  ['Set in', where],
  ...(status?.readAt === undefined ? [] : [['Last read', formatTime(status.readAt)] as const]),
  ...(status?.lastError === undefined ? [] : [['Last error', status.lastError] as const]),
  ...Object.entries(shownSettings(source)).map(
    ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  ),
];

const info = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const source = await requireSource(open, name);
  const status = open.crib.sources.list().find((one) => one.name === name);
  const tools = serverTools(open.crib, `${source.kind}:${name}`);
  const where = isOfProject(open, source) ? 'this project' : 'your configuration';
  if (io.json) {
    const settings = shownSettings(source);
    printJson(io, { source: name, kind: source.kind, where, settings, status, tools });
    return 0;
  }
  print(io, io.ink.bold(name));
  print(io, ...table(factRows(factsOf(source, status, where), io.ink)));
  print(io, counted(tools.length, 'tool'));
  showServerTools(io, tools);
  for (const { name: operation, reason } of status?.refused ?? []) {
    warn(io, visibleText(`${operation}: ${reason}`));
  }
  noteHeldTools(io, tools);
  return 0;
};

export const sourcesInfoCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('info').argument('<name>')).action(
      leaving(io, (name: string) => withStore(io, (open) => info(io, open, name))),
    ),
    'toolcrib sources info petstore',
  );
