/** The part of the contract about watching a crib: alerts, health, figures and traces. `index.ts` exports it. */
export type {
  AlertAction,
  AlertDefinition,
  AlertEvent,
  AlertNotification,
  AlertSilence,
  AlertStatus,
  AlertTest,
  CribAlerts,
  NewAlert,
  SilenceOptions,
} from './alerts.ts';
export type {
  CheckAllOptions,
  CheckOptions,
  CircuitStatus,
  CribHealth,
  HealthChange,
  HealthCheck,
  HealthCheckResult,
  HealthHistory,
  HealthKind,
  HealthSchedule,
  HealthState,
  HealthStatus,
  ToolRecord,
} from './health.ts';
export type {
  CallFigures,
  CountedStatus,
  CribMetrics,
  MetricHeat,
  MetricHeatCell,
  MetricHistory,
  MetricHistoryQuery,
  MetricKind,
  MetricLine,
  MetricPoint,
  MetricRange,
  MetricScope,
  MetricWatch,
} from './metrics.ts';
export type {
  Span,
  SpanAttributes,
  SpanError,
  SpanKind,
  SpanStart,
  Telemetry,
  TraceContext,
} from './telemetry.ts';
export type { ToolMetadata, ToolUsageFacts } from './tool-metadata.ts';
