// Uses a client that openapi-typescript has generated: node use_client.js ADDRESS ADDRESS_WITH_KEYS READ_KEY ADMIN_KEY.
// Run by tests/serve_clients_test.py, which compiles it with the checks of `strict`.
import createClient from "openapi-fetch";
import type { components, paths } from "./benzer";

declare const process: { argv: string[] };

type Schemas = components["schemas"];

const [address = "", withKeys = "", readKey = "", adminKey = ""] = process.argv.slice(2);
const begin = "The quick brown fox jumps over the lazy dog near the old river";
const documents: Schemas["DocumentList"] = [
  { id: "fox", text: `${begin} bank.` },
  { id: "copy", text: `${begin} bend.` },
  { id: "late", text: `Yesterday ${begin} bank.` },
  { id: "cat", text: "A cat sleeps on the warm stones of the harbour wall." },
];

function check(isTrue: boolean, value: unknown): void {
  if (!isTrue) throw new Error(`not as expected: ${JSON.stringify(value)}`);
}

// Returns the answer, or throws the problem.
async function wanted<T>(answer: Promise<{ data?: T; error?: Schemas["Problem"]; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${error?.detail ?? ""}`);
  return data;
}

async function main(): Promise<void> {
  const client = createClient<paths>({ baseUrl: address });
  const path = { name: "pages" };

  const index = await wanted(client.PUT("/v1/indexes/{name}", { params: { path }, body: { min_threshold: "0.8" } }));
  check(index.schema?.fields[0]?.kind === "text", index);
  const outcomes = await wanted(client.POST("/v1/indexes/{name}/documents", { params: { path }, body: documents }));
  if (typeof outcomes === "string") throw new Error(outcomes); // lines of JSON, if such lines were sent
  check(outcomes.summary.inserted === 4 && outcomes.results[0]?.outcome === "inserted", outcomes);

  const similar = await wanted(client.POST("/v1/indexes/{name}/similar", { params: { path }, body: { id: "fox" } }));
  check(similar.matches.map((match) => match.id).sort().join() === "copy,late", similar);
  const sides = { a: { id: "fox" }, b: { id: "copy" } };
  const compared = await wanted(client.POST("/v1/indexes/{name}/compare", { params: { path }, body: sides }));
  check(compared.similar && compared.fields.text?.a.pieces[0]?.mark === "shared", compared);
  const lines = await wanted(client.POST("/v1/indexes/{name}/pairs", { params: { path }, parseAs: "text" }));
  check(lines.trim().split("\n").length === 3, lines);

  const decision = { members: ["fox", "copy"], keeper: "fox" };
  const made = await wanted(client.POST("/v1/indexes/{name}/decisions", { params: { path }, body: decision }));
  check(made.keeper === "fox" && !made.not_duplicates, made);

  let task = await wanted(client.POST("/v1/indexes/{name}/dedup", { params: { path }, body: { remove: false } }));
  for (let tries = 0; task.status === "enqueued" || task.status === "processing"; ++tries) {
    check(tries < 1000, task);
    await new Promise((resolve) => setTimeout(resolve, 20));
    task = await wanted(client.GET("/v1/tasks/{task}", { params: { path: { task: task.id } } }));
  }
  check(task.result?.would_remove === 2, task);
  const query = { format: "json" } as const;
  const report = await wanted(client.GET("/v1/tasks/{task}/report", { params: { path: { task: task.id }, query } }));
  check(typeof report === "object" && report.found[0]?.size === 3, report);

  const stats = await wanted(client.GET("/v1/indexes/{name}/stats", { params: { path } }));
  check(stats.kept?.documents === 4 && stats.buckets !== null, stats);

  const missing = await client.GET("/v1/indexes/{name}", { params: { path: { name: "nothing" } } });
  check(missing.error?.status === 404 && missing.error.code === "index_not_found", missing.error);
  const wrong = await client.POST("/v1/indexes/{name}/similar", { params: { path }, body: { id: "fox", limit: 0 } });
  check(wrong.error?.status === 422 && wrong.error.where === "/limit", wrong.error);

  const reader = createClient<paths>({ baseUrl: withKeys, headers: { Authorization: `Bearer ${readKey}` } });
  const refused = await reader.PUT("/v1/indexes/{name}", { params: { path } });
  check(refused.error?.code === "scope_too_small", refused.error);
  const owner = createClient<paths>({ baseUrl: withKeys, headers: { Authorization: `Bearer ${adminKey}` } });
  check((await wanted(owner.PUT("/v1/indexes/{name}", { params: { path } }))).name === "pages", "an index");
  const gone = await owner.DELETE("/v1/indexes/{name}", { params: { path, query: { confirm: "pages" } } });
  check(gone.response.status === 204, gone.error);
}

await main();
