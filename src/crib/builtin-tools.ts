/** The tools that ship. Definitions are cheap to load; what they need is loaded when they run. */
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import { defineGraphqlQuery } from '../tools/api/graphql-query.ts';
import { defineRestApiCall } from '../tools/api/rest-api-call.ts';
import { analyzeCode } from '../tools/code/analyze-code.ts';
import { analyzeDependencies } from '../tools/code/analyze-dependencies.ts';
import { parseTypescript } from '../tools/code/parse-typescript.ts';
import { defineTypeCheck } from '../tools/code/type-check.ts';
import { defineQueryDatabase } from '../tools/database/query-database.ts';
import { defineSupabaseQuery } from '../tools/database/supabase-query.ts';
import { defineVercelDeploy } from '../tools/deployment/vercel-deploy.ts';
import { bashExecution } from '../tools/development/bash-execution.ts';
import { defineDocker } from '../tools/development/docker.ts';
import type { OpenDockerEngine } from '../tools/development/docker-engine.ts';
import { git } from '../tools/development/git.ts';
import { gitCommit } from '../tools/development/git-commit.ts';
import { defineGitRemote, type GitRemoteOptions } from '../tools/development/git-remote.ts';
import { npmInstall } from '../tools/development/npm-install.ts';
import { editFiles } from '../tools/filesystem/edit-files.ts';
import { fileOperations } from '../tools/filesystem/file-operations.ts';
import { readFile } from '../tools/filesystem/read-file.ts';
import { writeFile } from '../tools/filesystem/write-file.ts';
import { calculator } from '../tools/local/calculator.ts';
import { defineDatetime } from '../tools/local/datetime.ts';
import { deepReasoning } from '../tools/local/deep-reasoning.ts';
import { textTransform } from '../tools/local/text-transform.ts';
import { defineFileSearch } from '../tools/search/file-search.ts';
import { defineSendgridSendEmail } from '../tools/service/sendgrid-send-email.ts';
import { defineStripeCreatePayment } from '../tools/service/stripe-create-payment.ts';
import { jsonParser } from '../tools/validation/json-parser.ts';
import { validateJson } from '../tools/validation/validate-json.ts';
import { validateYaml } from '../tools/validation/validate-yaml.ts';
import { type SearchChoice, searchProviderFor } from '../tools/web/search-provider.ts';
import { defineWebScrape } from '../tools/web/web-scrape.ts';
import { defineWebSearch } from '../tools/web/web-search.ts';

interface ServiceAddress {
  readonly baseUrl?: string;
}

/** The addresses of the services, from the configuration. */
export interface ServiceAddresses {
  readonly stripe: ServiceAddress;
  readonly sendgrid: ServiceAddress;
  readonly vercel: ServiceAddress;
  readonly supabase: ServiceAddress;
  readonly postgres: { readonly hosts: readonly string[] };
  readonly search: SearchChoice;
  readonly credentials: Required<GitRemoteOptions>['credentials'];
}

export interface BuiltinOptions {
  readonly services: ServiceAddresses;
  readonly defaultZone: string;
  /** The folders that are searched for programs such as ripgrep. */
  readonly programFolders: readonly string[];
  readonly openEngine: OpenDockerEngine;
  /** Tools that need other parts of the crib. */
  readonly more?: readonly Tool[];
  now(): number;
}

/** Makes the source that all cribs load first. */
export const builtinTools = ({ services, ...options }: BuiltinOptions): Source => ({
  kind: 'builtin',
  label: 'builtin',
  load: async (): Promise<readonly Tool[]> =>
    [
      calculator,
      defineDatetime(options),
      jsonParser,
      textTransform,
      deepReasoning,
      readFile,
      writeFile,
      editFiles,
      fileOperations,
      defineFileSearch({ folders: options.programFolders }),
      validateJson,
      validateYaml,
      parseTypescript,
      defineTypeCheck(),
      analyzeCode,
      analyzeDependencies,
      bashExecution,
      git,
      gitCommit,
      defineGitRemote(services),
      npmInstall,
      defineDocker(options),
      defineRestApiCall(services),
      defineGraphqlQuery(services),
      defineWebScrape({ folders: options.programFolders }),
      defineWebSearch(searchProviderFor(services.search)),
      defineQueryDatabase(services.postgres),
      defineSupabaseQuery(services.supabase),
      defineStripeCreatePayment(services.stripe),
      defineSendgridSendEmail(services.sendgrid),
      defineVercelDeploy(services.vercel),
      ...(options.more ?? []),
    ] as readonly Tool[],
});
