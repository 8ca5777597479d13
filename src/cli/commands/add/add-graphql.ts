/** `toolcrib add graphql`: a GraphQL service, by its address. */
import type { Command } from 'commander';
import { compact } from '../../../kit/data/compact.ts';
import { secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import { collect, collectEach } from '../../command-actions.ts';
import { misuse, wholeNumber } from '../../input/misuse.ts';
import type { AddKind } from './add-kind.ts';
import { nameFrom } from './name-from.ts';
import { pairsFrom, serviceUrl } from './service-options.ts';

export interface AddGraphqlOptions {
  readonly schema?: string;
  readonly bearer?: string;
  readonly header?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly maxDepth?: number;
}

const MAX_DEPTH = 10;

const options = (command: Command): Command =>
  command
    .option('--schema <place>', 'its schema: a file or an address; asked for when absent')
    .option('--bearer <key>', 'the key of the secret that is sent as the bearer token')
    .option('--header <name=value>', 'a header of every request; can be repeated', collectEach)
    .option('--include <patterns>', 'operations to take in, e.g. query.*,create*', collect)
    .option('--exclude <patterns>', 'operations to leave out', collect)
    .option(
      '--max-depth <levels>',
      'how deep fields may be nested',
      wholeNumber('--max-depth', 1, MAX_DEPTH),
    );

const settingsOf = (url: string, chosen: AddGraphqlOptions): Readonly<Record<string, unknown>> => {
  const { schema, bearer, header, include, exclude, maxDepth } = chosen;
  const headers = header && pairsFrom('--header', header);
  return compact({ url, schema, bearer, headers, include, exclude, maxDepth });
};

export const addGraphql: AddKind<AddGraphqlOptions> = {
  kind: 'graphql',
  summary: 'a GraphQL service: each query and mutation is a tool',
  address: 'the address of the service',
  examples: [
    'toolcrib add graphql https://api.github.com/graphql --bearer GITHUB_TOKEN',
    'toolcrib add graphql https://api.github.com/graphql --bearer GITHUB_TOKEN --include query.*,createIssue --replace',
    'toolcrib add graphql http://localhost:4000/graphql --schema schema.graphql --name shop',
  ],
  recognises: (address) => /^https?:\/\/[^?#]*\/graphql\/?$/i.test(address),
  options,
  async source({ address, name, options: chosen }) {
    const url = serviceUrl(address, ['http:', 'https:']);
    if (!url) {
      throw misuse(
        'A GraphQL service is given as an address without user name and password.',
        'For example: toolcrib add graphql https://api.github.com/graphql',
      );
    }
    const keys = secretKeysOf(pairsFrom('--header', chosen.header ?? []));
    return {
      name: name ?? nameFrom(address, 'graphql'),
      settings: settingsOf(address, chosen),
      secrets: [...new Set([...(chosen.bearer === undefined ? [] : [chosen.bearer]), ...keys])],
    };
  },
};
