// Describes bodies and answers as JSON Schema: the components of /openapi.json.
#pragma once

#include <string_view>

namespace benzer::server {

inline constexpr std::string_view kOpenApiSchemas = R"({
"Nothing":{"type":"object","additionalProperties":false},
"SnapshotRequest":{"type":"object","additionalProperties":false,"properties":{
  "copy":{"type":"boolean","default":false,"description":"Copy segments, too, and do not link them"}}},
"Anything":{"type":"object","additionalProperties":true},
"Id":{"description":"The id of a document: a whole number stands for its digits",
  "oneOf":[{"type":"string"},{"type":"integer"}]},
"AttributeValue":{"description":"A time is a string",
  "oneOf":[{"type":"string"},{"type":"number"},{"type":"boolean"}]},
"Attributes":{"type":"object","description":"The attributes of a document, by their names",
  "additionalProperties":{"$ref":"#/components/schemas/AttributeValue"}},
"Threshold":{"description":"A decimal above 0, at most 1, as a number or a string",
  "oneOf":[{"type":"number","exclusiveMinimum":0,"maximum":1},{"type":"string"}]},
"Floor":{"description":"In place of threshold: the most similar documents with at least this score are found, whatever the index was planned for. A decimal above 0, at most 1, as a number or a string",
  "oneOf":[{"type":"number","exclusiveMinimum":0,"maximum":1},{"type":"string"}]},
"FloorRecall":{"type":"number","description":"With floor: the least probability with which each of the most similar documents is found"},
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
  "reasons":{"type":"array","items":{"$ref":"#/components/schemas/ReadyReason"}}}},
"ReadyReason":{"type":"object","required":["reason"],"properties":{
  "index":{"type":"string","description":"Absent if it is about the server"},"reason":{"type":"string"}}},
"Limits":{"type":"object","description":"Most bytes, lines, documents, ids, matches and rows of a request or an answer",
  "required":["body_bytes","bulk_bytes","bulk_lines","batch","ids","matches","all_matches","answer_bytes",
    "refused_lines","rows","requests_per_second"],"properties":{
  "body_bytes":{"type":"integer"},"bulk_bytes":{"type":"integer"},"bulk_lines":{"type":"integer"},
  "batch":{"type":"integer"},"ids":{"type":"integer"},"matches":{"type":"integer"},
  "all_matches":{"type":"integer"},"answer_bytes":{"type":"integer"},
  "refused_lines":{"type":"integer"},"rows":{"type":"integer"},
  "requests_per_second":{"type":"number","description":"0: any number"}}},
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
  "measure":{"$ref":"#/components/schemas/Measure"},
  "sketch":{"type":"string"},"bands":{"type":"string"},
  "min_threshold":{"$ref":"#/components/schemas/Threshold"},
  "recall":{"$ref":"#/components/schemas/Threshold"},
  "keep_documents":{"type":"boolean","default":true}}},
"Index":{"type":"object","required":["name","state"],
  "description":"One that cannot be opened has a problem in place of the other members","properties":{
  "name":{"type":"string"},"state":{"type":"string","enum":["ready","busy","unavailable","damaged"]},
  "problem":{"type":"string"},"documents":{"type":"integer"},
  "durability":{"type":"string","description":"The level of every write"},
  "keep_documents":{"type":"boolean"},"schema":{"$ref":"#/components/schemas/IndexSchema"}}},
"IndexSchema":{"type":"object","required":["fields","attributes","measure","min_threshold","recall","text"],
  "description":"With containment it has keys, else a sketch and bands","properties":{
  "fields":{"type":"array","items":{"$ref":"#/components/schemas/IndexField"}},
  "attributes":{"type":"array","items":{"type":"string"}},
  "measure":{"$ref":"#/components/schemas/Measure"},
  "keys":{"type":"string","description":"As in 0.251/20: the share of its features under which a document is stored, and the smallest documents that this share is for"},
  "sketch":{"type":"string"},"bands":{"type":"string","description":"As in 16x6: 16 bands of 6 rows"},
  "min_threshold":{"type":"number"},"recall":{"type":"number"},
  "text":{"type":"string","description":"All of it in one spelling, which another index can be made with"}}},
