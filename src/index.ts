/**
 * The public face of Toolcrib. What is exported here is named, there or in `contract/index.ts`: all else is
 * internal.
 */

// Make a crib, and say what it is made of.

export { createCrib } from './crib/create-crib.ts';
export { createRuntime } from './crib/create-runtime.ts';
export type { CribOptions } from './crib/crib-options.ts';
export { openProject, type ProjectOptions } from './crib/open-project.ts';
export { type LoadConfigOptions, type LoadedConfig, loadConfig } from './trust/load-config.ts';

// What these options and the loaded configuration are made of.

export type { ApprovalCallback } from './approvers/callback.ts';
export type { ConfigProblem } from './config/config-error.ts';
export type { Environment } from './config/load/find-config-files.ts';
export type { ConfigSource } from './config/load/layer.ts';
export type { PolicyFile } from './config/load/policy-files.ts';
export type { Config, ConfigInput } from './config/schema.ts';
export type { CustomTools } from './crib/open-custom-tools.ts';
export type { PackageLocations } from './crib/packages/package-libraries.ts';
export type { ProjectSetting } from './crib/project/project-options.ts';
export type { PolicyDocument } from './governance/policy/document/policy-document.ts';
export type { LockLocation } from './trust/lock-file.ts';
export type { NarrowedSetting, ProjectChange } from './trust/narrow-project.ts';
export type { ProjectPackages } from './trust/packages-lock-file.ts';
export type { ProjectFolder } from './trust/project-folder.ts';
export type { ConfigLocation, ProjectTrust } from './trust/project-trust.ts';

// Write tools, flows and jobs, call them, implement a port: everything of `toolcrib/contract`.

export * from './contract/index.ts';

// Composing tools: one tool that calls others, each through the whole pipeline.

export type { PartOutcome } from './flow/compose/call-part.ts';
export type { ComposeOptions } from './flow/compose/compose-options.ts';
export {
  type ConditionalBranch,
  type ConditionalData,
  type ConditionalOptions,
  type ConditionContext,
  conditional,
} from './flow/compose/conditional.ts';
export { type CompositionOptions, createComposition } from './flow/compose/create-composition.ts';
export { type ParallelData, type ParallelOptions, parallel } from './flow/compose/parallel.ts';
export type { ChainData, TransformOutput } from './flow/compose/run-chain.ts';
export { type SequenceData, type SequenceOptions, sequence } from './flow/compose/sequence.ts';
export type { CustomAggregator, MergeConflict } from './flow/compose/steps/aggregate.ts';
export type { CompositionResult } from './flow/compose/steps/build-composition.ts';
export type { CompositionDefinition } from './flow/compose/steps/composition-shape.ts';
export type { StepResult } from './flow/compose/steps/run-steps.ts';
export type { StepOutput } from './flow/values/scope.ts';
