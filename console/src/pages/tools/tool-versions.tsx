/** The versions of a tool, and which of them answers. */
import { useMay, useServices } from '../../api/services.tsx';
import type { ToolDetail } from '../../api/tool-records.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';

type Version = ToolDetail['versions'][number];

interface VersionsProps {
  readonly tool: ToolDetail;
  onChanged(): void;
}

const columns = (activate: ((version: string) => void) | undefined): readonly Column<Version>[] => [
  {
    id: 'version',
    title: 'Version',
    cell: ({ version }) => <SafeCode text={version} />,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ active, deprecated }) => (
      <span className="badges">
        {active && <Badge tone="good">active</Badge>}
        {deprecated && <Badge tone="warn">deprecated</Badge>}
      </span>
    ),
  },
  {
    id: 'use',
    title: 'Change',
    cell: ({ version, active }) =>
      !active && (
        <Button isSmall disabled={!activate} onClick={() => activate?.(version)}>
          Make active
        </Button>
      ),
  },
];

export const ToolVersions = ({ tool, onChanged }: VersionsProps) => {
  const { api } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const mayChange = useMay('operator');
  const activate = (activeVersion: string): void => {
    api.send('PATCH', `/v1/tools/${encodeURIComponent(tool.name)}`, { activeVersion }).then(() => {
      toast({ tone: 'good', text: `Version ${activeVersion} answers from now on.` });
      onChanged();
    }, fail);
  };
  return (
    <Table
      label="Versions"
      columns={columns(mayChange ? activate : undefined)}
      rows={tool.versions}
      keyOf={({ version }) => version}
    />
  );
};