"Measure":{"type":"string","enum":["jaccard","containment"],"default":"jaccard",
  "description":"Whether scores are common features divided by those of both documents together, or by those of the smaller one"},
"IndexField":{"type":"object","required":["name","kind","features","weight"],"properties":{
  "name":{"type":"string"},"kind":{"$ref":"#/components/schemas/FieldKind"},
  "features":{"type":"string"},"weight":{"type":"number"}}},
"FieldKind":{"type":"string","enum":["text","values","image"]},
"Indexes":{"type":"object","required":["indexes"],"properties":{
  "indexes":{"type":"array","items":{"$ref":"#/components/schemas/Index"}}}},
"Stats":{"type":"object","required":["documents","removed","segments","segment_bytes","log_bytes","restart_seconds",
    "torn_bytes","table_bytes","key_bytes","cut_bytes","feature_bytes","id_bytes","servers","server_bytes",
    "upkeep","kept","sample","buckets","sample_problem","last_verify","maintenance_problem"],"properties":{
  "documents":{"type":"integer"},
  "removed":{"type":"integer","description":"Removed documents whose bytes are still in segments"},
  "segments":{"type":"integer"},"segment_bytes":{"type":"integer"},
  "log_bytes":{"type":"integer","description":"Bytes of the log that the next opening reads"},
  "restart_seconds":{"type":"number","description":"Time that the next opening takes, estimated"},
  "torn_bytes":{"type":"integer","description":"Bytes at the end of the log that were incomplete at the opening"},
  "table_bytes":{"type":"integer"},"key_bytes":{"type":"integer"},"cut_bytes":{"type":"integer"},
  "feature_bytes":{"type":"integer"},"id_bytes":{"type":"integer"},
  "servers":{"type":"integer","description":"Of an index in Redis: its masters"},
  "server_bytes":{"type":"integer","description":"Of an index in Redis: the memory that its masters use"},
  "upkeep":{"description":"null for an index in Redis","oneOf":[{"$ref":"#/components/schemas/Upkeep"},{"type":"null"}]},
  "kept":{"description":"null if documents are not kept",
    "oneOf":[{"$ref":"#/components/schemas/KeptSize"},{"type":"null"}]},
  "last_verify":{"oneOf":[{"$ref":"#/components/schemas/Verified"},{"type":"null"}]},
  "maintenance_problem":{"oneOf":[{"$ref":"#/components/schemas/MaintenanceProblem"},{"type":"null"}]},
  "sample":{"oneOf":[{"$ref":"#/components/schemas/Sample"},{"type":"null"}]},
  "sample_problem":{"type":["string","null"],"description":"Why there is no sample"},
  "buckets":{"type":["array","null"],"items":{"$ref":"#/components/schemas/BucketSize"}}}},
"Upkeep":{"type":"object","description":"What was done in the background since the index was opened",
  "required":["flushes","merges","failures","merges_running","merging_bytes","stalls","stalled_writers",
    "stall_seconds","longest_stall_seconds"],"properties":{
  "flushes":{"type":"integer"},"merges":{"type":"integer"},"failures":{"type":"integer"},
  "merges_running":{"type":"integer"},"merging_bytes":{"type":"integer"},
  "stalls":{"type":"integer"},"stalled_writers":{"type":"integer"},
  "stall_seconds":{"type":"number"},"longest_stall_seconds":{"type":"number"}}},
"KeptSize":{"type":"object","required":["documents","bytes"],"properties":{
  "documents":{"type":"integer"},"bytes":{"type":"integer"}}},
"Verified":{"type":"object","required":["at","ok","problem"],"properties":{
  "at":{"type":"string","format":"date-time"},"ok":{"type":"boolean"},"problem":{"type":["string","null"]}}},
