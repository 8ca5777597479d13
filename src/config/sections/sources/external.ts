/** The `sources` section: APIs and workflows whose operations are tools. */
import { z } from 'zod';
import { ALSO_WHEN_FAULTY, WHOLE } from '../fields.ts';
import { section, setting } from '../setting.ts';
import { GRAPHQL_ABOUT, graphqlSource } from './graphql.ts';
import { GRPC_ABOUT, grpcSource } from './grpc.ts';
import { N8N_ABOUT, n8nSource } from './n8n.ts';
import { OPENAPI_ABOUT, openapiSource } from './openapi.ts';
import { SOURCE_NAME, SOURCE_NAME_RULE } from './source-fields.ts';
import { WEBSOCKET_ABOUT, websocketSource } from './websocket.ts';

const named = <T extends z.ZodObject>(source: T, about: string) =>
  setting(z.record(z.string().regex(SOURCE_NAME, SOURCE_NAME_RULE), source.describe(about)), {
    about: `${about} By name.`,
    default: {},
  });

/** Finds a name that two sources have: messages, locks and the command line go by the name. */
const doubleName = (kinds: Readonly<Record<string, object>>): string | undefined => {
  const names = Object.values(kinds).flatMap((sources) => Object.keys(sources));
  return names.find((name, at) => names.indexOf(name) !== at);
};

export const sourcesSection = section(
  z
    .strictObject({
      openapi: named(openapiSource, OPENAPI_ABOUT),
      graphql: named(graphqlSource, GRAPHQL_ABOUT),
      grpc: named(grpcSource, GRPC_ABOUT),
      websocket: named(websocketSource, WEBSOCKET_ABOUT),
      n8n: named(n8nSource, N8N_ABOUT),
    })
    .superRefine((value, context) => {
      const name = doubleName(value);
      if (name === undefined) return;
      const message = `has two sources of the name ${name}; give one of them another name`;
      context.addIssue({ code: 'custom', params: WHOLE, message });
    }, ALSO_WHEN_FAULTY),
  'APIs and workflows whose operations are taken in as tools.',
);
