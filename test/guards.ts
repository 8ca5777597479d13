/** The files that refuse. Every branch of them is walked by a test; `npm test` fails when one is not. */
export const GUARDS: readonly string[] = [
  'src/governance/{policy,approvals,ledger,labels,audit,signing,paths,commands,egress}/**/*.ts',
  'src/pipeline/approval/{approval-service,earlier-approvals,approval-links,approval-record,call-bindings,permission-service,plan-cover}.ts',
  'src/pipeline/budget/{budgeting,call-scopes,holds}.ts',
  'src/pipeline/stages/{authorize,approve,reserve-budget}.ts',
  'src/surfaces/http/auth/callback-signature.ts',
  'src/stores/budget-amounts.ts',
  'src/stores/*/*-{ledger,approvals,grants,audit}.ts',
];