"MaintenanceProblem":{"type":"object","required":["at","problem"],
  "description":"Why segments cannot be written or merged, and since when","properties":{
  "at":{"type":"string","format":"date-time"},"problem":{"type":"string"}}},
"Sample":{"type":"object","required":["documents","candidates","similar","largest_bucket"],
  "description":"Of documents drawn at random, at most a minute ago","properties":{
  "documents":{"type":"integer"},"candidates":{"type":"integer"},"similar":{"type":"integer"},
  "largest_bucket":{"type":"integer"}}},
"BucketSize":{"type":"object","required":["from","to","buckets","entries"],
  "description":"How many buckets have from this to that many documents, estimated","properties":{
  "from":{"type":"integer"},"to":{"type":"integer"},"buckets":{"type":"number"},"entries":{"type":"integer"}}},
"Similarities":{"type":"object","required":["sampled","pairs","candidates","similar","histogram"],"properties":{
  "sampled":{"type":"integer"},"pairs":{"type":"integer"},"candidates":{"type":"integer"},
  "similar":{"type":"integer"},
  "histogram":{"type":"array","items":{"$ref":"#/components/schemas/HistogramBin"}}}},
"HistogramBin":{"type":"object","required":["from","to","pairs"],"properties":{
  "from":{"type":"number"},"to":{"type":"number"},"pairs":{"type":"integer"}}},

"Document":{"type":"object","description":"An id, and the index's fields: texts as strings, sets of values as lists of strings, images as data: URLs",
  "properties":{"id":{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}},
  "additionalProperties":true},
"Change":{"type":"object","description":"For each attribute its value (a string, a number or a boolean), or null to remove it",
  "properties":{"id":{"$ref":"#/components/schemas/Id"}},
  "additionalProperties":true},
"NamedChange":{"type":"object","required":["id"],
  "description":"The id, and for each attribute its value (a string, a number or a boolean), or null to remove it",
  "properties":{"id":{"$ref":"#/components/schemas/Id"}},
  "additionalProperties":true},
"IdRequest":{"type":"object","required":["id"],"additionalProperties":false,"properties":{
  "id":{"$ref":"#/components/schemas/Id"}}},
"ListRequest":{"type":"object","additionalProperties":false,"properties":{
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":50},
  "after":{"description":"As an id; any number stands for what is written",
    "oneOf":[{"type":"string"},{"type":"number"}]}}},
"DocumentList":{"type":"array","items":{"$ref":"#/components/schemas/Document"}},
"Outcomes":{"type":"object","required":["results","summary"],"properties":{
  "results":{"type":"array","items":{"$ref":"#/components/schemas/Outcome"}},
  "summary":{"$ref":"#/components/schemas/OutcomeCounts"}}},
"Outcome":{"type":"object","required":["line","outcome"],"properties":{
  "line":{"type":"integer","description":"Of an array the number of the document, from 1"},
  "id":{"type":"string"},"outcome":{"type":"string","enum":["inserted","replaced","refused"]},
  "problem":{"$ref":"#/components/schemas/Problem"}}},
"OutcomeCounts":{"type":"object","required":["documents","inserted","replaced","refused","durability"],"properties":{
  "documents":{"type":"integer"},"inserted":{"type":"integer"},"replaced":{"type":"integer"},
  "refused":{"type":"integer"},
  "left_out":{"type":"integer","description":"Documents without a row, for which the answer had no room"},
  "durability":{"type":"string"}}},
"OutcomesEnd":{"type":"object","required":["summary"],"properties":{
  "summary":{"$ref":"#/components/schemas/OutcomeCounts"}}},
"Stored":{"type":"object","required":["id","outcome","durability"],"properties":{
  "id":{"type":"string"},"outcome":{"type":"string","enum":["inserted","replaced"]},
  "durability":{"type":"string"}}},
