/** Configuration, tokens and grants as the HTTP API sends them. */
import type { Role } from '../../api/call-records.ts';

export interface SettingLine {
  readonly path: string;
  readonly value?: unknown;
  readonly default?: unknown;
  readonly source: string;
  readonly description: string;
}

export interface SandboxLine {
  readonly type: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly install?: string;
}

export interface DoctorLine {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
  readonly fix?: string;
}

export interface SettingsView {
  readonly config: readonly SettingLine[];
  readonly sandboxes: readonly SandboxLine[];
  readonly doctor: readonly DoctorLine[];
  readonly version: string;
  readonly store: string;
}

export interface TokenItem {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly createdBy?: string;
  readonly lastUsedAt?: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly policy?: {
    readonly tools?: readonly string[];
    readonly dailyUsd?: number;
    readonly isolation?: string;
  };
}

export interface Grant {
  readonly id: string;
  readonly subject: {
    readonly user?: string;
    readonly role?: string;
    readonly agent?: string;
    readonly session?: string;
  };
  readonly resource: string;
  readonly actions: readonly string[];
  readonly condition?: string;
  readonly skipsApproval: boolean;
  readonly definition?: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly by: string;
  readonly note?: string;
}
