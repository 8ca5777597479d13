/** Limits what the tools of a source may reach where another than the user configured it. */
import type { SourceDriver } from '../../contract/source-driver.ts';

/** Keeps the tools of a team from hosts of this machine, and from secrets that the user did not grant. */
export const limitedTo = (granted: readonly string[], driver: SourceDriver): SourceDriver => ({
  ...driver,
  build: (definition, settings, deps) =>
    driver.build(definition, settings, deps)?.map((tool) => {
      const { localHosts: _, secrets = [], ...needs } = tool.needs ?? {};
      const allowed = secrets.filter((key) => granted.includes(key));
      return { ...tool, needs: { ...needs, ...(allowed.length > 0 && { secrets: allowed }) } };
    }),
});
