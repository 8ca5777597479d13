/** The options of `createCrib`. */
import type { Config, ConfigInput } from '../config/schema.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { StartServers } from '../contract/servers.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import type { CustomTools } from './open-custom-tools.ts';
import type { EngineOptions } from './open-engine.ts';
import type { OpenPolicyOptions } from './open-policy.ts';
import type { ToolLockOptions } from './open-tool-lock.ts';
import type { PackageLocations } from './packages/package-libraries.ts';
import type { StoreOptions } from './store/open-store.ts';

/**
 * `store` holds audit, budgets and memory; `config.store` is the default. `approver` answers
 * questions; without one, calls that need approval answer `pending`.
 */
export interface CribOptions
  extends EngineOptions,
    StoreOptions,
    OpenPolicyOptions,
    ToolLockOptions {
  /** Settings over the defaults, as in `.toolcrib/config.yml`. Throws when they are not valid. */
  readonly config?: ConfigInput;
  /** Settings that `loadConfig` has checked already; used instead of `config`. */
  readonly settings?: Config;
  /** The folder that file tools work in; the current one by default. */
  readonly root?: string;
  readonly tools?: readonly Tool[];
  readonly sources?: readonly Source[];
  /** Custom tools of a project that the user trusts. */
  readonly customTools?: CustomTools;
  /** Where installed packages are; without it there are none. */
  readonly packages?: PackageLocations;
  /** Flow files of a project that the user trusts, by path below `.toolcrib/flows`. */
  readonly flowFiles?: ReadonlyMap<string, Uint8Array>;
  /** False leaves out the tools that ship. */
  readonly builtins?: boolean;
  /** False loads sources once; by default a source that changes is loaded again. */
  readonly watch?: boolean;
  /**
   * How MCP servers are started to list their tools. True, the default, waits for those that were never
   * listed; `briefly` waits two seconds; `background` does not wait; false takes the tools as they
   * were last known and starts none.
   */
  readonly startServers?: StartServers;
  readonly runtime?: Partial<Runtime>;
  /**
   * The folder of the signing key; by default the user's configuration folder. It is not touched
   * before a checkpoint or a link has to be signed.
   */
  readonly home?: string;
}
