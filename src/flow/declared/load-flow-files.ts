/**
 * Reads the flow files of a project that its user trusts. A file with faults is left out and reported; it
 * never stops the others.
 */
import type { FlowData, FlowFault } from '../../contract/flow-data.ts';
import { highestOf } from '../../registry/versions.ts';
import { flowKey } from '../flow-registry.ts';
import { startedFlows, type ValidateFlowDeps, validateFlow } from './check/validate-flow.ts';
import { parseFlow, placeFaults } from './parse-flow.ts';

/** The bytes of each file by its path below the folder of flows. */
export type FlowFiles = ReadonlyMap<string, Uint8Array>;

export interface LoadFlowsDeps extends ValidateFlowDeps {
  /** Makes a flow known. Throws when its name and version are taken. */
  add(flow: FlowData): void;
  /** Makes a flow that was added the version that new runs of its name get. */
  makeNewest(flow: FlowData): void;
}

interface ReadFile {
  readonly file: string;
  readonly flow: FlowData;
  readonly parsed: Awaited<ReturnType<typeof parseFlow>>;
}

const isFlowFile = (file: string): boolean => !file.includes('/') && /\.ya?ml$/i.test(file);

const fault = (file: string, message: string): FlowFault => ({
  file,
  path: [],
  message,
  line: 1,
  column: 1,
  severity: 'error',
});

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

class FlowLoad {
  readonly faults: FlowFault[] = [];
  readonly #added = new Map<string, FlowData[]>();
  readonly #deps: LoadFlowsDeps;

  constructor(deps: LoadFlowsDeps) {
    this.#deps = deps;
  }

  async run(files: FlowFiles): Promise<void> {
    const read: ReadFile[] = [];
    for (const [file, bytes] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (isFlowFile(file)) read.push(...(await this.#read(file, bytes)));
    }
    await this.#addInOrder(this.#unique(read));
    // The order of files and of what they start says nothing about which version is meant.
    for (const versions of this.#added.values()) {
      const newest = highestOf(versions, ({ version }) => version);
      if (newest) this.#deps.makeNewest(newest);
    }
  }

  async #read(file: string, bytes: Uint8Array): Promise<readonly ReadFile[]> {
    const text = textOf(bytes);
    if (text === undefined) {
      this.faults.push(fault(file, 'is not UTF-8 text'));
      return [];
    }
    const parsed = await parseFlow(text, { file });
    this.faults.push(...parsed.faults);
    return parsed.flow ? [{ file, flow: parsed.flow, parsed }] : [];
  }

  /** Leaves out both of two files with one name and version: nobody could say which is meant. */
  #unique(read: readonly ReadFile[]): readonly ReadFile[] {
    const byKey = new Map<string, ReadFile[]>();
    for (const each of read) {
      const key = flowKey(each.flow);
      byKey.set(key, [...(byKey.get(key) ?? []), each]);
    }
    return read.filter(({ file, flow }) => {
      const others = (byKey.get(flowKey(flow)) ?? []).filter((other) => other.file !== file);
      for (const other of others) {
        this.faults.push(fault(file, `${flowKey(flow)} is also in ${other.file}; keep one`));
      }
      return others.length === 0;
    });
  }

  /** Adds flows after those that they start, whatever their files are called. */
  async #addInOrder(read: readonly ReadFile[]): Promise<void> {
    const waiting = new Map(read.map((each) => [flowKey(each.flow), each]));
    for (let before = -1; before !== waiting.size; ) {
      before = waiting.size;
      for (const [key, each] of waiting) {
        if (startedFlows(each.flow).some((name) => name !== key && waiting.has(name))) continue;
        waiting.delete(key);
        await this.#add(each);
      }
    }
    for (const { file, flow } of waiting.values()) {
      const others = startedFlows(flow).filter((name) => waiting.has(name));
      this.faults.push(
        fault(file, `flows start each other: ${flowKey(flow)} and ${others.join()}`),
      );
    }
  }

  async #add({ file, flow, parsed }: ReadFile): Promise<void> {
    const { ok, faults } = await validateFlow(parsed, this.#deps);
    this.faults.push(...placeFaults(faults, parsed, file));
    if (!ok) return;
    try {
      this.#deps.add(flow);
      this.#added.set(flow.name, [...(this.#added.get(flow.name) ?? []), flow]);
    } catch (error) {
      this.faults.push(fault(file, (error as Error).message));
    }
  }
}

/** Never rejects because of the content of a file. Says what is wrong with those that were left out. */
export const loadFlowFiles = async (
  files: FlowFiles,
  deps: LoadFlowsDeps,
): Promise<readonly FlowFault[]> => {
  const load = new FlowLoad(deps);
  await load.run(files);
  return load.faults;
};
