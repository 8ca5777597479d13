/** `toolcrib permissions grant`: grants a permission to users, roles, agents or sessions. */
import type { Command } from 'commander';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Grant, GrantSubject, NewGrant } from '../../../contract/grant.ts';
import type { Servers } from '../../../contract/servers.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { readDeadline } from '../../input/moment.ts';
import { hint, type Io, note, print, printDone, printJson, warn } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { mayBringTools } from '../../session/find-tool.ts';
import { localPerson } from '../../session/local-person.ts';
import { withCrib } from '../../session/open-crib.ts';
import { actionsText, subjectText } from './permissions-list.ts';

export interface GrantableTools {
  readonly tools: Pick<Catalog, 'get' | 'list' | 'suggest'>;
  readonly servers: Pick<Servers, 'list'>;
}

interface GrantedResource {
  readonly resource: string;
  /** Printed for the person who grants. */
  readonly warning?: string;
}

const TOOL = 'tool:';

const isRequired = (permission: string, { tools }: GrantableTools): boolean =>
  tools.list().some(({ tool }) => tool.permissions?.includes(permission));

/** Turns the name of a tool or a permission into a resource. Throws VALIDATION_ERROR for an unknown tool. */
export const grantedResource = (text: string, crib: GrantableTools): GrantedResource => {
  const isTool = text.startsWith(TOOL);
  const isOther = text.includes(':') && !isTool;
  if (text.includes('*') || isOther || isRequired(text, crib)) return { resource: text };
  const name = isTool ? text.slice(TOOL.length) : text;
  const tool = crib.tools.get(name)?.tool;
  if (tool) return { resource: `${TOOL}${tool.name}` };
  const near = crib.tools.suggest(name);
  if (mayBringTools(crib) && near.length === 0) {
    const warning = `No tool ${name} is known now; a server that is not connected may bring it.`;
    return { resource: `${TOOL}${name}`, warning };
  }
  throw misuse(
    `There is no tool named ${name}, so the grant would do nothing.`,
    near.length > 0
      ? `Did you mean ${near.map((suggestion) => `${TOOL}${suggestion}`).join(' or ')}?`
      : 'See all: toolcrib tools list',
  );
};

interface GrantOptions {
  readonly user?: string;
  readonly role?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly everyone?: boolean;
  readonly actions?: readonly string[];
  readonly when?: string;
  readonly expires?: string;
  readonly skipApproval?: boolean;
  readonly note?: string;
}

/** Matches a resource that names one tool: a server may have to be asked whether the tool exists. */
const TOOL_RESOURCE = /^tool:([^*]+)$/;

/** Reads the subject. A grant for everybody has to be asked for explicitly. */
const subjectFrom = ({ user, role, agent, session, everyone }: GrantOptions): GrantSubject => {
  const subject: GrantSubject = compact({ user, role, agent, session });
  const isNamed = Object.keys(subject).length > 0;
  if (isNamed && everyone === true) {
    throw misuse('--everyone does not go with --user, --role, --agent or --session.');
  }
  if (isNamed || everyone === true) return subject;
  throw misuse(
    'The grant names nobody.',
    'Name a --user, --role, --agent or --session, or give --everyone.',
  );
};

const grantFrom = (io: Io, resource: string, options: GrantOptions): NewGrant => {
  const { when, expires, note: text, actions = ['*'], skipApproval = false } = options;
  return {
    subject: subjectFrom(options),
    resource,
    actions,
    skipsApproval: skipApproval,
    by: localPerson(),
    ...(when !== undefined && { condition: when }),
    ...(expires !== undefined && {
      expiresAt: readDeadline('--expires', expires, io.runtime.now()),
    }),
    ...(text !== undefined && { note: text }),
  };
};

const report = (io: Io, granted: Grant): void => {
  const { id, subject, resource, condition, expiresAt, skipsApproval } = granted;
  const what = visibleText(`${resource}, ${actionsText(granted)}`);
  printDone(io, `Granted to ${visibleText(subjectText(subject))}: ${what}`);
  const until = expiresAt === undefined ? 'until it is revoked' : `to ${formatTime(expiresAt)}`;
  if (condition !== undefined) print(io, `  where ${visibleJson(condition)}`);
  print(io, `  ${until}${skipsApproval ? '; nobody is asked' : ''}`);
  if (!skipsApproval) {
    hint(io, '  What a rule asks a person about is still asked: --skip-approval');
  }
  note(io, `  ${io.noteInk.cyan('→')} Revoke it: toolcrib permissions revoke ${id}`);
};

const grant = (io: Io, resource: string, options: GrantOptions): Promise<number> => {
  const newGrant = grantFrom(io, resource, options);
  const tool = TOOL_RESOURCE.exec(resource)?.[1];
  return withCrib(
    io,
    async ({ crib }) => {
      const { resource: named, warning } = grantedResource(resource, crib);
      if (warning !== undefined) warn(io, visibleText(warning));
      const granted = await crib.permissions.grant({ ...newGrant, resource: named });
      if (io.json) printJson(io, granted);
      else report(io, granted);
      return 0;
    },
    tool === undefined ? { startServers: false } : { tool },
  );
};

export const permissionsGrantCommand = (permissions: Command, io: Io): Command =>
  withExamples(
    withJson(
      permissions
        .command('grant')
        .argument('<resource>', 'a tool, or a permission such as tool:git*; it may end in *'),
    )
      .option('--user <id>', 'for this user')
      .option('--role <role>', 'for everybody in this role')
      .option('--agent <id>', 'for this agent')
      .option('--session <id>', 'for this session')
      .option('--everyone', 'for everybody; needed when nobody is named')
      .option('--actions <list>', 'only these actions, between commas; all otherwise', collect)
      .option('--when <cel>', 'only where this CEL condition holds')
      .option('--expires <when>', 'when it expires: 8h, 7d, or a date')
      .option('--skip-approval', 'also run calls unasked that a rule would ask a person about')
      .option('--note <text>', 'a note for the record')
      .action(
        leaving(io, (resource: string, options: GrantOptions) => grant(io, resource, options)),
      ),
    'toolcrib permissions grant tool:web_search --user ada --expires 8h',
    `toolcrib permissions grant tool:file_operations --agent bot --actions delete --skip-approval \\
      --when 'input.path.startsWith("tmp/")'`,
  );
