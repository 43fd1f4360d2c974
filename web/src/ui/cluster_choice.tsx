// Lets the user choose which documents make a cluster.
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ClusterKind, Schema } from '../api/types';

const kKinds: Record<ClusterKind, { name: string; note: string }> = {
  leader: {
    name: 'what is similar to its keeper',
    note: 'Each of them reaches the threshold with the keeper, which is kept.',
  },
  components: {
    name: 'also what others connect with it',
    note: 'A chain of similar documents is one cluster: its ends may have little in common.',
  },
};

export const clusterKind = (text: unknown): ClusterKind => (text === 'components' ? 'components' : 'leader');

// An index of containment has leaders only.
export const kindIn = (schema: Schema, chosen: ClusterKind): ClusterKind =>
  schema.measure === 'containment' ? 'leader' : chosen;

export function ClusterChoice(props: {
  schema: Schema;
  label: string;
  value: ClusterKind;
  onChange: (value: ClusterKind) => void;
}): JSX.Element | null {
  const id = useId();
  if (props.schema.measure === 'containment') return null;
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(clusterKind(event.currentTarget.value))}>
        {(Object.keys(kKinds) as ClusterKind[]).map((kind) => (
          <option key={kind} value={kind}>
            {kKinds[kind].name}
          </option>
        ))}
      </select>
      <p class="field-note">{kKinds[props.value].note}</p>
    </div>
  );
}
