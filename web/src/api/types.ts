// Declares the bodies and answers of the REST API, with its own names (snake_case).

export type FieldKind = 'text' | 'values' | 'image';

export interface SchemaField {
  name: string;
  features: string;
  kind?: FieldKind;
  weight: number;
}

export interface Schema {
  fields: SchemaField[];
  attributes: string[]; // "lang=string", "expires_at=time;ttl=30d"
  measure: 'jaccard' | 'containment';
  sketch?: string; // these two not with containment
  bands?: string;
  keys?: string; // with containment: "0.251/20"
  min_threshold: number;
  recall: number;
  text: string;
}

export interface Index {
  name: string;
  state: 'ready' | 'busy' | 'unavailable' | 'damaged';
  problem?: string;
  documents: number;
  durability: string;
  keep_documents?: boolean;
  schema: Schema;
}

export interface BucketSizes {
  from: number;
  to: number;
  buckets: number; // estimated from a sample, so not always a whole number
}

// Background work of the server since it opened the index.
export interface Upkeep {
  flushes: number;
  merges: number;
  failures: number;
  merges_running: number;
  merging_bytes: number;
  stalls: number;
  stalled_writers: number;
  stall_seconds: number;
  longest_stall_seconds: number;
}

export interface Stats {
  documents: number;
  removed: number;
  segments: number;
  segment_bytes: number;
  log_bytes: number;
  restart_seconds: number;
  upkeep: Upkeep | null;
  buckets: BucketSizes[] | null; // null: sample_problem says why
  sample: { documents: number } | null;
  sample_problem: string | null;
  maintenance_problem: { at: string; problem: string } | null;
  kept?: { documents: number; bytes: number } | null;
  last_verify?: { at: string; ok: boolean; problem?: string } | null;
  [more: string]: unknown;
}

export interface SimilarityBin {
  from: number;
  to: number;
  pairs: number;
}

export interface Similarities {
  sampled: number; // documents, all pairs of which were compared
  pairs: number;
  histogram: SimilarityBin[];
}

export type Attributes = Record<string, string | number | boolean>;

// Of values with weights an object with a number for each.
export type FieldValue = string | string[] | Record<string, number>;
export type Document = Record<string, FieldValue>;

export interface ListedDocument {
  id: string;
  document: Document | null;
}

export interface DocumentPage {
  documents: ListedDocument[];
  next: string | null;
}

export interface Passage {
  text: string;
  features: number;
  cut: boolean;
}

export interface ExplainedField {
  similarity: number;
  intersection?: number;
  union?: number;
  distance?: number;
  bits?: number;
  bands?: number;
  equal_bands?: number[];
  // With containment, in place of union and bands.
  share_of_query?: number;
  share_of_match?: number;
  keys?: number;
  equal_keys?: number;
  passages?: Passage[] | null;
  more?: number | null;
}

export interface ExplainedMatch {
  id: string;
  score: number;
  exact: boolean;
  found_probability: number;
  fields: Record<string, ExplainedField>;
  attributes?: Attributes;
  document?: Document | null;
}

export interface PlainMatch {
  id: string;
  score: number;
  exact: boolean;
  fields: Record<string, number>;
  document?: Document | null;
}

export interface SimilarAnswer<M> {
  matches: M[];
  work?: { candidates: number; compared: number; similar: number }; // similar: also beyond the limit
}

// One side of a comparison, or the query of a search.
export type Subject = { id: string } | { text: string } | { document: Document };

export type Mark = 'none' | 'shared' | 'own';

export interface Side {
  pieces?: { text: string; mark: Mark; weight?: number }[] | null;
}

export interface ComparedField {
  kind: FieldKind;
  similarity: number;
  intersection?: number;
  union?: number;
  estimate?: number | null;
  standard_error?: number | null;
  bands?: number;
  rows?: number;
  equal_bands?: number[];
  found_probability?: number;
  // With containment, in place of union, estimate and bands.
  share_of_a?: number;
  share_of_b?: number;
  keys?: number;
  equal_keys?: number;
  only_a?: number;
  only_b?: number;
  distance?: number | null;
  bits?: number;
  a?: Side | null;
  b?: Side | null;
}

export interface Comparison {
  score: number;
  threshold: number;
  similar: boolean;
  found_probability: number;
  fields: Record<string, ComparedField>;
}

export interface Alternative {
  name: string;
  bands: number;
  rows: number;
  recall_at_threshold: number;
  fits: boolean;
}

export interface Plan {
  bands: number;
  rows: number;
  slots: number;
  recall_at_threshold: number;
  bytes_per_document?: number; // keys and slots
  feature_bytes_per_document?: number;
  alternatives: Alternative[];
  rules_of_others: Alternative[];
  curve: { similarity: number; probability: number }[];
}

export interface ClusterMember {
  id: string;
  score: number;
  // With containment.
  share_of_removed?: number;
  share_of_keeper?: number;
  link?: { id: string; score: number };
}

export interface ClusterDecision {
  id: string | number;
  etag: string;
  keeper: string | null;
  note: string;
  not_duplicates: boolean;
}

export interface Cluster {
  keeper: string;
  weakest: number;
  size?: number;
  members: ClusterMember[];
  decision?: ClusterDecision | null;
}

export interface ClusterSummary {
  rows: number;
  truncated: boolean;
  documents: number;
  candidates: number;
  pairs: number;
  clusters: number;
}

export interface Decision {
  id: string | number;
  etag: string;
  members: string[];
  keeper: string | null;
  not_duplicates: boolean;
  note: string;
  at: string;
}

export interface DecisionBody {
  members: string[];
  keeper?: string;
  not_duplicates?: boolean;
  note?: string;
}

// leader: members are similar to the keeper itself. components: members may be connected through others.
export type ClusterKind = 'leader' | 'components';

export type TaskKind = 'dedup' | 'verify' | 'compact' | 'snapshot';
export type TaskStatus = 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled';

export interface Task {
  id: string | number;
  kind: TaskKind;
  index: string;
  status: TaskStatus;
  progress: { done: number; total: number } | null;
  created_at: string;
  seconds: number | null;
  result: Record<string, unknown> | null;
  problem: ProblemBody | null;
}

export interface ProblemBody {
  type?: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  instance?: string;
  hint?: string;
  where?: string;
  retry_after_s?: number;
}

export interface LoadLine {
  line: number;
  id?: string;
  outcome: 'inserted' | 'replaced' | 'refused';
  problem?: ProblemBody;
}

export interface LoadSummary {
  documents: number;
  inserted: number;
  replaced: number;
  refused: number;
}