"HeldDocument":{"type":"object","required":["id","document","fields","attributes"],"properties":{
  "id":{"type":"string"},
  "document":{"description":"As it was sent; null if it is not kept",
    "oneOf":[{"$ref":"#/components/schemas/Document"},{"type":"null"}]},
  "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/HeldField"}},
  "attributes":{"$ref":"#/components/schemas/Attributes"}}},
"HeldField":{"type":"object","required":["features","keys"],"properties":{
  "features":{"type":"integer","description":"Their number"},
  "keys":{"type":"array","description":"The keys of its bands","items":{"type":"integer"}}}},
"ListedDocument":{"type":"object","required":["id","document"],"properties":{
  "id":{"type":"string"},
  "document":{"description":"As it was sent; null if it is not kept",
    "oneOf":[{"$ref":"#/components/schemas/Document"},{"type":"null"}]}}},
"Documents":{"type":"object","required":["documents","next"],"properties":{
  "documents":{"type":"array","items":{"$ref":"#/components/schemas/ListedDocument"}},
  "next":{"type":["string","null"],"description":"What to give as 'after' for the next ones; null: there are no more"}}},
"Ids":{"type":"object","required":["ids"],"additionalProperties":false,"properties":{
  "ids":{"type":"array","maxItems":10000,"items":{"$ref":"#/components/schemas/Id"}}}},
"Removed":{"type":"object","required":["removed","not_there","durability"],"properties":{
  "removed":{"type":"integer"},"not_there":{"type":"integer"},"durability":{"type":"string"}}},

"Where":{"type":"array","maxItems":64,"items":{"type":"string"},
  "description":"Conditions on attributes, all of which a match meets: lang = en, price < 10, lang in en,de, seen >= 2026-11-01"},
"SimilarRequest":{"type":"object","additionalProperties":false,
  "description":"Exactly one of id, text and document","properties":{
  "id":{"$ref":"#/components/schemas/Id"},"text":{"type":"string"},
  "document":{"$ref":"#/components/schemas/Document"},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "floor":{"$ref":"#/components/schemas/Floor"},
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
  "score":{"$ref":"#/components/schemas/Score"},"exact":{"type":"boolean","default":true},
  "where":{"$ref":"#/components/schemas/Where"},
  "explain":{"type":"boolean","default":false},
  "allow_low_recall":{"type":"boolean","default":false},
  "with_documents":{"type":"boolean","default":false}}},
"SimilarBatchRequest":{"type":"object","required":["documents"],"additionalProperties":false,"properties":{
  "documents":{"type":"array","maxItems":1000,"items":{"$ref":"#/components/schemas/Document"}},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "floor":{"$ref":"#/components/schemas/Floor"},
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
  "score":{"$ref":"#/components/schemas/Score"},"exact":{"type":"boolean","default":true},
  "where":{"$ref":"#/components/schemas/Where"},
  "explain":{"type":"boolean","default":false},
  "allow_low_recall":{"type":"boolean","default":false},
  "with_documents":{"type":"boolean","default":false}}},
"PassagesRequest":{"type":"object","additionalProperties":false,
  "description":"Exactly one of id, text and document; that of an id must be kept","properties":{
  "id":{"$ref":"#/components/schemas/Id"},"text":{"type":"string"},
  "document":{"$ref":"#/components/schemas/Document"},
  "min_words":{"type":"integer","minimum":1,"maximum":100000,"default":50},
  "limit":{"type":"integer","minimum":1,"maximum":1000,"default":10},
  "where":{"$ref":"#/components/schemas/Where"},
  "places":{"type":"boolean","default":false,"description":"Also say where each passage stands in the documents, which must be kept"}}},
"PassageMatches":{"type":"object","required":["matches","work"],"properties":{
  "matches":{"type":"array","description":"Documents that have most words of the text first","items":{"$ref":"#/components/schemas/PassageMatch"}},
  "work":{"$ref":"#/components/schemas/Work"}}},
