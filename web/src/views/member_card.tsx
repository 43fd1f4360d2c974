// Shows a document of a cluster: what differs from the keeper, and what a person may say about it.
import type { JSX } from 'preact';
import type { Cluster, ClusterMember, Index } from '../api/types';
import * as format from '../logic/format';
import { shownId } from '../logic/hidden';
import { isConfirmed, type Verdict } from '../logic/review';
import { routeHash } from '../logic/routes';
import { kindOf } from '../logic/schema';
import { useApp } from '../ui/app_state';
import { Difference } from '../ui/difference';
import { Id, Loading, ProblemNote, ScoreBar } from '../ui/parts';
import { KeptDocument, KeptPicture, useDifferences } from './kept_document';
import type { Review } from './review';

export interface MemberProps {
  index: Index;
  cluster: Cluster;
  threshold: number;
  review: Review;
  current: string; // the id that keys apply to
  onDecide: (id: string, verdict: Verdict) => void;
}

export const kVerdicts: readonly { verdict: Verdict; key: string; name: string; note: string }[] = [
  { verdict: 'keep', key: 'K', name: 'Keep this one', note: 'in place of the keeper' },
  { verdict: 'remove', key: 'R', name: 'Remove', note: 'it is a copy' },
  { verdict: 'apart', key: 'N', name: 'Not a copy', note: 'keep both' },
];

export const compareHash = (props: MemberProps, id: string): string =>
  routeHash('compare', props.index.name, { a: props.cluster.keeper, b: id, threshold: props.threshold });

export function Verdicts(props: MemberProps & { id: string }): JSX.Element | null {
  const { cluster, id, review } = props;
  const { may } = useApp();
  if (!may('write')) return null;
  const said = review.said.get(id) ?? (isConfirmed(cluster.keeper, id, review.decisions) ? 'remove' : null);
  return (
    <div class="verdicts" role="group" aria-label={`Decision about ${shownId(id)}`}>
      {kVerdicts.map((one) => (
        <button
          key={one.verdict}
          type="button"
          class="button small"
          aria-pressed={said === one.verdict}
          title={one.note}
          onClick={() => props.onDecide(id, one.verdict)}
        >
          {said === one.verdict && <span aria-hidden="true">✓ </span>}
          {one.name}
          {props.current === id && <kbd aria-hidden="true">{one.key}</kbd>}
        </button>
      ))}
    </div>
  );
}

export function KeeperCard(props: MemberProps): JSX.Element {
  const { cluster, index } = props;
  return (
    <li class="card member keeper">
      <div class="member-head">
        <h3>
          <Id>{cluster.keeper}</Id>
        </h3>
        <span class="tag">Keeper</span>
      </div>
      <KeptDocument index={index} id={cluster.keeper} length={400} />
    </li>
  );
}

export const cardId = (id: string): string => `member-${encodeURIComponent(id)}`;

export function MemberCard(props: MemberProps & { member: ClusterMember }): JSX.Element {
  const { member, cluster, index } = props;
  const differences = useDifferences(index, cluster.keeper, member.id);
  const isCurrent = props.current === member.id;
  const score = format.score(member.score, props.threshold);
  const hasPicture = index.schema.fields.some((field) => kindOf(field) === 'image');
  return (
    <li
      id={cardId(member.id)}
      class={isCurrent ? 'card member current' : 'card member'}
      tabIndex={-1}
      aria-current={isCurrent ? 'true' : undefined}
      aria-label={`${shownId(member.id)}, score ${score}`}
    >
      <div class="member-head">
        <h3>
          <Id>{member.id}</Id>
        </h3>
        <ScoreBar value={member.score} at={props.threshold} />
        <span class="score">{score}</span>
      </div>
      {member.share_of_removed !== undefined && member.share_of_keeper !== undefined && (
        <p class="quiet small">
          The keeper has {format.percent(member.share_of_removed)} of it, and it has{' '}
          {format.percent(member.share_of_keeper)} of the keeper
        </p>
      )}
      {hasPicture && (
        <div class="kept">
          <KeptPicture index={index} id={member.id} />
        </div>
      )}
      {differences.loading && !differences.data && index.keep_documents && <Loading what="what differs" />}
      <ProblemNote problem={differences.problem} again={differences.reload} />
      {differences.data && <Difference fields={differences.data} />}
      {member.link && member.link.id !== cluster.keeper && (
        <p class="quiet small">
          Closest to <Id>{member.link.id}</Id>, {format.score(member.link.score, props.threshold)}
        </p>
      )}
      <div class="member-foot">
        <Verdicts {...props} id={member.id} />
        <a class="compare-link" href={compareHash(props, member.id)}>
          Compare<span class="hidden"> {shownId(member.id)} with the keeper</span>
        </a>
      </div>
    </li>
  );
}
