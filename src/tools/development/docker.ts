/**
 * `docker`: builds an image, runs a container or lists them, with Docker or Podman. There is no input
 * field for anything that opens a container to the host.
 */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { writeTar } from '../../kit/archive/write-tar.ts';
import { dockerContext } from './docker-context.ts';
import type { DockerEngine, DockerMount, OpenDockerEngine } from './docker-engine.ts';
import { type DockerInput, type DockerOutput, dockerInput, dockerOutput } from './docker-fields.ts';

export interface DockerOptions {
  readonly openEngine: OpenDockerEngine;
}

const MAX_CONTAINERS = 200;
const MAX_LOG = 50_000;

type Step = (
  request: DockerInput,
  context: ToolContext,
  engine: DockerEngine,
) => Promise<Omit<DockerOutput, 'action'>>;

const mountOf = async (
  { source, target, access }: NonNullable<DockerInput['mounts']>[number],
  { fs }: ToolContext,
): Promise<DockerMount> => {
  const info = await fs.stat(source);
  // No sockets: a program that listens at one runs outside of every container.
  if (info?.kind === 'file' || info?.kind === 'directory') {
    return { source: await fs.resolve(source, access), target, writable: access === 'write' };
  }
  const message = 'It must be a file or folder of the workspace.';
  throw new ToolFailure('VALIDATION_ERROR', 'There is no such file or folder to mount.', {
    issues: [{ path: ['mounts'], message }],
  });
};

const run: Step = async (request, context, engine) => {
  const mounts: DockerMount[] = [];
  for (const mount of request.mounts ?? []) mounts.push(await mountOf(mount, context));
  const { exitCode, stdout, stderr } = await engine.run({
    image: request.image ?? '',
    args: request.args ?? [],
    entrypoint: request.entrypoint,
    env: request.env ?? {},
    mounts,
    workdir: request.workdir,
    stdin: request.stdin,
    memoryMb: request.memoryMb ?? 512,
    cpus: request.cpus ?? 1,
    processes: request.processes ?? 128,
    timeoutMs: request.timeout ?? 60_000,
    outputBytes: request.maxOutput ?? 100_000,
    signal: context.signal,
  });
  return { success: exitCode === 0, exitCode, stdout, stderr };
};

const build: Step = async (request, context, engine) => {
  const { context: folder = '.', dockerfile = 'Dockerfile' } = request;
  const sent = await dockerContext({ folder, dockerfile }, context);
  const { success, imageId, log } = await engine.build({
    archive: writeTar(sent.entries),
    dockerfile,
    tag: request.tag ?? '',
    target: request.target,
    buildArgs: request.buildArgs ?? {},
    noCache: request.noCache ?? false,
    memoryMb: request.memoryMb ?? 2_048,
    cpus: request.cpus ?? 1,
    timeoutMs: request.timeout ?? 600_000,
    onLine: (line) => context.progress(0.5, line.slice(0, 200)),
    signal: context.signal,
  });
  const report = { filesSent: sent.files, bytesSent: sent.bytes, log: log.slice(-MAX_LOG) };
  return { success, ...(success && { imageId }), ...report };
};

const ps: Step = async ({ all = false }, _context, engine) => {
  const listed = await engine.list({ all, limit: MAX_CONTAINERS });
  const containers = listed.slice(0, MAX_CONTAINERS).map(({ names, createdMs, ...rest }) => ({
    ...rest,
    names: [...names],
    created: new Date(createdMs).toISOString(),
  }));
  return { success: true, containers };
};

const STEPS: Readonly<Record<DockerInput['action'], Step>> = { build, run, ps };

const capability = (action: DockerInput['action'], description: string) =>
  ({ action, description, tier: 'execute', requiresConfirmation: true }) as const;

const DOCUMENTATION = `Containers run without network, capabilities, new privileges or root, with a
read-only root (\`/tmp\` is writable), limits of memory, cores and processes, and see of the workspace
what \`mounts\` names, read-only unless asked; secrets in it read as empty. Nothing of the host can be
shared with them, and they are removed when they end.

A build gets the files of one folder. Links, names that hold secrets, \`.git\` and \`.toolcrib\` stay out
whatever the Dockerfile says, and so does what a \`.dockerignore\` in that folder names. All files are
sent as executable. Its steps run without network; base images that are missing are fetched by the
engine. Steps of a build run as root inside it, as in every build.`;

export const defineDocker = ({ openEngine }: DockerOptions): Tool<DockerInput, DockerOutput> =>
  defineTool<DockerInput, DockerOutput>({
    name: 'docker',
    description:
      'Builds an image from a folder of the workspace, runs a container from an image that is there, or lists containers, with Docker or Podman. Containers have no network and no privileges. A non-zero exit code or a build that fails is a result, not a failure.',
    documentation: DOCUMENTATION,
    source: 'builtin',
    category: 'development',
    tier: 'execute',
    actionField: 'action',
    capabilities: [
      capability('build', 'Build an image.'),
      capability('run', 'Run a container and wait for its end.'),
      capability('ps', 'List the containers of this machine.'),
    ],
    permissions: ['tool:docker'],
    cost: { model: 'free' },
    timeoutMs: 1_860_000,
    concurrency: { limit: 4, queue: 16 },
    needs: { paths: [{ path: '.', access: 'write' }] },
    targets: ({ context, mounts = [] }) => ({
      paths: [...(context === undefined ? [] : [context]), ...mounts.map(({ source }) => source)],
    }),
    aliases: ['docker:run', 'docker:build'],
    tags: ['docker', 'podman', 'container', 'image', 'build', 'run'],
    examples: [
      {
        title: 'Run a program in a container',
        input: { action: 'run', image: 'node:22-slim', args: ['node', '--version'] },
        output: { action: 'run', success: true, exitCode: 0 },
      },
      {
        title: 'Build the project',
        input: { action: 'build', context: '.', tag: 'app:test' },
        output: { action: 'build', success: true },
      },
      { title: 'List what runs', input: { action: 'ps' }, output: { action: 'ps', success: true } },
    ],
    input: dockerInput,
    output: dockerOutput,
    healthCheck: async () => {
      await openEngine();
      return { healthy: true, message: 'An engine answers.' };
    },
    run: async (request, context) => {
      const outcome = await STEPS[request.action](request, context, await openEngine());
      return { action: request.action, ...outcome };
    },
  });
