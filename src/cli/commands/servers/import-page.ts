/** Shows what an import would do. Values that may be secret are hidden. */
import { CLIENT_TITLES } from '../../../config/mcp-import/client-files.ts';
import { argumentLooksSecret } from '../../../config/mcp-import/looks-secret.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';
import type { FoundFile } from './find-imports.ts';
import type { ImportPlan, PlannedServer } from './plan-import.ts';

const HIDDEN = '‹hidden›';

/** Shows the command line, or the address without its query. */
export const reachText = ({ definition }: Pick<PlannedServer, 'definition'>): string => {
  const { command, args = [], url } = definition;
  if (url !== undefined && URL.canParse(url)) {
    const { protocol, host, pathname, search } = new URL(url);
    return `${protocol}//${host}${pathname}${search === '' ? '' : `?${HIDDEN}`}`;
  }
  const shown = args.map((arg, at) => (argumentLooksSecret(arg, args[at - 1]) ? HIDDEN : arg));
  return [command ?? '', ...shown].join(' ');
};

const MARKS = { new: '+', same: '=', refused: '✗' } as const;

const serverLines = (io: Io, server: PlannedServer): readonly string[] => {
  const { name, outcome, reason, secrets, notes, definition } = server;
  const paint = { new: io.noteInk.green, same: io.noteInk.dim, refused: io.noteInk.red }[outcome];
  const summary = {
    new: reachText(server),
    same: 'is configured already',
    refused: `left out: ${reason}`,
  }[outcome];
  const more =
    outcome === 'new'
      ? [
          ...(definition.env ? [`variables: ${Object.keys(definition.env).join(', ')}`] : []),
          ...secrets.map(({ from, key }) => `${from} looks like a secret: stored as ${key}`),
          ...notes,
        ]
      : [];
  return [
    `  ${paint(MARKS[outcome])} ${visibleText(name)}  ${visibleText(summary)}`,
    ...more.map((line) => io.noteInk.dim(`      ${visibleText(line)}`)),
  ];
};

const fileLines = (io: Io, foundFile: FoundFile, plan: ImportPlan): readonly string[] => {
  const { file, client, isProject, fault, reading } = foundFile;
  const title = client === undefined ? 'a file' : CLIENT_TITLES[client];
  const head = `${title}: ${visibleText(file)}${isProject ? ' (of this folder)' : ''}`;
  if (fault !== undefined) return [head, `  ${io.noteInk.yellow('!')} ${visibleText(fault)}`];
  const servers = plan.servers.filter((server) => server.file === file);
  if (servers.length > 0) return [head, ...servers.flatMap((one) => serverLines(io, one))];
  return [head, `  ${reading?.isOurs === true ? 'uses Toolcrib already' : 'names no server'}`];
};

export const importPage = (io: Io, plan: ImportPlan): readonly string[] =>
  plan.files.flatMap((file) => fileLines(io, file, plan));

/** Makes the data for `--json`: without values of variables, headers or secrets. */
export const importData = ({ files, servers }: ImportPlan) => ({
  files: files.map(({ client, file, isProject, fault }) => ({
    ...(client && { client }),
    file,
    isProject,
    ...(fault !== undefined && { fault }),
  })),
  servers: servers.map((server) => ({
    name: server.name,
    foreignName: server.foreignName,
    file: server.file,
    outcome: server.outcome,
    ...(server.reason !== undefined && { reason: server.reason }),
    ...(server.outcome === 'refused' ? {} : { reach: reachText(server) }),
    secrets: server.secrets.map(({ from, key }) => ({ from, key })),
    notes: server.notes,
  })),
});
