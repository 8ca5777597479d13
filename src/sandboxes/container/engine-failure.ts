/** Maps an error of the engine to a failure. The engine's message holds paths and is left out. */
import { ToolFailure } from '../../contract/errors.ts';
import { sandboxFailure } from '../../kit/data/coded-failures.ts';

interface EngineError {
  readonly statusCode?: unknown;
  readonly message?: unknown;
}

const NO_PROGRAM =
  /executable file.*not found|no such file or directory: unknown|stat .*: no such/i;

export const engineFailure = (error: unknown): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  const { statusCode, message } = Object(error) as EngineError;
  const text = typeof message === 'string' ? message : '';
  if (NO_PROGRAM.test(text)) {
    return new ToolFailure('DEPENDENCY_MISSING', 'The program is not there in the image.', {
      suggestions: ['Use an image that has it.'],
    });
  }
  if (statusCode === 404) {
    return sandboxFailure(
      'The image of the sandbox is not there.',
      'Pull the image that is configured.',
    );
  }
  if (/runtime/i.test(text)) {
    return sandboxFailure(
      'The engine has no such runtime.',
      'Run `toolcrib doctor` to see what is missing.',
    );
  }
  return typeof statusCode === 'number'
    ? sandboxFailure(
        `The engine refused the container (${statusCode}).`,
        'See the log of the engine.',
      )
    : sandboxFailure('The engine could not be reached.', 'Start Docker or Podman and try again.');
};
