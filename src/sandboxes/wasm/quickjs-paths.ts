/** Where the engine lies: a thread loads it by path, wherever its own text came from. */
import { createRequire } from 'node:module';

export interface QuickJsPaths {
  readonly core: string;
  readonly variant: string;
  readonly wasm: string;
}

/** Throws when the engine is not installed. */
export const quickJsPaths = (): QuickJsPaths => {
  const { resolve } = createRequire(import.meta.url);
  return {
    core: resolve('quickjs-emscripten-core'),
    variant: resolve('@jitl/quickjs-ng-wasmfile-release-sync'),
    wasm: resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'),
  };
};
