/** `toolcrib add openapi`: an API by its OpenAPI document. */
import type { Command } from 'commander';
import { compact } from '../../../kit/data/compact.ts';
import { secretKeysOf } from '../../../kit/text/resolve-secrets.ts';
import { collect, collectEach } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import type { AddKind } from './add-kind.ts';
import { nameFrom } from './name-from.ts';

export interface AddOpenapiOptions {
  readonly baseUrl?: string;
  readonly auth?: readonly string[];
  readonly header?: readonly string[];
  readonly tags?: readonly string[];
  readonly paths?: readonly string[];
  readonly methods?: readonly string[];
  readonly operations?: readonly string[];
}

const options = (command: Command): Command =>
  command
    .option('--base-url <address>', 'the address of the API, instead of that in the document')
    .option(
      '--auth <scheme=KEY>',
      'the key of the secret for a security scheme of the document; can be repeated',
      collectEach,
    )
    .option('--header <name=value>', 'a header of every request; can be repeated', collectEach)
    .option('--tags <tags>', 'take in operations with one of these tags', collect)
    .option('--paths <paths>', 'take in operations below these paths, e.g. /pets/*', collect)
    .option('--methods <methods>', 'take in operations with these methods, e.g. GET', collect)
    .option('--operations <names>', 'take in these operations', collect);

const pairOf = (option: string, text: string): readonly [string, string] => {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  throw misuse(`${option} takes a name and a value: name=value.`, `You wrote: ${text}`);
};

const pairs = (option: string, texts: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(texts.map((text) => pairOf(option, text)));

const settingsOf = (document: string, chosen: AddOpenapiOptions): Record<string, unknown> => {
  const { baseUrl, tags, paths, methods, operations } = chosen;
  const auth = Object.entries(pairs('--auth', chosen.auth));
  const headers = pairs('--header', chosen.header);
  const include = compact({ tags, paths, methods, operations });
  return {
    document,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(auth.length > 0 && {
      auth: Object.fromEntries(auth.map(([scheme, secret]) => [scheme, { secret }])),
    }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(include).length > 0 && { include }),
  };
};

const isPlace = (address: string): boolean =>
  !/^[a-z][a-z0-9+.-]*:\/\//i.test(address) || (/^https?:/i.test(address) && URL.canParse(address));

export const addOpenapi: AddKind<AddOpenapiOptions> = {
  kind: 'openapi',
  summary: 'an API with an OpenAPI document: each operation is a tool',
  address: 'the OpenAPI document: an address or a file',
  examples: [
    'toolcrib add openapi https://petstore3.swagger.io/api/v3/openapi.json --auth api_key=PETSTORE_KEY',
    'toolcrib add openapi specs/billing.yaml --base-url https://billing.example.com/v1 --methods GET',
  ],
  recognises: (address) =>
    /(?:openapi|swagger)[^/?#]*(?:\.(?:json|ya?ml))?(?:[?#].*)?$/i.test(address) ||
    /\/v\d\/api-docs\/?$/i.test(address),
  options,
  async source({ address, name, options: chosen }) {
    if (!isPlace(address)) {
      throw misuse(
        'An OpenAPI document is an address that starts with http:// or https://, or a file.',
        'For example: toolcrib add openapi https://api.example.com/openapi.json',
      );
    }
    const settings = settingsOf(address, chosen);
    const headerKeys = secretKeysOf(pairs('--header', chosen.header));
    const authKeys = Object.values(pairs('--auth', chosen.auth));
    return {
      name: name ?? nameFrom(address),
      settings,
      secrets: [...new Set([...authKeys, ...headerKeys])],
    };
  },
};
