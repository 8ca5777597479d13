/** A log that no secret gets into, whoever writes to it. */
import type { Logger } from '../../contract/runtime.ts';
import type { Redactor } from './redaction.ts';

export const redactingLog = (log: Logger, redactor: Redactor): Logger => {
  const write =
    (level: keyof Logger) =>
    (message: string, fields?: Record<string, unknown>): void =>
      log[level](
        redactor.text(message),
        fields && (redactor.record(fields) as Record<string, unknown>),
      );
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
};
