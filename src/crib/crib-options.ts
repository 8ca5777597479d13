/** What a program says when it makes a crib. */
import type { Config, ConfigInput } from '../config/schema.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { StartServers } from '../contract/servers.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import type { CustomTools } from './open-custom-tools.ts';
import type { EngineOptions } from './open-engine.ts';
import type { OpenPolicyOptions } from './open-policy.ts';
import type { StoreOptions } from './open-store.ts';
import type { ToolLockOptions } from './open-tool-lock.ts';

/**
 * `store`: where audit, budgets and memory live; by default what `config.store` says. `approver`: who
 * is asked; without one, calls that need approval answer `pending`.
 */
export interface CribOptions
  extends EngineOptions,
    StoreOptions,
    OpenPolicyOptions,
    ToolLockOptions {
  /** Settings over the defaults, as in `.toolcrib/config.yml`. Throws when they are not valid. */
  readonly config?: ConfigInput;
  /** Settings that are checked already, as `loadConfig` gives them, in the place of `config`. */
  readonly settings?: Config;
  /** The folder file tools work in; the present one by default. */
  readonly root?: string;
  readonly tools?: readonly Tool[];
  readonly sources?: readonly Source[];
  /** The tools of a project that its user trusts. */
  readonly customTools?: CustomTools;
  /** False leaves the tools that ship out. */
  readonly builtins?: boolean;
  /** False leaves the tools as they were loaded; by default a source that changes is loaded again. */
  readonly watch?: boolean;
  /**
   * How MCP servers are started to list their tools. True, the default, waits for those that were never
   * listed; `briefly` waits two seconds; `background` does not wait; false takes the tools as they
   * were last known and starts none.
   */
  readonly startServers?: StartServers;
  readonly runtime?: Partial<Runtime>;
  /**
   * Where keys are kept; by default the user's configuration folder. Nothing is read there, or
   * made, before a checkpoint or a link has to be signed.
   */
  readonly home?: string;
}
