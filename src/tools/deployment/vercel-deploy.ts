/** `vercel_deploy`: deploys the files of a folder to Vercel, and waits until the deployment is ready. */
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { baseUrl } from '../base-url.ts';
import { authOf } from '../vendor-reply.ts';
import { collectFiles } from './collect-files.ts';
import { type Deployment, VERCEL, VercelApi } from './vercel-api.ts';

const input = () =>
  z.strictObject({
    projectPath: z.string().min(1).default('.').describe('The folder to deploy, in the workspace.'),
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'Small letters, digits, ".", "_" and "-".')
      .optional()
      .describe(
        'The project at Vercel, made when there is none; the name of the folder if absent.',
      ),
    production: z.boolean().default(false).describe('Make it what visitors see, not a preview.'),
    envVars: z
      .record(z.string().regex(/^[A-Za-z_]\w{0,255}$/), z.string().max(65_536))
      .default({})
      .describe('Environment variables of build and functions.'),
    teamId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,100}$/)
      .optional()
      .describe('The team it belongs to.'),
    wait: z.boolean().default(true).describe('Follow the build until it is ready or has failed.'),
  });

const output = () =>
  z.strictObject({
    deploymentId: z.string().describe('The deployment at Vercel.'),
    project: z.string().describe('The project at Vercel.'),
    url: z.url().describe('Where it can be seen.'),
    status: z.enum(['ready', 'building', 'error']).describe('How it stands.'),
    files: z.int().describe('How many files were sent.'),
    buildLogs: z.string().describe('The end of the build log.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

export interface VercelOptions {
  readonly baseUrl?: string;
  /** Waits between two requests for the state of a build. */
  wait?(ms: number, signal: AbortSignal): Promise<unknown>;
}

const POLL_MS = 2000;
const MAX_LOOKS = 400;

const STATUS: Readonly<Record<string, Output['status']>> = {
  READY: 'ready',
  ERROR: 'error',
  CANCELED: 'error',
};
const statusOf = ({ readyState }: Deployment): Output['status'] =>
  (Object.hasOwn(STATUS, readyState) ? STATUS[readyState] : undefined) ?? 'building';

/**
 * Reads the state of a deployment that exists. A code that means "not begun", such as RATE_LIMITED, must
 * not leave here: the call would be retried from the start, and deploy twice.
 */
const lookAt = async (api: VercelApi, current: Deployment): Promise<Deployment> => {
  try {
    return await api.get(current.id);
  } catch (error) {
    if (error instanceof ToolFailure && error.code !== 'CANCELLED') return current;
    throw error;
  }
};

interface Following {
  readonly api: VercelApi;
  readonly context: ToolContext;
  readonly pause: NonNullable<VercelOptions['wait']>;
}

const follow = async (made: Deployment, { api, context, pause }: Following) => {
  let now = made;
  for (let attempt = 0; attempt < MAX_LOOKS && statusOf(now) === 'building'; attempt++) {
    await pause(POLL_MS, context.signal);
    now = await lookAt(api, now);
    // The length of a build is unknown, so each reading reports a part of what is left.
    context.progress(0.5 + 0.5 * (1 - 0.97 ** (attempt + 1)), `Vercel: ${now.readyState}`);
  }
  return now;
};

const MAX_NAME_LENGTH = 100;

/** Turns a text into the name of a project; `undefined` when no letter is left. */
const fitName = (text: string): string | undefined => {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, MAX_NAME_LENGTH);
  return name === '' ? undefined : name;
};

/**
 * Names the project after the folder, which the approver sees. A file of the workspace could be changed
 * after the approval to name another project.
 */
const nameOf = async ({ name, projectPath }: Input, { fs }: ToolContext): Promise<string> => {
  const folder = name ?? fitName(basename(await fs.resolve(projectPath, 'read')));
  if (folder !== undefined) return folder;
  throw new ToolFailure('VALIDATION_ERROR', 'The folder has no name that Vercel would take.', {
    issues: [{ path: ['name'], message: 'Give the name of the project.' }],
  });
};

const requestOf = (
  request: Input & { readonly name: string },
  files: readonly { file: string; sha: string; size: number }[],
) => ({
  name: request.name,
  files: files.map(({ file, sha, size }) => ({ file, sha, size })),
  ...(request.production && { target: 'production' }),
  projectSettings: { framework: null },
  ...(Object.keys(request.envVars).length > 0 && {
    env: request.envVars,
    build: { env: request.envVars },
  }),
});

const deploy = async (
  request: Input,
  context: ToolContext,
  { href, pause }: { readonly href: string; readonly pause: Following['pause'] },
): Promise<Output> => {
  const name = await nameOf(request, context);
  const files = await collectFiles(request.projectPath, context);
  const api = new VercelApi(context, href, request.teamId);
  for (const [at, file] of files.entries()) {
    await api.upload(file);
    context.progress(
      (0.5 * (at + 1)) / files.length,
      `Uploaded ${at + 1} of ${files.length} files`,
    );
  }
  const made = await api.create(requestOf({ ...request, name }, files));
  const end = request.wait ? await follow(made, { api, context, pause }) : made;
  const buildLogs = request.wait ? await api.log(end.id) : '';
  const status = statusOf(end);
  if (status === 'error') context.warn(`The build failed. ${end.errorMessage ?? 'See buildLogs.'}`);
  return {
    deploymentId: end.id,
    project: name,
    url: `https://${end.url}`,
    status,
    files: files.length,
    buildLogs,
  };
};

export const defineVercelDeploy = (options: VercelOptions = {}): Tool<Input, Output> => {
  const { href, host } = baseUrl(options.baseUrl ?? 'https://api.vercel.com');
  const pause = options.wait ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  return defineTool({
    name: 'vercel_deploy',
    description: 'Deploys a folder of the workspace to Vercel, as a preview or to production.',
    documentation:
      'node_modules, .git, .env files and other private things are not sent. A build that fails is a result with status error and the end of its log. Another address for the service goes into services.vercel.baseUrl.',
    source: 'builtin',
    category: 'deployment',
    tier: 'external_api',
    capabilities: [
      {
        action: 'deploy',
        description: 'Deploy a project to Vercel.',
        requiresConfirmation: true,
        estimatedTime: 45_000,
      },
    ],
    auth: authOf(VERCEL, 'bearer_token'),
    permissions: ['tool:vercel_deploy'],
    needs: { hosts: [host], paths: [{ path: '.', access: 'read' }] },
    cost: { model: 'subscription', billingUrl: 'https://vercel.com/account/billing' },
    timeoutMs: 900_000,
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 20, maxPerDay: 100 },
    server: 'vercel',
    aliases: ['vercel:deploy'],
    tags: ['vercel', 'deploy', 'hosting', 'release'],
    examples: [
      {
        title: 'Deploy a preview',
        input: { projectPath: 'site', name: 'lamps' },
        output: { status: 'ready', files: 2 },
      },
    ],
    input,
    output,
    run: (request, context) => deploy(request, context, { href, pause }),
  });
};
