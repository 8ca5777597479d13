/** Alerts as the server sends them. */

export type AlertState = 'ok' | 'pending' | 'firing' | 'unknown';

export interface AlertActionRecord {
  readonly type: string;
  readonly url?: string;
  readonly secret?: string;
  readonly tool?: string;
  readonly job?: string;
  readonly as?: { readonly user: string };
}

export interface AlertSilenceRecord {
  readonly until: number;
  readonly by: string;
  readonly note?: string;
}

export interface AlertRecord {
  readonly id: string;
  readonly definition: {
    readonly when: string;
    readonly tool?: string;
    readonly source?: string;
    readonly caller?: string;
    readonly each?: string;
    readonly window?: string;
    readonly for?: string;
    readonly coolDown?: string;
    readonly severity?: string;
    readonly summary?: string;
    readonly actions?: readonly AlertActionRecord[];
  };
  readonly state: AlertState;
  readonly subjects: readonly {
    readonly subject: string;
    readonly state: 'pending' | 'firing';
    readonly since: number;
  }[];
  readonly silence?: AlertSilenceRecord;
  readonly evaluatedAt?: number;
  readonly lastFiredAt?: number;
  readonly problem?: string;
}

export interface AlertDeliveryRecord {
  readonly action: string;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly attempts: number;
  readonly problem?: string;
}

export interface AlertEventRecord {
  readonly id: string;
  readonly type: 'alert.fired' | 'alert.resolved' | 'alert.tested';
  readonly alert: string;
  readonly subject: string;
  readonly severity: string;
  readonly summary: string;
  readonly at: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly silenced: boolean;
  readonly deliveries: readonly AlertDeliveryRecord[];
}

export interface AlertTestRecord {
  readonly findings: readonly {
    readonly subject: string;
    readonly holds: boolean;
    readonly values: Readonly<Record<string, unknown>>;
  }[];
  readonly problem?: string;
  readonly deliveries: readonly AlertDeliveryRecord[];
}
