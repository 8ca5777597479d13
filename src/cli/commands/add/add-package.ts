/** `toolcrib add package`: the same as `toolcrib install`. A package is in a lock file, not in the configuration. */
import type { Io } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';
import {
  type InstallCommandOptions,
  installOne,
  withInstallOptions,
} from '../packages/packages-install.ts';

/** Describes packages to `add`; they have no settings to write. */
export const addPackage = {
  kind: 'package',
  summary: 'a package of tools: npm, git, a folder, an address',
  address: 'name@range, git+https://…#tag, a folder, a .tgz file or its address',
  examples: ['toolcrib add package weather-tools', 'toolcrib add package ./my-tools --dry-run'],
  /** Recognizes only what is clearly a package: a bare name could be anything. */
  recognises: (address: string): boolean =>
    /^(?:git\+(?:https|ssh|file):|github:)/.test(address) || /\.tgz$/i.test(address),
  options: withInstallOptions,
  install: (
    io: Io,
    request: { readonly source: string; readonly options: InstallCommandOptions },
  ): Promise<number> => withStore(io, (open) => installOne(io, open, request)),
} as const;