"PassageMatch":{"type":"object","required":["id","words","passages"],"properties":{
  "id":{"type":"string"},"words":{"type":"integer","description":"Words of the text that are in its passages"},
  "passages":{"type":"array","items":{"$ref":"#/components/schemas/QueryPassage"}},
  "attributes":{"$ref":"#/components/schemas/Attributes"}}},
"QueryPassage":{"type":"object","required":["field","begin","end","begin_char","end_char","words","text"],
  "description":"A run of words of the text that was asked for, with its place there in bytes and in characters","properties":{
  "field":{"type":"string"},"begin":{"type":"integer"},"end":{"type":"integer"},
  "begin_char":{"type":"integer"},"end_char":{"type":"integer"},
  "words":{"type":"integer"},"text":{"type":"string"},
  "places":{"type":"array","description":"With places: the longest pieces that stand in the document at one place. They overlap","items":{"$ref":"#/components/schemas/PassagePlace"}}}},
"PassagePlace":{"type":"object","required":["first_word","words","begin","end","begin_char","end_char"],
  "description":"A piece of a passage with its first place in the text of the document, in bytes and in characters","properties":{
  "first_word":{"type":"integer","description":"Words of the passage before the piece"},"words":{"type":"integer"},
  "begin":{"type":"integer"},"end":{"type":"integer"},
  "begin_char":{"type":"integer"},"end_char":{"type":"integer"}}},
"Match":{"type":"object","required":["id","score","exact","fields"],"properties":{
  "id":{"type":"string"},"score":{"type":"number"},
  "exact":{"type":"boolean","description":"false: the score is estimated"},
  "found_probability":{"type":"number","description":"With explain"},
  "fields":{"type":"object","description":"The score of each field or, with explain, what it comes from",
    "additionalProperties":{"oneOf":[{"type":"number"},{"$ref":"#/components/schemas/FieldExplanation"}]}},
  "shares":{"type":"object","description":"With containment, for each field: the shares of the features of both that are common, share_of_query and share_of_match",
    "additionalProperties":{"type":"object","required":["share_of_query","share_of_match"],"properties":{
      "share_of_query":{"type":"number"},"share_of_match":{"type":"number"}}}},
  "attributes":{"$ref":"#/components/schemas/Attributes"},
  "document":{"description":"With with_documents; null if it is not kept",
    "oneOf":[{"$ref":"#/components/schemas/Document"},{"type":"null"}]}}},
"FieldExplanation":{"type":"object","required":["similarity"],
  "description":"Hashes of pictures have a distance in bits; other features have sizes and passages. With containment there are shares and keys in place of union and bands","properties":{
  "similarity":{"type":"number"},
  "share_of_query":{"type":"number"},"share_of_match":{"type":"number"},
  "keys":{"type":"integer","description":"Features under which the match is stored"},
  "equal_keys":{"type":"integer","description":"Of these, features of the query"},
  "intersection":{"type":"number"},"union":{"type":"number"},
  "distance":{"type":"integer"},"bits":{"type":"integer"},
  "bands":{"type":"integer"},"equal_bands":{"type":"array","items":{"type":"integer"}},
  "passages":{"type":["array","null"],"items":{"$ref":"#/components/schemas/Passage"},
    "description":"What the documents share; null if the text of the question is not known"},
  "more":{"type":["integer","null"],"description":"Passages that are not listed"}}},
"Passage":{"type":"object","required":["text","features","cut"],"properties":{
  "text":{"type":"string"},"features":{"type":"integer"},"cut":{"type":"boolean"}}},
"Matches":{"type":"object","required":["matches","work"],"properties":{
  "matches":{"type":"array","items":{"$ref":"#/components/schemas/Match"}},
  "recall":{"$ref":"#/components/schemas/FloorRecall"},
  "work":{"$ref":"#/components/schemas/Work"}}},
"Work":{"type":"object","required":["candidates","compared","similar"],"properties":{
  "candidates":{"type":"integer"},"compared":{"type":"integer"},"similar":{"type":"integer"}}},
