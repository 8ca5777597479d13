/** `toolcrib add websocket`: a WebSocket service, by its address and a file with its operations. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isRecord } from '../../../kit/data/is-record.ts';
import { secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import { readYaml } from '../../../kit/text/strict-yaml.ts';
import { collectEach } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';
import type { AddKind } from './add-kind.ts';
import { nameFrom } from './name-from.ts';
import { pairsFrom, serviceUrl } from './service-options.ts';

export interface AddWebsocketOptions {
  readonly operations?: string;
  readonly header?: readonly string[];
  readonly protocol?: readonly string[];
}

type Settings = Readonly<Record<string, unknown>>;

const EXAMPLE = 'toolcrib add websocket wss://desk.example.com/socket --operations desk.yml';
const RULES = { maxDepth: 50, maxNodes: 20_000, aliases: 'refuse' } as const;

const options = (command: Command): Command =>
  command
    .option('--operations <file>', 'a YAML file with `operations` and `correlation`')
    .option('--header <name=value>', 'a header of the connection; can be repeated', collectEach)
    .option('--protocol <name>', 'a subprotocol to offer; can be repeated', collectEach);

const readOperations = async (io: Pick<Io, 'cwd'>, path: string | undefined): Promise<Settings> => {
  if (path === undefined) {
    throw misuse('Say which operations the service has: --operations.', `For example: ${EXAMPLE}`);
  }
  const text = await readFile(resolve(io.cwd, path), 'utf8').catch(() => {
    throw misuse(`The file ${path} cannot be read.`, 'Check the path.');
  });
  const { value, faults } = readYaml(await import('yaml'), text, RULES);
  const [fault] = faults;
  if (fault) {
    throw misuse(`${path}, line ${fault.line}, column ${fault.column}: ${fault.message}.`);
  }
  if (isRecord(value) && isRecord(value.operations) && isRecord(value.correlation)) return value;
  throw misuse(
    `${path} has no \`operations\` and \`correlation\`.`,
    'See docs/sources/websocket.md.',
  );
};

/** Lists the keys of `{ secret: KEY }` in a template. */
const secretsIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isRecord(value)) return [];
  const { secret } = value;
  if (typeof secret === 'string' && Object.keys(value).length === 1) return [secret];
  return Object.values(value).flatMap(secretsIn);
};

const messagesOf = ({ operations, login }: Settings): readonly unknown[] => [
  ...Object.values(isRecord(operations) ? operations : {}).map((one) =>
    isRecord(one) ? one.request : undefined,
  ),
  isRecord(login) ? login.message : undefined,
];

export const addWebsocket: AddKind<AddWebsocketOptions> = {
  kind: 'websocket',
  summary: 'a WebSocket service that answers requests: each operation is a tool',
  address: 'the address of the service',
  examples: [EXAMPLE],
  recognises: (address) => /^wss?:\/\//i.test(address),
  options,
  async source({ io, address, name, options: chosen }) {
    const url = serviceUrl(address, ['ws:', 'wss:']);
    if (!url) {
      throw misuse(
        'A WebSocket service is given as an address with ws:// or wss://, without user name and password.',
        `For example: ${EXAMPLE}`,
      );
    }
    const file = await readOperations(io, chosen.operations);
    const headers = pairsFrom('--header', chosen.header ?? []);
    return {
      name: name ?? nameFrom(address, 'websocket'),
      settings: {
        ...file,
        url: address,
        ...(chosen.header && { headers }),
        ...(chosen.protocol && { protocols: chosen.protocol }),
      },
      secrets: [...new Set([...secretKeysOf(headers), ...messagesOf(file).flatMap(secretsIn)])],
    };
  },
};
