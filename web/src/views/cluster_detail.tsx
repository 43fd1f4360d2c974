// Shows one cluster: its members, and the choice of a keeper and of documents that are not duplicates.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem } from '../api/client';
import type { Cluster, ClusterMember, Index } from '../api/types';
import { decisionsFor, sizeOf } from '../logic/clusters';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { kindOf } from '../logic/schema';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote, ScoreBar, Segments } from '../ui/parts';
import { KeptDocument } from './kept_document';

// Members that are shown at first; a button shows the others.
const kFirst = 12;

export function ClusterDetail(props: {
  index: Index;
  cluster: Cluster;
  threshold: number;
  isConflict: boolean;
  onDecided: (keeper: string) => void;
  onConflict: () => void;
}): JSX.Element {
  const { index, cluster } = props;
  const { announce } = useApp();
  const action = useAction();
  const [keeper, setKeeper] = useState(cluster.keeper);
  const [notDuplicates, setNotDuplicates] = useState<ReadonlySet<string>>(new Set());
  const [note, setNote] = useState(cluster.decision?.note ?? '');
  const [look, setLook] = useState<'cards' | 'grid'>('cards');
  const [isWhole, setWhole] = useState(false);

  const decided = decisionsFor(cluster, { keeper, notDuplicates, note });
  const isChanged = decided.keeper !== null || decided.notDuplicates.length > 0;
  const save = (): Promise<boolean> =>
    action.run(async () => {
      try {
        for (const body of decided.notDuplicates) await calls.addDecision(index.name, body);
        if (decided.keeper) {
          const old = cluster.decision;
          if (old && !old.not_duplicates) await calls.changeDecision(index.name, old.id, old.etag, decided.keeper);
          else await calls.addDecision(index.name, decided.keeper);
        }
      } catch (error) {
        if (asProblem(error).status === 412) {
          props.onConflict();
          return;
        }
        throw error;
      }
      announce('The decision is stored.');
      props.onDecided(keeper);
    });
  const toggle = (id: string): void => {
    const changed = new Set(notDuplicates);
    if (!changed.delete(id)) changed.add(id);
    setNotDuplicates(changed);
  };
  const members: ClusterMember[] = [{ id: cluster.keeper, score: 1 }, ...cluster.members];
  const shown = isWhole ? members : members.slice(0, kFirst);
  const hasPictures = index.schema.fields.some((field) => kindOf(field) === 'image');
  const member = {
    index,
    cluster,
    threshold: props.threshold,
    keeper,
    notDuplicates,
    onKeeper: setKeeper,
    onParted: toggle,
  };
  return (
    <section class="cluster-detail" aria-label={`Cluster of ${cluster.keeper}`}>
      <div class="with-action cluster-head">
        <div>
          <h2>
            <span class="id">{cluster.keeper}</span> {cluster.decision && <span class="tag good">Decided</span>}
          </h2>
          <p class="quiet">
            {format.counted(sizeOf(cluster), 'document')}; the least similar to the keeper scores{' '}
            {format.score(cluster.weakest)}.
          </p>
        </div>
        <Segments
          label="How to show the members"
          value={look}
          options={{ cards: 'Cards', grid: 'Table' }}
          onChange={setLook}
        />
      </div>
      {look === 'cards' ? (
        <ul class={hasPictures ? 'member-cards pictures' : 'member-cards'}>
          {shown.map((one) => (
            <MemberCard key={one.id} member={one} {...member} />
          ))}
        </ul>
      ) : (
        <MemberTable members={shown} {...member} />
      )}
      {!isWhole && members.length > kFirst && (
        <button type="button" class="button" onClick={() => setWhole(true)}>
          Show all {format.count(members.length)} documents
        </button>
      )}
      <div class="panel decide">
        <div class="field grow">
          <label for="decision-note">Note</label>
          <input
            id="decision-note"
            type="text"
            value={note}
            placeholder="Why, for those who look at it later"
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </div>
        <button type="button" class="button primary" disabled={!isChanged || action.busy} onClick={() => void save()}>
          Store the decision
        </button>
        <p class="field-note">{planned(cluster, keeper, notDuplicates)}</p>
        {props.isConflict && (
          <p class="note note-problem" role="alert">
            <strong>Somebody else has decided meanwhile.</strong> Nothing of yours replaced it: what is stored now is
            shown here. Look at it, and decide again if you still want to.
          </p>
        )}
        <ProblemNote problem={action.problem} />
      </div>
    </section>
  );
}

