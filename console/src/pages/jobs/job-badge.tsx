/** The state of a job as a word in a colour. */
import type { JobState } from '../../api/job-records.ts';
import { Badge, type Tone } from '../../components/badge.tsx';

const TONES: Readonly<Record<JobState, Tone>> = {
  waiting: 'neutral',
  delayed: 'neutral',
  active: 'info',
  completed: 'good',
  dead: 'bad',
  cancelled: 'warn',
};

export const JobBadge = ({ state }: { readonly state: JobState }) => (
  <Badge tone={TONES[state]}>{state}</Badge>
);
