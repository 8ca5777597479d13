/**
 * Registers the flows that a project declares in `.toolcrib/flows`: only files that the user trusts, as
 * they were trusted. A flow whose tools are not there yet is tried again when tools arrive.
 */
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';

const FLOW_FILE = /^flows\/.+\.ya?ml$/i;

/** Returns the texts of the trusted flow files, by their paths below `.toolcrib`. */
export const projectFlowsOf = ({
  trust,
}: Pick<LoadedConfig, 'trust'>): ReadonlyMap<string, string> => {
  const contents = trust.inForce?.contents ?? new Map<string, Uint8Array>();
  const files = [...contents].filter(([path]) => FLOW_FILE.test(path));
  return new Map(files.map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]));
};

export interface ProjectFlowFault {
  readonly file: string;
  readonly error: ToolFailure;
}

export interface RegisteredFlows {
  /** Files that cannot be used as things are now. */
  readonly faults: readonly ProjectFlowFault[];
  /** Stops waiting for the tools of those. */
  close(): void;
}

const asFailure = (error: unknown): ToolFailure =>
  error instanceof ToolFailure ? error : new ToolFailure('CONFIG_INVALID', reasonOf(error));

/** Never rejects: a file with a fault is reported, the others are used. */
export const registerProjectFlows = async (
  crib: Pick<Crib, 'flows' | 'events'>,
  files: ReadonlyMap<string, string>,
): Promise<RegisteredFlows> => {
  const waiting = new Map(files);
  const faults = new Map<string, ToolFailure>();
  const tryAll = async (): Promise<void> => {
    for (const [file, text] of [...waiting]) {
      try {
        await crib.flows.registerData(text);
        waiting.delete(file);
        faults.delete(file);
      } catch (error) {
        faults.set(file, asFailure(error));
      }
    }
  };
  await tryAll();
  // A flow may start another one that comes after it in the folder.
  if (waiting.size > 0) await tryAll();
  let trying = Promise.resolve();
  const stop = crib.events.on('tool.registered', () => {
    if (waiting.size > 0) trying = trying.then(tryAll);
  });
  return {
    faults: [...faults].map(([file, error]) => ({ file, error })),
    close: stop,
  };
};
