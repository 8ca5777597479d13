/** The frame of every page: its heading, what belongs beside it, and the content. */
import { type ReactNode, useEffect } from 'react';
import { SafeText } from '../components/safe-text.tsx';
import { plainVisible } from '../components/visible-text.ts';

interface FrameProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** One sentence on what the page is for. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

export const PageFrame = ({ title, actions, lead, children }: FrameProps) => {
  useEffect(() => {
    document.title = `${plainVisible(title)} · Toolcrib`;
  }, [title]);
  return (
    <>
      <header className="page-head">
        <div>
          <h1>
            <SafeText text={title} />
          </h1>
          {lead && <p className="muted">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
};
