// Describes bodies and answers as JSON Schema: the components of /openapi.json.
#pragma once

#include <string_view>

namespace benzer::server {

inline constexpr std::string_view kOpenApiSchemas = R"({
"Nothing":{"type":"object","additionalProperties":false},
"SnapshotRequest":{"type":"object","additionalProperties":false,"properties":{
  "copy":{"type":"boolean","default":false,"description":"Copy segments, too, and do not link them"}}},
"Anything":{"type":"object"},
"Threshold":{"description":"A decimal above 0, at most 1, as a number or a string",
  "oneOf":[{"type":"number","exclusiveMinimum":0,"maximum":1},{"type":"string"}]},
"Score":{"type":"string","enum":["mean","all","any"],
  "description":"How the similarities of the fields become one score"},
"Clustering":{"type":"string","enum":["leader","components"],"default":"leader",
  "description":"leader: each removed document is similar to its keeper; components: a chain of similar pairs connects them"},
"Problem":{"type":"object","required":["type","title","status","detail","code"],"properties":{
  "type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},
  "detail":{"type":"string","description":"What went wrong, in a sentence"},
  "code":{"type":"string","description":"The same for the same kind of problem, in every version"},
  "instance":{"type":"string","description":"The id of the request"},
  "hint":{"type":"string","description":"What to do"},
  "where":{"type":"string","description":"A JSON pointer into the body, or a parameter"},
  "retry_after_s":{"type":"integer"}}},
"About":{"type":"object","required":["name","version"],
  "properties":{"name":{"type":"string"},"version":{"type":"string"}}},
"Health":{"type":"object","required":["status"],"properties":{"status":{"const":"alive"}}},
"Ready":{"type":"object","required":["status","reasons"],"properties":{
  "status":{"type":"string","enum":["ready","stopping"]},
  "reasons":{"type":"array","items":{"type":"object","required":["reason"],
    "properties":{"index":{"type":"string"},"reason":{"type":"string"}}}}}},
"Limits":{"type":"object","additionalProperties":{"type":"number"}},
"Key":{"type":"object","required":["scope","name","indexes","expires"],"properties":{
  "scope":{"type":"string","enum":["read","write","admin"]},
  "name":{"type":["string","null"]},
  "indexes":{"type":["array","null"],"items":{"type":"string"},"description":"The only ones that it is for; null: all"},
  "expires":{"type":["string","null"],"format":"date","description":"The first day on which it is not valid"}}},

"NewIndex":{"type":"object","additionalProperties":false,"properties":{
  "schema":{"type":"string","description":"All of it in one spelling, as an index's schema.text has it"},
  "fields":{"type":"array","minItems":1,"maxItems":64,"items":{"type":"string"},
    "description":"Each as in title=text:word3;w=2"},
  "attributes":{"type":"array","maxItems":64,"items":{"type":"string"},
    "description":"Each as in lang=string, price=number, seen=time, live=boolean; expires_at=time;ttl=30d makes documents expire"},
  "frequencies":{"type":"array","maxItems":64,"items":{"type":"string","contentEncoding":"base64"},
    "description":"For fields with +tf-idf: files of 'benzer count-frequencies'"},
  "sketch":{"type":"string"},"bands":{"type":"string"},
  "min_threshold":{"$ref":"#/components/schemas/Threshold"},
  "recall":{"$ref":"#/components/schemas/Threshold"},
  "keep_documents":{"type":"boolean","default":true}}},
"Index":{"type":"object","required":["name","state"],"properties":{
  "name":{"type":"string"},"state":{"type":"string","enum":["ready","busy","unavailable","damaged"]},
  "problem":{"type":"string"},"documents":{"type":"integer"},"durability":{"type":"string"},
  "keep_documents":{"type":"boolean"},
  "schema":{"type":"object","properties":{
    "fields":{"type":"array","items":{"type":"object","properties":{
      "name":{"type":"string"},"kind":{"type":"string","enum":["text","values","image"]},
      "features":{"type":"string"},"weight":{"type":"number"}}}},
    "sketch":{"type":"string"},"bands":{"type":"string"},"min_threshold":{"type":"number"},
    "recall":{"type":"number"},"text":{"type":"string"}}}}},
"Indexes":{"type":"object","required":["indexes"],"properties":{
  "indexes":{"type":"array","items":{"$ref":"#/components/schemas/Index"}}}},
"Stats":{"type":"object","required":["documents","buckets","sample","sample_problem","upkeep"],"properties":{
  "documents":{"type":"integer"},"removed":{"type":"integer"},"segments":{"type":"integer"},
  "segment_bytes":{"type":"integer"},"log_bytes":{"type":"integer"},
  "restart_seconds":{"type":"number"},
  "upkeep":{"type":["object","null"],"required":["flushes","merges","failures","stalls"],"properties":{
    "flushes":{"type":"integer"},"merges":{"type":"integer"},"failures":{"type":"integer"},
    "merges_running":{"type":"integer"},"merging_bytes":{"type":"integer"},
    "stalls":{"type":"integer"},"stalled_writers":{"type":"integer"},
    "stall_seconds":{"type":"number"},"longest_stall_seconds":{"type":"number"}}},
  "kept":{"type":["object","null"]},"last_verify":{"type":["object","null"]},
  "maintenance_problem":{"type":["object","null"]},
  "sample":{"type":["object","null"]},"sample_problem":{"type":["string","null"]},
  "buckets":{"type":["array","null"],"items":{"type":"object","required":["from","to","buckets","entries"]}}}},
"Similarities":{"type":"object","required":["sampled","pairs","histogram"],"properties":{
  "sampled":{"type":"integer"},"pairs":{"type":"integer"},"candidates":{"type":"integer"},
  "similar":{"type":"integer"},
  "histogram":{"type":"array","items":{"type":"object","required":["from","to","pairs"]}}}},

"Document":{"type":"object","description":"An id, and the index's fields: texts as strings, sets of values as lists of strings, images as data: URLs",
  "properties":{"id":{"type":["string","integer","null"]}},
  "additionalProperties":true},
"Change":{"type":"object","description":"For each attribute its value, or null to remove it",
  "properties":{"id":{"type":["string","integer"]}},
  "additionalProperties":{"type":["string","number","boolean","null"]}},
"DocumentList":{"type":"array","items":{"$ref":"#/components/schemas/Document"}},
"Outcomes":{"type":"object","required":["results","summary"],"properties":{
  "results":{"type":"array","items":{"$ref":"#/components/schemas/Outcome"}},
  "summary":{"type":"object","required":["documents","inserted","replaced","refused","durability"],
    "properties":{"documents":{"type":"integer"},"inserted":{"type":"integer"},"replaced":{"type":"integer"},
    "refused":{"type":"integer"},"left_out":{"type":"integer"},"durability":{"type":"string"}}}}},
"Outcome":{"type":"object","properties":{"line":{"type":"integer"},"id":{"type":"string"},
  "outcome":{"type":"string","enum":["inserted","replaced","refused"]},
  "problem":{"$ref":"#/components/schemas/Problem"},"summary":{"type":"object"}}},
"Stored":{"type":"object","required":["id","outcome","durability"],"properties":{
  "id":{"type":"string"},"outcome":{"type":"string","enum":["inserted","replaced"]},
  "durability":{"type":"string"}}},
"HeldDocument":{"type":"object","required":["id","document","fields","attributes"],"properties":{
  "attributes":{"type":"object"},
  "id":{"type":"string"},"document":{"type":["object","null"]},
  "fields":{"type":"object","additionalProperties":{"type":"object","required":["features","keys"]}}}},
"Documents":{"type":"object","required":["documents","next"],"properties":{
  "documents":{"type":"array","items":{"type":"object","required":["id","document"]}},
  "next":{"type":["string","null"]}}},
"Ids":{"type":"object","required":["ids"],"additionalProperties":false,"properties":{
  "ids":{"type":"array","maxItems":10000,"items":{"type":["string","integer"]}}}},
"Removed":{"type":"object","required":["removed","not_there","durability"],"properties":{
  "removed":{"type":"integer"},"not_there":{"type":"integer"},"durability":{"type":"string"}}},

"Where":{"type":"array","maxItems":64,"items":{"type":"string"},
  "description":"Conditions on attributes, all of which a match meets: lang = en, price < 10, lang in en,de, seen >= 2026-11-01"},
"SimilarRequest":{"type":"object","additionalProperties":false,
  "description":"Exactly one of id, text and document","properties":{
  "id":{"type":["string","integer"]},"text":{"type":"string"},
  "document":{"$ref":"#/components/schemas/Document"},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
  "score":{"$ref":"#/components/schemas/Score"},"exact":{"type":"boolean","default":true},
  "where":{"$ref":"#/components/schemas/Where"},
  "explain":{"type":"boolean","default":false},
  "allow_low_recall":{"type":"boolean","default":false},
  "with_documents":{"type":"boolean","default":false}}},
"SimilarBatchRequest":{"type":"object","required":["documents"],"additionalProperties":false,"properties":{
  "documents":{"type":"array","maxItems":1000,"items":{"$ref":"#/components/schemas/Document"}},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
  "score":{"$ref":"#/components/schemas/Score"},"exact":{"type":"boolean","default":true},
  "where":{"$ref":"#/components/schemas/Where"},
  "explain":{"type":"boolean","default":false},
  "allow_low_recall":{"type":"boolean","default":false},
  "with_documents":{"type":"boolean","default":false}}},
"Match":{"type":"object","required":["id","score","exact","fields"],"properties":{
  "id":{"type":"string"},"score":{"type":"number"},"exact":{"type":"boolean"},
  "found_probability":{"type":"number"},"document":{"type":["object","null"]},
  "fields":{"type":"object"},"attributes":{"type":"object"}}},
"Matches":{"type":"object","required":["matches","work"],"properties":{
  "matches":{"type":"array","items":{"$ref":"#/components/schemas/Match"}},
  "work":{"$ref":"#/components/schemas/Work"}}},
"Work":{"type":"object","required":["candidates","compared","similar"],"properties":{
  "candidates":{"type":"integer"},"compared":{"type":"integer"},"similar":{"type":"integer"}}},
"Results":{"type":"object","required":["results","work"],"properties":{
  "results":{"type":"array","items":{"type":"object","required":["matches"]}},
  "work":{"$ref":"#/components/schemas/Work"}}},
"CheckRequest":{"type":"object","required":["document"],"additionalProperties":false,"properties":{
  "document":{"$ref":"#/components/schemas/Document"},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
  "score":{"$ref":"#/components/schemas/Score"},"exact":{"type":"boolean","default":true},
  "where":{"$ref":"#/components/schemas/Where"},
  "explain":{"type":"boolean","default":false},
  "allow_low_recall":{"type":"boolean","default":false},
  "with_documents":{"type":"boolean","default":false}}},
"Checked":{"type":"object","required":["added","matches"],"properties":{
  "added":{"type":"boolean"},"durability":{"type":"string"},
  "matches":{"type":"array","items":{"$ref":"#/components/schemas/Match"}}}},
"CompareSide":{"type":"object","additionalProperties":false,
  "description":"Exactly one of id, text and document","properties":{
  "id":{"type":"string"},"text":{"type":"string"},
  "document":{"$ref":"#/components/schemas/Document"}}},
"CompareRequest":{"type":"object","required":["a","b"],"additionalProperties":false,"properties":{
  "a":{"$ref":"#/components/schemas/CompareSide"},"b":{"$ref":"#/components/schemas/CompareSide"},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "score":{"$ref":"#/components/schemas/Score"}}},
"Comparison":{"type":"object","required":["score","threshold","similar","found_probability","fields"],
  "properties":{"score":{"type":"number"},"threshold":{"type":"number"},"similar":{"type":"boolean"},
  "found_probability":{"type":"number"},"fields":{"type":"object"}}},

"WholeRequest":{"type":"object","additionalProperties":false,"properties":{
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "score":{"$ref":"#/components/schemas/Score"},
  "limit":{"type":"integer","minimum":1,"maximum":100000,"default":1000},
  "allow_low_recall":{"type":"boolean","default":false},
  "ignore_decisions":{"type":"boolean","default":false}}},
"ClustersRequest":{"type":"object","additionalProperties":false,"properties":{
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "score":{"$ref":"#/components/schemas/Score"},
  "limit":{"type":"integer","minimum":1,"maximum":100000,"default":1000},
  "allow_low_recall":{"type":"boolean","default":false},
  "ignore_decisions":{"type":"boolean","default":false},
  "cluster":{"$ref":"#/components/schemas/Clustering"},
  "sort":{"type":"string","enum":["keeper","size","weakest"],"default":"keeper"}}},
"Pair":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},
  "score":{"type":"number"},"summary":{"type":"object"}}},