"Results":{"type":"object","required":["results","work"],"properties":{
  "results":{"type":"array","description":"In the order of the documents","items":{"$ref":"#/components/schemas/MatchList"}},
  "recall":{"$ref":"#/components/schemas/FloorRecall"},
  "work":{"$ref":"#/components/schemas/Work"}}},
"MatchList":{"type":"object","required":["matches"],"properties":{
  "matches":{"type":"array","items":{"$ref":"#/components/schemas/Match"}}}},
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
  "added":{"type":"boolean"},"durability":{"type":"string","description":"If it was added"},
  "matches":{"type":"array","items":{"$ref":"#/components/schemas/Match"}}}},
"CompareSide":{"type":"object","additionalProperties":false,
  "description":"Exactly one of id, text and document","properties":{
  "id":{"$ref":"#/components/schemas/Id"},"text":{"type":"string"},
  "document":{"$ref":"#/components/schemas/Document"}}},
"CompareRequest":{"type":"object","required":["a","b"],"additionalProperties":false,"properties":{
  "a":{"$ref":"#/components/schemas/CompareSide"},"b":{"$ref":"#/components/schemas/CompareSide"},
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "score":{"$ref":"#/components/schemas/Score"}}},
"Comparison":{"type":"object","required":["score","threshold","similar","found_probability","fields"],
  "properties":{"score":{"type":"number"},"threshold":{"type":"number"},"similar":{"type":"boolean"},
  "found_probability":{"type":"number"},
  "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/ComparedField"}}}},
"ComparedField":{"type":"object",
  "required":["kind","similarity","found_probability","a","b"],
  "description":"Hashes of pictures have a distance in bits; other features have sizes and an estimate. With containment there are shares and keys in place of union, estimate and bands","properties":{
  "share_of_a":{"type":"number"},"share_of_b":{"type":"number"},
  "keys":{"type":"integer","description":"Features under which b is stored"},
  "equal_keys":{"type":"integer","description":"Of these, features of a"},
  "kind":{"$ref":"#/components/schemas/FieldKind"},"similarity":{"type":"number"},
  "intersection":{"type":"number"},"union":{"type":"number"},
  "estimate":{"type":"number","description":"What the signatures alone say"},
  "standard_error":{"type":"number"},
  "distance":{"type":["integer","null"]},"bits":{"type":"integer"},
  "bands":{"type":"integer"},"rows":{"type":"integer"},
  "equal_bands":{"type":"array","items":{"type":"integer"}},"found_probability":{"type":"number"},
  "a":{"$ref":"#/components/schemas/ComparedSide"},"b":{"$ref":"#/components/schemas/ComparedSide"}}},
"ComparedSide":{"type":"object","required":["pieces"],"properties":{
  "pieces":{"type":"array","description":"Of the first 256 KiB of a text, or of the first values that have 256 KiB together","items":{"$ref":"#/components/schemas/Piece"}}}},
"Piece":{"type":"object","required":["mark","text"],"properties":{
  "mark":{"type":"string","enum":["shared","own","none"],"description":"none: not part of any feature"},
  "text":{"type":"string"},"weight":{"type":"number"}}},

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
"Pair":{"type":"object","required":["a","b","score","exact"],"properties":{
  "a":{"type":"string"},"b":{"type":"string"},"score":{"type":"number"},
  "share_of_a":{"type":"number","description":"With containment: how much of a is in b"},
  "share_of_b":{"type":"number","description":"With containment: how much of b is in a"},
  "exact":{"type":"boolean"}}},
"Cluster":{"type":"object","required":["cluster","keeper","size","members","weakest"],"properties":{
  "cluster":{"type":"integer","description":"Its number, from 1"},
  "keeper":{"type":"string"},"size":{"type":"integer","description":"With the keeper"},
  "members":{"type":"array","description":"Without the keeper","items":{"$ref":"#/components/schemas/Member"}},
  "weakest":{"type":"number"},
  "keeper_expires_at":{"type":"string","format":"date-time","description":"When the keeper expires, if it does"},
  "decision":{"description":"The latest about one of the documents; reports have none",
    "oneOf":[{"$ref":"#/components/schemas/Decision"},{"type":"null"}]}}},
