/** Makes the OpenAPI document from the route table. */
import { z } from 'zod';
import { JSON_TYPE } from '../../door/answer.ts';
import type { Route } from '../route.ts';
import { errorBodySchema } from '../schemas/call.ts';

type Library = typeof import('@hono/zod-openapi');
type Registry = InstanceType<Library['OpenAPIHono']>['openAPIRegistry'];
type PathConfig = Parameters<Registry['registerPath']>[0];

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Writes a path such as `/v1/tools/:name` as OpenAPI does. */
export const openapiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const requestOf = ({ input: { params, query, body }, form }: Route) => ({
  ...(params && { params }),
  ...(query && { query }),
  ...(body && {
    body: {
      required: !body.safeParse(undefined).success,
      content: { [form ? FORM_TYPE : JSON_TYPE]: { schema: body } },
    },
  }),
});

const contentOf = ({ response }: Route) =>
  typeof response === 'string'
    ? { [response]: { schema: z.string() } }
    : { [JSON_TYPE]: { schema: response } };

const ROLE_NOTES = { public: 'Open to anybody.', member: 'Needs a token or session of any role.' };

const descriptionOf = ({ role }: Route): string =>
  role === 'public' || role === 'member' ? ROLE_NOTES[role] : `Needs the role ${role}.`;

const refusedFor = (description: string) => ({
  description,
  content: { [JSON_TYPE]: { schema: errorBodySchema } },
});

const responsesOf = (route: Route) => {
  const { role, status = 200, also = {} } = route;
  const content = contentOf(route);
  const others = Object.entries(also).map(([code, description]) => [
    code,
    { description, content },
  ]);
  return {
    [status]: { description: 'Done.', content },
    ...Object.fromEntries(others),
    ...(role !== 'public' && {
      401: refusedFor('The sender is not known: no good token or session.'),
    }),
    default: refusedFor('Refused or failed.'),
  };
};

const pathConfig = (route: Route): PathConfig => {
  const { method, path, role, summary, tag } = route;
  return {
    method,
    path: openapiPath(path),
    operationId: `${method}${path.replace(/[^a-zA-Z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    summary,
    description: descriptionOf(route),
    tags: [tag],
    security: role === 'public' ? [] : [{ token: [] }, { session: [] }],
    request: requestOf(route),
    responses: responsesOf(route),
  } as PathConfig;
};

export const openapiDocument = async (
  routes: readonly Route[],
  version: string,
): Promise<object> => {
  const { OpenAPIHono } = await import('@hono/zod-openapi');
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  for (const route of routes) registry.registerPath(pathConfig(route));
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'toolcrib_session',
  });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Toolcrib', version, description: 'The governed tool runtime for AI agents.' },
    servers: [{ url: '/' }],
  });
};