"Cluster":{"type":"object","properties":{"keeper":{"type":"string"},"size":{"type":"integer"},
  "weakest":{"type":"number"},"members":{"type":"array","items":{"type":"object"}},
  "decision":{"type":["object","null"]},"summary":{"type":"object"}}},
"PlanRequest":{"type":"object","additionalProperties":false,"properties":{
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "recall":{"type":"number","minimum":0.000001,"maximum":0.999999999},
  "slots":{"type":"integer","minimum":1,"maximum":4096,"default":128},
  "features":{"type":"integer","minimum":1,"maximum":1000000,"description":"Features of a document, about as many as a text has words"}}},
"Plan":{"type":"object","required":["bands","rows","slots","recall_at_threshold","curve"],"properties":{
  "bands":{"type":"integer"},"rows":{"type":"integer"},"slots":{"type":"integer"},
  "recall_at_threshold":{"type":"number"},
  "bytes_per_document":{"type":"integer","description":"Of keys and slots"},
  "feature_bytes_per_document":{"type":"integer","description":"If 'features' was given"},
  "alternatives":{"type":"array","items":{"type":"object"}},
  "rules_of_others":{"type":"array","items":{"type":"object"}},
  "curve":{"type":"array","items":{"type":"object","required":["similarity","probability"]}}}},

