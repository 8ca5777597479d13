/** The tools that ship. Definitions are cheap to load; what they need is loaded when they run. */
import type { Source } from './contract/source.ts';
import type { Tool } from './contract/tool.ts';
import { graphqlQuery } from './tools/api/graphql-query.ts';
import { restApiCall } from './tools/api/rest-api-call.ts';
import { parseTypescript } from './tools/code/parse-typescript.ts';
import { typeCheck } from './tools/code/type-check.ts';
import { queryDatabase } from './tools/database/query-database.ts';
import { supabaseQuery } from './tools/database/supabase-query.ts';
import { vercelDeploy } from './tools/deployment/vercel-deploy.ts';
import { bashExecution } from './tools/development/bash-execution.ts';
import { editFiles } from './tools/filesystem/edit-files.ts';
import { fileOperations } from './tools/filesystem/file-operations.ts';
import { readFile } from './tools/filesystem/read-file.ts';
import { writeFile } from './tools/filesystem/write-file.ts';
import { calculator } from './tools/local/calculator.ts';
import { defineDatetime } from './tools/local/datetime.ts';
import { deepReasoning } from './tools/local/deep-reasoning.ts';
import { textTransform } from './tools/local/text-transform.ts';
import { defineFileSearch } from './tools/search/file-search.ts';
import { sendgridSendEmail } from './tools/service/sendgrid-send-email.ts';
import { stripeCreatePayment } from './tools/service/stripe-create-payment.ts';
import { jsonParser } from './tools/validation/json-parser.ts';
import { validateJson } from './tools/validation/validate-json.ts';
import { validateYaml } from './tools/validation/validate-yaml.ts';
import { defineWebScrape } from './tools/web/web-scrape.ts';
import { webSearch } from './tools/web/web-search.ts';

export interface BuiltinOptions {
  readonly defaultZone: string;
  /** Where programs such as ripgrep are looked for. */
  readonly programFolders: readonly string[];
  now(): number;
}

/** The source all cribs load first. */
export const builtinTools = (options: BuiltinOptions): Source => ({
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
      typeCheck,
      bashExecution,
      restApiCall,
      graphqlQuery,
      defineWebScrape({ folders: options.programFolders }),
      webSearch,
      queryDatabase,
      supabaseQuery,
      stripeCreatePayment,
      sendgridSendEmail,
      vercelDeploy,
    ] as readonly Tool[],
});
