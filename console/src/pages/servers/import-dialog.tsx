/** Takes over servers of other programs, after a look at each of them. */
import { useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import type { ImportOffer, ServerChange } from './server-records.ts';

interface ImportProps {
  onDone(): void;
  onClose(): void;
}

const OUTCOMES = {
  new: ['good', 'new'],
  same: ['neutral', 'there already'],
  refused: ['bad', 'left out'],
} as const;

const Offer = (props: {
  readonly offer: ImportOffer;
  readonly isChosen: boolean;
  onChoose(isChosen: boolean): void;
}) => {
  const { name, outcome, reach, reason, client, file, secrets, notes } = props.offer;
  const [tone, word] = OUTCOMES[outcome];
  const lines = [
    ...(secrets.length > 0 ? [`Kept as secrets: ${secrets.join(', ')}`] : []),
    ...(reason === undefined ? [] : [reason]),
    ...notes,
  ];
  return (
    <li className="offer">
      <label className="choice">
        <input
          type="checkbox"
          disabled={outcome !== 'new'}
          checked={props.isChosen}
          onChange={(event) => props.onChoose(event.target.checked)}
        />
        <strong>
          <SafeText text={name} />
        </strong>
        <Badge tone={tone}>{word}</Badge>
      </label>
      {reach !== undefined && (
        <code>
          <SafeText text={reach} />
        </code>
      )}
      {lines.map((line) => (
        <p key={line} className="muted">
          <SafeText text={line} />
        </p>
      ))}
      <p className="hint">
        <SafeText text={client === undefined ? file : `${client}: ${file}`} />
      </p>
    </li>
  );
};

const keyOf = ({ name, file }: ImportOffer): string => `${name} ${file}`;

const Offers = ({ items, onDone, onClose }: ImportProps & { items: readonly ImportOffer[] }) => {
  const { api } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const servers = items.filter((offer) => chosen.has(keyOf(offer)));
  const take = (): void => {
    setBusy(true);
    const body = { servers: servers.map(({ name, digest }) => ({ name, digest })) };
    api
      .send<ServerChange>('POST', '/v1/servers/import', body)
      .then(({ servers: names }) => {
        toast({ tone: 'good', text: `Imported: ${names.join(', ')}.` });
        onDone();
        onClose();
      })
      .catch((thrown: unknown) => {
        setBusy(false);
        fail(thrown);
      });
  };
  const choose = (offer: ImportOffer, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(keyOf(offer));
    else next.delete(keyOf(offer));
    setChosen(next);
  };
  return (
    <>
      <ul className="offers">
        {items.map((offer) => (
          <Offer
            key={keyOf(offer)}
            offer={offer}
            isChosen={chosen.has(keyOf(offer))}
            onChoose={(isChosen) => choose(offer, isChosen)}
          />
        ))}
      </ul>
      <div className="actions">
        <Button kind="primary" isBusy={isBusy} disabled={servers.length === 0} onClick={take}>
          {servers.length === 0 ? 'Import' : `Import ${servers.length}`}
        </Button>
        <Button onClick={onClose}>Not now</Button>
      </div>
    </>
  );
};

export const ImportDialog = (props: ImportProps) => {
  const { api } = useServices();
  const offers = useLoad('server offers', () =>
    api.get<{ readonly items: readonly ImportOffer[] }>('/v1/servers/import'),
  );
  return (
    <Dialog title="Import servers of other programs" isWide onClose={props.onClose}>
      <div className="dialog-body">
        <WhenLoaded of={offers}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon="servers" title="Nothing to import">
                <p>
                  Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Gemini CLI and Zed were
                  looked at. Lists inside a project: <code>toolcrib servers import</code>.
                </p>
              </EmptyState>
            ) : (
              <Offers items={items} {...props} />
            )
          }
        </WhenLoaded>
      </div>
    </Dialog>
  );
};