"NewDecision":{"type":"object","required":["members"],"additionalProperties":false,"properties":{
  "members":{"type":"array","minItems":1,"maxItems":10000,"uniqueItems":true,"items":{"type":["string","integer"]}},
  "keeper":{"type":["string","integer","null"]},"not_duplicates":{"type":"boolean","default":false},
  "note":{"type":"string","maxLength":4096}}},
"Decision":{"type":"object","required":["id","etag","members","keeper","not_duplicates","note","at"],
  "properties":{"id":{"type":"string"},"etag":{"type":"string"},
  "members":{"type":"array","items":{"type":"string"}},"keeper":{"type":["string","null"]},
  "not_duplicates":{"type":"boolean"},"note":{"type":"string"},"at":{"type":"string"}}},
"Decisions":{"type":"object","required":["decisions","next"],"properties":{
  "decisions":{"type":"array","items":{"$ref":"#/components/schemas/Decision"}},
  "next":{"type":["string","null"]}}},

"DedupRequest":{"type":"object","additionalProperties":false,"properties":{
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "score":{"$ref":"#/components/schemas/Score"},
  "allow_low_recall":{"type":"boolean","default":false},
  "cluster":{"$ref":"#/components/schemas/Clustering"},
  "remove":{"type":"boolean","default":false},
  "largest_cluster":{"type":"number","minimum":0,"maximum":1,"default":0.1,
    "description":"A share of the documents: nothing is removed if a cluster has more"},
  "largest_loss":{"type":"number","minimum":0,"maximum":1,"default":0.9,
    "description":"A share of the documents: nothing is removed if more would be removed"}}},
"Task":{"type":"object","required":["id","kind","index","status","progress","created_at","seconds","result","problem"],
  "properties":{"id":{"type":"string"},
  "kind":{"type":"string","enum":["dedup","verify","compact","snapshot"]},
  "index":{"type":"string"},
  "status":{"type":"string","enum":["enqueued","processing","succeeded","failed","canceled"]},
  "progress":{"type":["object","null"],"required":["done","total"]},"created_at":{"type":"string"},
  "seconds":{"type":"number"},"result":{"type":["object","null"]},
  "problem":{"type":["object","null"]}}},
"Tasks":{"type":"object","required":["tasks"],"properties":{
  "tasks":{"type":"array","items":{"$ref":"#/components/schemas/Task"}}}}
})";

}  // namespace benzer::server
