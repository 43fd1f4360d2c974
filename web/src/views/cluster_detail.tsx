// Shows one cluster: its keeper, and the other documents with what differs in them.
import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { sizeOf } from '../logic/clusters';
import * as format from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import { isDecided, noteAbout } from '../logic/review';
import { kindOf } from '../logic/schema';
import { useApp } from '../ui/app_state';
import { DifferenceKey } from '../ui/difference';
import { Id, Segments } from '../ui/parts';
import { cardId, compareHash, KeeperCard, MemberCard, Verdicts, type MemberProps } from './member_card';

// Members that are shown at first; a button shows the others.
const kFirst = 12;

// `wantsFocus` says that the current document shall have the focus, and is reset when it has.
export function ClusterDetail(props: MemberProps & { wantsFocus: { current: boolean } }): JSX.Element {
  const { index, cluster, current } = props;
  const { may } = useApp();
  const [look, setLook] = useState<'cards' | 'grid'>('cards');
  const [wantsWhole, setWhole] = useState(false);
  const { members } = cluster;
  const isWhole = wantsWhole || members.findIndex((member) => member.id === current) >= kFirst;
  const shown = isWhole ? members : members.slice(0, kFirst);
  const { decisions } = props.review;
  const note = noteAbout(cluster, decisions);
  const kinds = index.schema.fields.map((field) => kindOf(field));
  // At once, since a later effect would see the focus that the next key wants.
  useLayoutEffect(() => {
    if (!props.wantsFocus.current) return;
    props.wantsFocus.current = false;
    const card = document.getElementById(cardId(current));
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <section class="cluster-detail" aria-label={`Cluster of ${shownId(cluster.keeper)}`}>
      <div class="with-action cluster-head">
        <div>
          <h2>
            <Id>{cluster.keeper}</Id> {isDecided(cluster, decisions) && <span class="tag good">Decided</span>}
          </h2>
          <p class="quiet">
            {format.counted(sizeOf(cluster), 'document')}; the least similar to the keeper scores{' '}
            {format.score(cluster.weakest, props.threshold)}.
            {may('write')
              ? ' Without a decision, a deduplication keeps the keeper and removes the others.'
              : ' This key may read, and not decide.'}
          </p>
          {note !== '' && (
            <p class="quiet">
              Note: <bdi>{shownText(note)}</bdi>
            </p>
          )}
        </div>
        <Segments
          label="How to show the members"
          value={look}
          options={{ cards: 'Cards', grid: 'Table' }}
          onChange={setLook}
        />
      </div>
      {look === 'cards' ? (
        <>
          {index.keep_documents === false && (
            <p class="quiet">This index does not keep documents, so that only their ids and scores can be shown.</p>
          )}
          {index.keep_documents && kinds.some((kind) => kind !== 'image') && <DifferenceKey />}
          <ul class={kinds.includes('image') ? 'member-cards pictures' : 'member-cards'}>
            <KeeperCard {...props} />
            {shown.map((member) => (
              <MemberCard key={member.id} {...props} member={member} />
            ))}
          </ul>
        </>
      ) : (
        <MemberTable {...props} cluster={{ ...cluster, members: shown }} />
      )}
      {!isWhole && members.length > kFirst && (
        <button type="button" class="button" onClick={() => setWhole(true)}>
          Show all {format.count(sizeOf(cluster))} documents
        </button>
      )}
    </section>
  );
}

function MemberTable(props: MemberProps): JSX.Element {
  const { cluster } = props;
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
          <tr>
            <th scope="row">
              <Id>{cluster.keeper}</Id>
            </th>
            <td class="number">keeper</td>
            <td colSpan={3} />
          </tr>
          {cluster.members.map((member) => (
            <tr
              key={member.id}
              id={cardId(member.id)}
              tabIndex={-1}
              class={props.current === member.id ? 'chosen-row' : undefined}
              aria-current={props.current === member.id ? 'true' : undefined}
            >
              <th scope="row">
                <Id>{member.id}</Id>
              </th>
              <td class="number">{format.score(member.score, props.threshold)}</td>
              <td>{member.link && <Id>{member.link.id}</Id>}</td>
              <td>
                <Verdicts {...props} id={member.id} />
              </td>
              <td>
                <a class="compare-link" href={compareHash(props, member.id)}>
                  Compare
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
