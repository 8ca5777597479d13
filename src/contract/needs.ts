/** What a tool needs to reach: files, hosts, programs, secrets. */

/** What a tool may reach. The broker gives it this and nothing else. */
export interface Needs {
  readonly paths?: readonly PathNeed[];
  readonly hosts?: readonly string[];
  /**
   * Those of `hosts` that are on this machine or in its network, with their port: they may be reached although
   * such addresses are refused otherwise. A source takes them from the user's configuration alone.
   */
  readonly localHosts?: readonly string[];
  readonly commands?: readonly string[];
  readonly secrets?: readonly string[];
  /** Sandboxed code may ask the configured model; what it costs is charged to the call. */
  readonly model?: boolean;
}

export interface PathNeed {
  /** Relative to the workspace root; `.` is all of it. */
  readonly path: string;
  readonly access: 'read' | 'write';
}