"Member":{"type":"object","required":["id","score"],"properties":{
  "id":{"type":"string"},"score":{"type":"number","description":"With the keeper"},
  "share_of_removed":{"type":"number","description":"With containment: how much of this document the keeper has"},
  "share_of_keeper":{"type":"number","description":"With containment: how much of the keeper this document has"},
  "link":{"$ref":"#/components/schemas/Link"}}},
"Link":{"type":"object","required":["id","score"],
  "description":"Of components: the document that links this one to the cluster","properties":{
  "id":{"type":"string"},"score":{"type":"number"}}},
"RowsEnd":{"type":"object","required":["summary"],"properties":{
  "summary":{"$ref":"#/components/schemas/RowCounts"}}},
"RowCounts":{"type":"object","required":["rows","truncated"],"properties":{
  "rows":{"type":"integer"},"truncated":{"type":"boolean","description":"There are more rows than were asked for"},
  "documents":{"type":"integer"},"candidates":{"type":"integer"},"pairs":{"type":"integer"},
  "clusters":{"type":"integer"},
  "set_apart":{"type":"integer","description":"Further similar pairs, which decisions set apart"},
  "chosen_keepers":{"type":"integer","description":"Clusters with the keeper that a decision chose"}}},
"PlanRequest":{"type":"object","additionalProperties":false,"properties":{
  "threshold":{"$ref":"#/components/schemas/Threshold"},
  "recall":{"type":"number","minimum":0.000001,"maximum":0.999999999},
  "slots":{"type":"integer","minimum":1,"maximum":4096,"default":128},
  "features":{"type":"integer","minimum":1,"maximum":1000000,"description":"Features of a document, about as many as a text has words"}}},
"Plan":{"type":"object","required":["bands","rows","slots","recall_at_threshold","bytes_per_document","alternatives",
    "rules_of_others","curve"],"properties":{
  "bands":{"type":"integer"},"rows":{"type":"integer"},"slots":{"type":"integer"},
  "recall_at_threshold":{"type":"number"},
  "bytes_per_document":{"type":"integer","description":"Of keys and slots"},
  "feature_bytes_per_document":{"type":"integer","description":"If 'features' was given"},
  "alternatives":{"type":"array","items":{"$ref":"#/components/schemas/Alternative"}},
  "rules_of_others":{"type":"array","items":{"$ref":"#/components/schemas/Alternative"}},
  "curve":{"type":"array","items":{"$ref":"#/components/schemas/CurvePoint"}}}},
"Alternative":{"type":"object","required":["name","bands","rows","recall_at_threshold","fits"],"properties":{
  "name":{"type":"string"},"bands":{"type":"integer"},"rows":{"type":"integer"},
  "recall_at_threshold":{"type":"number"},
  "fits":{"type":"boolean","description":"It needs no more slots than there are"}}},
"CurvePoint":{"type":"object","required":["similarity","probability"],
  "description":"With which probability a pair of this similarity is found","properties":{
  "similarity":{"type":"number"},"probability":{"type":"number"}}},

"NewDecision":{"type":"object","required":["members"],"additionalProperties":false,"properties":{
  "members":{"type":"array","minItems":1,"maxItems":10000,"uniqueItems":true,"items":{"$ref":"#/components/schemas/Id"}},
  "keeper":{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},"not_duplicates":{"type":"boolean","default":false},
  "note":{"type":"string","maxLength":4096}}},
