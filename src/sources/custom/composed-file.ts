/** A YAML file that composes other tools: data without code, so nothing of it is compiled here. */
import { isRecord } from '../../kit/data/is-record.ts';
import type { Position } from './file-problem.ts';

export interface ComposedFile {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  positionOf(path: readonly PropertyKey[]): Position;
}

/** Tells it from the YAML file of a tool with code. */
export const isComposed = (value: unknown): boolean => isRecord(value) && value.type === 'composed';

/** Tells a file whose type is misspelt or missing from that of a tool with code. */
export const isMeantComposed = (value: unknown): boolean =>
  isRecord(value) && 'composition' in value && !('code' in value);

const textOf = (files: readonly ComposedFile[]): string =>
  JSON.stringify(files.map(({ file, text }) => [file, text]));

/** The composed files of the last load of a folder. */
export class ComposedFiles {
  readonly #listeners = new Set<() => void>();
  #files: readonly ComposedFile[] = [];

  get all(): readonly ComposedFile[] {
    return this.#files;
  }

  /** Keeps the files of a load, tells of a change, and returns the other tools of that load. */
  keep<T>(files: readonly ComposedFile[], tools: T): T {
    const hasChanged = textOf(files) !== textOf(this.#files);
    this.#files = files;
    if (hasChanged) for (const listener of this.#listeners) listener();
    return tools;
  }

  /** Calls back after a load that found other files than the one before; returns how to stop. */
  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
}