function planned(cluster: Cluster, keeper: string, notDuplicates: ReadonlySet<string>): string {
  const parts: string[] = [];
  if (keeper !== cluster.keeper) parts.push(`${keeper} will stand for the cluster in place of ${cluster.keeper}.`);
  const apart = [...notDuplicates].filter((id) => id !== keeper);
  if (apart.length > 0) {
    parts.push(`${apart.join(', ')} will no longer count as similar to ${keeper}, whatever the score.`);
  }
  return parts.length > 0
    ? parts.join(' ')
    : 'Choose another keeper, or mark what is not a duplicate. Decisions hold in every search for clusters and in deduplication.';
}

interface MemberProps {
  index: Index;
  cluster: Cluster;
  threshold: number;
  keeper: string;
  notDuplicates: ReadonlySet<string>;
  onKeeper: (id: string) => void;
  onParted: (id: string) => void;
}

function Choices({
  member,
  cluster,
  keeper,
  notDuplicates,
  onKeeper,
  onParted,
}: MemberProps & { member: ClusterMember }): JSX.Element {
  return (
    <>
      <label class="choice">
        <input type="radio" name="keeper" checked={keeper === member.id} onChange={() => onKeeper(member.id)} />
        <span>
          Keeper<span class="hidden"> {member.id}</span>
        </span>
      </label>
      {member.id !== cluster.keeper && (
        <label class="choice">
          <input
            type="checkbox"
            checked={notDuplicates.has(member.id) && keeper !== member.id}
            disabled={keeper === member.id}
            onChange={() => onParted(member.id)}
          />
          <span>
            No duplicate<span class="hidden"> {member.id}</span>
          </span>
        </label>
      )}
    </>
  );
}

const compareHash = (props: MemberProps, id: string): string =>
  routeHash('compare', props.index.name, { a: props.cluster.keeper, b: id, threshold: props.threshold });

function MemberCard(props: MemberProps & { member: ClusterMember }): JSX.Element {
  const { member, cluster, index } = props;
  const isKeeper = member.id === cluster.keeper;
  return (
    <li class={isKeeper ? 'card member keeper' : 'card member'}>
      <div class="member-head">
        <h3 class="id">{member.id}</h3>
        {isKeeper ? <span class="tag">Keeper</span> : <span class="score">{format.score(member.score)}</span>}
      </div>
      {isKeeper ? <span class="bar-space" /> : <ScoreBar value={member.score} at={props.threshold} />}
      <KeptDocument index={index} id={member.id} length={220} />
      {member.link && member.link.id !== cluster.keeper && (
        <p class="quiet small">
          Closest to <span class="id">{member.link.id}</span>, {format.score(member.link.score)}
        </p>
      )}
      <div class="member-foot">
        <Choices {...props} />
        {!isKeeper && (
          <a class="compare-link" href={compareHash(props, member.id)}>
            Compare<span class="hidden"> {member.id} with the keeper</span>
          </a>
        )}
      </div>
    </li>
  );
}

function MemberTable(props: MemberProps & { members: ClusterMember[] }): JSX.Element {
  const { members, ...rest } = props;
  return (
    <div class="scroll panel" tabIndex={0} role="region" aria-label="Members">
      <table>
        <thead>
          <tr>
            <th scope="col">Document</th>
            <th scope="col" class="number">
              With the keeper
            </th>
            <th scope="col">Closest to</th>
            <th scope="col">Decision</th>
            <th scope="col">
              <span class="hidden">Compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.id}>
              <th scope="row" class="id">
                {member.id}
              </th>
              <td class="number">{member.id === rest.cluster.keeper ? 'keeper' : format.score(member.score)}</td>
              <td class="id">{member.link?.id}</td>
              <td>
                <div class="choices">
                  <Choices {...rest} member={member} />
                </div>
              </td>
              <td>{member.id !== rest.cluster.keeper && <a href={compareHash(rest, member.id)}>Compare</a>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
