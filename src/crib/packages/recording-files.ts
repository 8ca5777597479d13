/** Files that remember which of them were read: the compiler asks for what a tool imports. */
import type { ToolFiles } from '../../sources/custom/compile-tool.ts';

export class RecordingFiles extends Map<string, Uint8Array> {
  readonly #read = new Set<string>();

  constructor(files: ToolFiles) {
    super();
    for (const [path, bytes] of files) this.set(path, bytes);
  }

  override get(path: string): Uint8Array | undefined {
    this.#read.add(path);
    return super.get(path);
  }

  /** Gives a file and those that were read. */
  used(file: string): ToolFiles {
    return new Map([...this].filter(([path]) => path === file || this.#read.has(path)));
  }
}
