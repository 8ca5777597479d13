/** Replaces likely credentials in a definition by references to secrets. Pure. */
import { compact } from '../../kit/data/compact.ts';
import { type ForeignServer, type ServerDefinition, secretKeyFor } from './foreign-server.ts';
import { argumentLooksSecret, looksSecret } from './looks-secret.ts';

export interface MovedSecret {
  readonly key: string;
  /** Shown to people, e.g. `env.GITHUB_TOKEN`. */
  readonly from: string;
  /** Never shown. */
  readonly value: string;
}

export interface MovedServer {
  readonly definition: ServerDefinition;
  readonly secrets: readonly MovedSecret[];
  /** Where credentials had to stay; without the values. */
  readonly stuck: readonly string[];
}

type Pairs = Readonly<Record<string, string>>;

const movePairs = (
  server: string,
  kind: 'env' | 'headers',
  pairs: Pairs | undefined,
): { pairs?: Pairs; secrets: readonly MovedSecret[] } => {
  if (!pairs) return { secrets: [] };
  const secrets = Object.entries(pairs)
    .filter(([name, value]) => looksSecret(name, value))
    .map(([name, value]) => ({
      key: secretKeyFor(server, name),
      from: `${kind}.${name}`,
      value,
    }));
  const keyByName = new Map(secrets.map(({ from, key }) => [from, key]));
  const replaced = Object.entries(pairs).map(([name, value]) => {
    const key = keyByName.get(`${kind}.${name}`);
    return [name, key === undefined ? value : `\${secret:${key}}`] as const;
  });
  return { pairs: Object.fromEntries(replaced), secrets };
};

const urlHoldsSecret = (url: string): boolean => {
  const { password, searchParams } = new URL(url);
  return password !== '' || [...searchParams].some(([name, value]) => looksSecret(name, value));
};

const stuckIn = ({ args = [], url }: ServerDefinition): readonly string[] => [
  ...args.flatMap((arg, at) =>
    argumentLooksSecret(arg, args[at - 1]) ? [`argument ${at + 1}`] : [],
  ),
  ...(url !== undefined && URL.canParse(url) && urlHoldsSecret(url) ? ['the address'] : []),
];

export const moveSecrets = ({ name, definition }: ForeignServer): MovedServer => {
  const env = movePairs(name, 'env', definition.env);
  const headers = movePairs(name, 'headers', definition.headers);
  return {
    definition: {
      ...definition,
      ...compact({ env: env.pairs, headers: headers.pairs }),
    },
    secrets: [...env.secrets, ...headers.secrets],
    stuck: stuckIn(definition),
  };
};
