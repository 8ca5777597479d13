/** Input and output of the docker tool, and which fields each action takes. */
import { z } from 'zod';
import { oneLine } from '../one-line.ts';

const DOCKER_ACTIONS = ['build', 'run', 'ps'] as const;
type DockerAction = (typeof DOCKER_ACTIONS)[number];

const image = () =>
  z
    .string()
    .max(255)
    .regex(/^[a-z0-9][\w.:@/-]*$/i, 'The name of an image, such as node:22-slim.');

const tag = () =>
  z
    .string()
    .max(255)
    .regex(/^[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::\w[\w.-]{0,127})?$/, 'A name such as app:1.0.');

const word = () =>
  z
    .string()
    .max(32_768)
    .regex(/^[^\0]*$/, 'No NUL characters.');

const variables = () =>
  z
    .record(z.string().regex(/^[A-Za-z_]\w{0,127}$/, 'The name of a variable.'), word())
    .refine((all) => Object.keys(all).length <= 100, 'At most 100 variables.');

const insidePath = oneLine(1_000)
  .regex(/^\/[^:]*$/, 'An absolute path inside the container, without a colon.')
  .refine((path) => !path.split('/').some((part) => part === '..' || part === '.'), 'No dots.');

/** Refuses mounts that would undo the container's isolation. */
const target = insidePath.refine(
  (path) => !/^\/+(?:(?:proc|sys|dev)(?:\/|$)|$)/.test(path),
  'Not the root, /proc, /sys or /dev.',
);

const mount = () =>
  z.strictObject({
    source: oneLine(1_000).describe('A file or folder of the workspace.'),
    target: target.describe('Where the container sees it.'),
    access: z.enum(['read', 'write']).default('read').describe('Read-only unless asked.'),
  });

const FIELDS: Readonly<Record<string, DockerAction | 'build or run'>> = {
  context: 'build',
  dockerfile: 'build',
  tag: 'build',
  target: 'build',
  buildArgs: 'build',
  noCache: 'build',
  image: 'run',
  args: 'run',
  entrypoint: 'run',
  env: 'run',
  mounts: 'run',
  workdir: 'run',
  stdin: 'run',
  processes: 'run',
  maxOutput: 'run',
  memoryMb: 'build or run',
  cpus: 'build or run',
  timeout: 'build or run',
  all: 'ps',
};

const REQUIRED: Readonly<Record<DockerAction, 'tag' | 'image' | undefined>> = {
  build: 'tag',
  run: 'image',
  ps: undefined,
};

const buildFields = () => ({
  context: oneLine(1_000)
    .optional()
    .describe('build: the folder to build from; the root if absent.'),
  dockerfile: oneLine(500)
    .regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))/, 'A path below the context, without dots.')
    .optional()
    .describe('build: its place in the context; Dockerfile when absent.'),
  tag: tag().optional().describe('build: the name of the image.'),
  target: z
    .string()
    .regex(/^[\w.-]{1,128}$/, 'The name of a stage.')
    .optional()
    .describe('build: the stage to stop at.'),
  buildArgs: variables().optional().describe('build: values of ARG. They stay in the image.'),
  noCache: z.boolean().optional().describe('build: start from scratch.'),
});

const runFields = () => ({
  image: image().optional().describe('run: an image that is there; none is fetched.'),
  args: z.array(word()).max(1_000).optional().describe('run: what to run, or arguments for it.'),
  entrypoint: word().optional().describe('run: in the place of the one of the image.'),
  env: variables().optional().describe('run: variables.'),
  mounts: z.array(mount()).max(20).optional().describe('run: what it sees of the workspace.'),
  workdir: insidePath.optional().describe('run: the folder to start in.'),
  stdin: z.string().max(1_000_000).optional().describe('run: the standard input.'),
  processes: z.int().min(1).max(4_096).optional().describe('run: 128 when absent.'),
  maxOutput: z.int().min(1).max(1_000_000).optional().describe('run: bytes; 100,000 when absent.'),
});

const limitFields = () => ({
  memoryMb: z.int().min(16).max(65_536).optional().describe('512 for run, 2,048 for build.'),
  cpus: z.number().min(0.1).max(64).optional().describe('Cores; 1 when absent.'),
  timeout: z
    .int()
    .min(1)
    .max(1_800_000)
    .optional()
    .describe('Milliseconds; one minute for run, ten for build.'),
});

export const dockerInput = () =>
  z
    .strictObject({
      action: z.enum(DOCKER_ACTIONS).describe('What to do.'),
      ...buildFields(),
      ...runFields(),
      ...limitFields(),
      all: z.boolean().optional().describe('ps: those that have ended, too.'),
    })
    .superRefine((request, context) => {
      const { action } = request;
      for (const [field, use] of Object.entries(FIELDS)) {
        if (!Object.hasOwn(request, field) || use.includes(action)) continue;
        context.addIssue({ code: 'custom', path: [field], message: `It is for ${use} only.` });
      }
      const required = REQUIRED[action];
      if (required === undefined || request[required] !== undefined) return;
      context.addIssue({
        code: 'custom',
        path: [required],
        message: `It is needed for ${action}.`,
      });
    });

export const dockerOutput = () =>
  z.strictObject({
    action: z.enum(DOCKER_ACTIONS).describe('What was done.'),
    success: z.boolean().describe('run: the exit code is 0; build: there is an image.'),
    exitCode: z.int().optional().describe('run: of the container.'),
    stdout: z.string().optional().describe('run: its standard output.'),
    stderr: z.string().optional().describe('run: its standard error.'),
    imageId: z.string().optional().describe('build: the id of the image.'),
    log: z.string().optional().describe('build: the end of what the engine said.'),
    filesSent: z.int().optional().describe('build: how many files were sent.'),
    bytesSent: z.int().optional().describe('build: how large they are together.'),
    containers: z
      .array(
        z.strictObject({
          id: z.string().describe('Its short id.'),
          names: z.array(z.string()).describe('Its names.'),
          image: z.string().describe('The image.'),
          state: z.string().describe('running, exited…'),
          status: z.string().describe('The same for people.'),
          created: z.string().describe('When, in UTC.'),
        }),
      )
      .optional()
      .describe('ps: the containers of this machine, at most 200.'),
  });

export type DockerInput = z.infer<ReturnType<typeof dockerInput>>;
export type DockerOutput = z.infer<ReturnType<typeof dockerOutput>>;