"Decision":{"type":"object","required":["id","etag","members","keeper","not_duplicates","note","at"],
  "properties":{"id":{"type":"string"},"etag":{"type":"string"},
  "members":{"type":"array","items":{"type":"string"}},"keeper":{"type":["string","null"]},
  "not_duplicates":{"type":"boolean"},"note":{"type":"string"},"at":{"type":"string","format":"date-time"}}},
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
"Task":{"type":"object",
  "required":["id","kind","index","status","progress","created_at","seconds","result","problem"],
  "properties":{"id":{"type":"string"},
  "kind":{"type":"string","enum":["dedup","verify","compact","snapshot"]},
  "index":{"type":"string"},
  "status":{"type":"string","enum":["enqueued","processing","succeeded","failed","canceled"]},
  "progress":{"oneOf":[{"$ref":"#/components/schemas/Progress"},{"type":"null"}]},
  "created_at":{"type":"string","format":"date-time"},"seconds":{"type":"number"},
  "result":{"description":"null before there is one","oneOf":[{"$ref":"#/components/schemas/TaskResult"},{"type":"null"}]},
  "problem":{"oneOf":[{"$ref":"#/components/schemas/Problem"},{"type":"null"}]}}},
"Progress":{"type":"object","required":["done","total"],"properties":{
  "done":{"type":"integer"},"total":{"type":"integer"}}},
"TaskResult":{"type":"object",
  "description":"A dedup has the members of a DedupResult, a snapshot its name and bytes, and other tasks have none",
  "properties":{
  "threshold":{"type":"string","description":"A decimal"},"cluster":{"$ref":"#/components/schemas/Clustering"},
  "documents":{"type":"integer"},"clusters":{"type":"integer"},"pairs":{"type":"integer"},
  "candidates":{"type":"integer"},
  "removed":{"type":"integer","description":"With remove"},
  "would_remove":{"type":"integer","description":"What was not removed"},
  "kept":{"type":"integer"},"largest_cluster":{"type":"integer","description":"Its documents"},
  "weakest":{"type":"number","description":"Absent without clusters"},
  "set_apart":{"type":"integer","description":"Further similar pairs, which decisions set apart"},
  "chosen_keepers":{"type":"integer","description":"Clusters with the keeper that a decision chose"},
  "name":{"type":"string","description":"The folder of a snapshot"},
  "linked_bytes":{"type":"integer"},"copied_bytes":{"type":"integer"}}},
"DedupResult":{"type":"object",
  "required":["threshold","cluster","documents","clusters","pairs","candidates","kept","largest_cluster"],
  "properties":{
  "threshold":{"type":"string","description":"A decimal"},"cluster":{"$ref":"#/components/schemas/Clustering"},
  "documents":{"type":"integer"},"clusters":{"type":"integer"},"pairs":{"type":"integer"},
  "candidates":{"type":"integer"},
  "removed":{"type":"integer","description":"Of a dedup with remove"},
  "removing":{"type":"boolean","description":"true: written while documents were being removed, so some may be gone"},
  "would_remove":{"type":"integer","description":"What was not removed"},
  "kept":{"type":"integer"},"largest_cluster":{"type":"integer","description":"Its documents"},
  "weakest":{"type":"number","description":"Absent without clusters"},
  "set_apart":{"type":"integer","description":"Further similar pairs, which decisions set apart"},
  "chosen_keepers":{"type":"integer","description":"Clusters with the keeper that a decision chose"}}},
"Report":{"description":"What a dedup found","allOf":[{"$ref":"#/components/schemas/DedupResult"},
  {"type":"object","required":["found"],"properties":{
  "found":{"type":"array","items":{"$ref":"#/components/schemas/Cluster"}}}}]},
"RemovedDocument":{"type":"object","required":["id","kept_id","score","exact"],"properties":{
  "id":{"type":"string"},"kept_id":{"type":"string"},"score":{"type":"number"},
  "exact":{"type":"boolean"},"link":{"$ref":"#/components/schemas/Link"}}},
"ReportEnd":{"type":"object","required":["summary"],"properties":{
  "summary":{"$ref":"#/components/schemas/DedupResult"}}},
"Tasks":{"type":"object","required":["tasks"],"properties":{
  "tasks":{"type":"array","items":{"$ref":"#/components/schemas/Task"}}}}
})";

}  // namespace benzer::server
