"""Every code a fault may carry, with what it means: the table behind ``crossgauge explain``.

E1xx the request and its files · E2xx content of data and predictions · E3xx run folders and results ·
E4xx models and vectors · E5xx this machine · W… warnings: nothing stops, but read them.
"""

from __future__ import annotations

CODES: dict[str, str] = {
    "E106": "--fusion says how the vectors of an item's parts (a picture and its title) become one: mean, sum or "
    "concat, and after a colon the picture's share from 0 to 1.",
    "E107": "The model can do none of the tasks asked for: it takes other modalities, or it writes no text. Tasks that "
    "a model cannot do are never scored as 0.",
    "E108": "--profile names an official scorer that this benchmark does not have, or two profiles (or --set) want "
    "different values of one option.",
    "E110": "A benchmark, model or measure was named that is neither built in nor installed as a plug-in. "
    "`crossgauge list benchmarks|models|measures` shows every name.",
    "E111": "The benchmark reads data that you must have on disk: name the folder with --data. "
    "`crossgauge list benchmarks` says where each comes from and how its folder must look.",
    "E112": "--limit takes a whole number of pictures from 1. A limited result is marked partial.",
    "E113": "A prompt format must hold exactly one {}: the place where the text goes (braces in the text stay); and two "
    "templates may not share a name.",
    "E114": "--set KEY=VALUE names an option or a value that this benchmark does not have. "
    "`crossgauge list benchmarks` shows every option with its values; the first is the default.",
    "E115": "--tasks names a task that this benchmark does not have.",
    "E116": "Tasks and languages together leave nothing to run.",
    "E117": "--languages names a language in which this data has too few texts, or none. Codes are BCP-47; "
    "legacy ones (jp, iw, zh_CN) are understood.",
    "E118": "`crossgauge explain CODE` takes a code such as E301; without one it lists them all.",
    "E119": "A made-up data set is written into a new or empty folder only: nothing is ever overwritten.",
    "E105": "Vectors that are looked up by item id were made with whatever prompt their maker used. A --prompt could not "
    "reach them, and the signature would claim a prompt that was never applied. Leave it out.",
    "E255": "The predictions hold nothing for any cell of this benchmark, so there is nothing to measure.",
    "E253": "The vectors' file holds ids and a list of other ids was given too (or the same in another order). Following either "
    "would be a guess, and a wrong one gives wrong numbers.",
    "E301": "A run folder is bound to its experiment: data, model revision, prompts, options, cells and version. "
    "Something of these changed, so going on would mix two experiments. Start a new run with another --out, or "
    "restore what changed. Vectors that are still valid come from the cache, so a new run is cheap.",
    "E302": "The output folder holds files that are not a run of crossgauge. Nothing is ever overwritten: give another.",
    "E305": "`run.json` says which experiment a run folder is bound to; this one was cut off or edited, so nobody can say "
    "whether going on would mix two experiments. Start a new run with another --out.",
    "E304": "A signature is a line of name:value parts separated by |; this is not one.",
    "E501": "The folder cannot be written: permissions, a read-only disk, or a file where a folder should be.",
    "E502": "The disk (or a quota) is full. Nothing half-written is kept; free some space and run the same "
    "command again: finished cells and cached vectors are reused.",
    "E421": "The run was stopped between two cells, on request. Finished cells are kept; the same command goes on.",
    "E430": "`crossgauge doctor --model` encoded the same items alone and in a batch and got other vectors. Scores of "
    "such a model depend on the batch size: look at padding side, attention mask and pooling.",
    "E503": "Two processes were started on one run folder. Only one may write it; the lock goes with the process, so "
    "after a kill nothing has to be removed by hand.",
    "E900": "Something nobody foresaw: a fault of crossgauge. Run again with --debug and report what it prints.",
    "W301": "More than one query in a hundred has a rival with exactly the score of the relevant item. The printed "
    "value is the expectation over a random order of the tied; optimistic and pessimistic bounds stand beside it. "
    "Causes: duplicate texts or pictures, half-precision scores, a collapsed model.",
    "W302": "Queries without a relevant item have no defined value. They are counted and left out of the mean.",
    "W303": "Declared queries that the system did not answer. They count as misses: the denominator stays.",
    "W304": "The model does not list this language among those it was made for; expect chance-level numbers.",
    "E303": "A file that should hold a Result (scores.json, result.json) could not be read as one: cut off, "
    "edited by hand, or written by another version of the schema.",
    "E320": "What was to be shown or exported is neither a run folder with a scores.json nor such a file. A run that "
    "has not finished has none yet: the same `crossgauge run` command goes on with it.",
    "E321": "`--cell` names a cell that the run does not have. A cell is task.language.prompt, e.g. i2t.de.plain.",
    "E322": "Several runs were to stand in one table although they did not measure the same: their signatures differ "
    "in data, prompt, options, sizes or rules. Only model and version may differ.",
    "E323": "A query or item id holds white space or a control character (or is empty), and the format separates its fields by spaces: TREC "
    "runs cannot hold it.",
    "E324": "A TREC run file holds one ranking a query, so it can hold only one cell. Choose it with `--cell`.",
    "E325": "The format is made from the rankings of each query, and there is no per_query.parquet for this cell.",
    "E327": "Numbers of a Result contradict one another: a value outside its worst and best outcome, a mean that is "
    "not that of its languages, a fraction above 1. Somebody edited the file.",
    "E328": "scores.json and the result.json of a cell in the same run folder differ, so one of them was edited. "
    "The same command writes both anew from what was measured.",
    "E329": "A file of a finished cell is not the one whose checksum was written with it. The same command removes "
    "the cell and measures it again.",
    "E326": "A per_query.parquet could not be read, or lacks columns: cut off, or not written by `crossgauge run`.",
    "E160": "A picture or video cannot be read: it is not there, not a file, or not permitted.",
    "E161": "A picture file of no bytes: a copy or download that failed.",
    "E162": "The content is no picture of the formats read (JPEG, PNG, WebP, GIF, BMP, TIFF), whatever its name "
    "says: often a web page saved under a picture's name.",
    "E163": "A picture that is cut off or damaged. It is never decoded halfway; copy or download it again.",
    "E164": "A picture file above 64 MiB: more than any evaluation needs, and a risk to memory. Save it smaller.",
    "E165": "A picture above 40 million pixels. Small files can unpack to gigabytes, so this is checked before.",
    "E166": "A picture of 32-bit integers or floats: nothing says which number is white. Scale it to 8 bits.",
    "E167": "Pillow was told by some code to fill cut-off pictures with grey (LOAD_TRUNCATED_IMAGES). Numbers "
    "would silently be of other pictures; set it back to False.",
    "E168": "A picture was asked for by something that is no path. Give a str or a pathlib.Path.",
    "W160": "The name says another picture format than the content. The content counts.",
    "E401": "The model cannot encode what an item holds, or the item holds nothing.",
    "E402": "Vectors of two dimensions or number types where one is needed: of pictures and texts, or of two "
    "batches. They come from different models, or from a model that changed without a new revision.",
    "E403": "encode() must return one row for each item it got, as a two-dimensional array.",
    "E404": "encode() must return a NumPy array of float32 (float64 is kept as it is). Half precision makes ties.",
    "E405": "prepare() of the model raised something for an item.",
    "E406": "encode() of the model raised something for a batch.",
    "E407": "Ids stand in two vector files of a folder; which vector is meant cannot be told.",
    "E408": "A vector that is zero or not finite has no direction, so nothing can be ranked by it. "
    "--on-nonfinite miss counts such items as misses instead.",
    "E409": "No vector file of the folder holds this id. Every item of the benchmark needs its vector; "
    "`crossgauge check BENCHMARK --items FILE` writes a line for each item, with its id.",
    "E410": "precomputed:DIR needs a folder with .npz, .safetensors, parquet, or .npy files (with NAME.ids.txt).",
    "E411": "The cache file was locked by another process for longer than crossgauge waits.",
    "E412": "What stands behind the colon of a model's name is not what that model takes.",
    "E413": "A plug-in made an object that lacks parts of crossgauge.types.Encoder.",
    "E414": "A data file of an embedded model is not there: the installation is incomplete.",
    "E420": "Stopped on request between two batches. Every finished vector is in the cache; the same command "
    "goes on from there.",
    "W401": "Vectors in the cache were damaged (their checksum is wrong). They were set aside and computed again.",
    "W402": "A cache file was damaged. It was renamed, and its vectors are computed again.",
    "W410": "Vectors that are zero or not finite: counted as misses, as asked for (--on-nonfinite miss). Said once of "
    "each item, however many cells it stands in.",
    "E140": "An option of `rank` has a value that does not exist.",
    "E141": "A measure was asked for with a cutoff that is not a whole number from 1 (hit@1, ndcg@10), "
    "or without the one it needs, or with one it does not take.",
    "E142": "Ids that name rows in messages must be a list with one id for each row.",
    "E143": "Measures are asked for by name: a list such as ['hit@1', 'medr'], or one name.",
    "E144": "`measure` takes what `rank` or `rank_matrix` returned.",
    "E145": "Clusters are one label for each query: queries with the same label are resampled together.",
    "E146": "The bootstrap takes a seed from 0 and at least one resample, both whole numbers.",
    "E440": "Vectors must be a matrix of numbers, one row an item, all of one length: float16, bfloat16, float32, float64 "
    "or integers up to 2**53, the largest that float64 holds exactly. Masked arrays are refused: nothing says "
    "what stands where the mask is.",
    "E449": "A side without a row: there is nothing to rank, and every number would be undefined.",
    "E441": "Queries and corpus have different numbers of dimensions: they come from different models or layers.",
    "E442": "A vector or score holds NaN or infinity, usually from a failed or overflowing encoding. Encode the item "
    "again; --on-nonfinite miss counts it as a miss instead, and says so.",
    "E443": "A vector of norm 0 has no direction, so cosine is undefined. Zeros often stand for items that failed to "
    "encode. --on-nonfinite miss counts them as misses. A norm below 1e-144 is not 0, but its square is below what "
    "float64 holds, so the direction is lost: scale the vectors.",
    "E444": "The numbers of a vector are so large that float64 sums would overflow.",
    "E445": "Relevance does not fit: what are no row numbers (masks, fractions, text), rows outside the corpus, rows "
    "twice, gains that are no numbers, or another number of queries. Each query has a list of corpus rows, or a "
    "mapping from corpus row to gain (0 or less: judged, not relevant). Without relevance, query i wants corpus row i and both sides must be equally long.",
    "E446": "Candidates do not fit: rows outside the corpus, a row twice, or another number of queries.",
    "E447": "A relevant item is not among the candidates of its query, so it could never be found.",
    "E448": "A list of scored items is malformed: items and scores differ in number, an item is listed twice or does "
    "not exist.",
    "E120": "A language code that means no language. Codes are BCP-47 (de, pt-BR, zh-Hans); legacy and "
    "field spellings (jp, iw, zh_CN, eng-Latn) are read as what they mean. Use und where the "
    "language is not known.",
    "E121": "Text files must be UTF-8 (a byte-order mark is fine). The byte and its column are named.",
    "E122": "A line of a JSON-lines file, or a JSON file, is not what it must be: one object a line, no "
    "trailing comma.",
    "E123": "A table lacks a column, names one twice, or has a row with more or fewer cells than its "
    "header. In CSV, texts that hold commas or line breaks must stand in double quotes.",
    "E124": "Nothing to measure was found: the folder, the split or the subset holds no picture.",
    "E125": "A table names a picture that is not there. Where a benchmark has the option, --set "
    "missing=skip leaves such pictures out and says how many; numbers are then of fewer "
    "pictures than were declared.",
    "E126": "Two different things have the same id. Ids are opaque and must tell pictures (or concepts) "
    "apart.",
    "E127": "A text that says nothing cannot be ranked: empty, white space, a NUL character, or not a "
    "text at all.",
    "E128": "File names in tables are relative to the table and must stay in its folder: no .. and no "
    "absolute path.",
    "E129": "An id or file name is missing or is neither text nor a whole number.",
    "E130": "The option split names a split that no row has.",
    "E131": "The data folder is not there, or does not look as the benchmark needs it.",
    "E132": "These data do not have this task in this language. `crossgauge check` lists what there is.",
    "E133": "A folder of pictures belongs to a concept that the table of concepts does not know.",
    "E134": "A Parquet file could not be read, or holds pictures as bytes: save the pictures as files, "
    "with a metadata table that names them.",
    "E135": "One picture is said to be of two classes.",
    "E136": "Some classes have no name. Each needs one in every language, or accuracies of languages do "
    "not compare.",
    "E137": "Concepts are known by a number only, so there is no name to recognise: concepts.csv says which name "
    "an id has. Folders alone are enough only where they bear the names themselves.",
    "E138": "A table or text file cannot be read: it is not there, a folder, a pipe, or not permitted.",
    "E150": "Queries and corpus have vectors of different sizes, so they cannot be compared. Same "
    "model, same layer?",
    "E151": "Vectors of norm 0 have no direction: cosine is undefined. They often stand for items that "
    "failed.",
    "E152": "Vectors hold NaN or infinity. --on-nonfinite miss counts such items as misses.",
    "W120": "A language code in another spelling than BCP-47 was read as what it means.",
    "W121": "The same text stands in the data in two Unicode forms (NFC, NFD). It was counted as one text.",
    "W122": "A text is usable but strange: control characters, invisible direction marks, U+FFFD, "
    "combining marks only, a line break. It is encoded as it stands (NFC, stripped).",
    "W123": "Several pictures have the same text. It is one text with several right answers, never a "
    "wrong one.",
    "W124": "Several classes have the same name. They tie exactly whatever the model, so accuracy "
    "cannot reach 1; the expectation over the tie is printed.",
    "W125": "The same text was said twice of one picture. It was counted once.",
    "W126": "Pictures that are not there were left out because of missing=skip. The gallery is smaller "
    "than declared.",
    "W127": "Concepts have no category, or a text that is none. They are counted as uncategorised.",
    "W128": "Concepts have no description: their pictures are no queries of image→text, but compete in "
    "text→image.",
    "W129": "A concept has several names or descriptions.",
    "W130": "Concepts have no picture here. With labels=all their names and descriptions still compete.",
    "W131": "Texts of different classes are equal. They stay apart and tie exactly.",
    "W132": "Texts without one letter of the script their language is written in: another language, or "
    "a wrong code?",
    "W133": "Files with the same bytes under different ids: they tie in every ranking.",
    "W134": "A cut-off k is not smaller than the gallery, so the measure is 1 by definition.",
    "W135": "Texts whose every word carries a mark such as /n: part-of-speech tags left in.",
    "W136": "Pictures with neither a text nor a class are in no task. Is a column misspelt, or a value empty?",
    "W137": "A table has columns that nobody reads. Harmless for notes of yours; a misspelt name loses its column.",
    "W138": "Rows say no split, or one that is spelt nearly like the chosen one. They are left out.",
    "W139": "One folder holds several metadata tables. All are read, so an old copy adds its rows to the new ones.",
    "W140": "Picture files lie where no class or concept claims them: beside the folders, or one folder too deep.",
    "W141": "Pictures are numbered, and numbers are missing between them: some may not have been copied.",
    "W142": "Folders that should be classes hold no picture. They are no candidates.",
    "W150": "Vectors are equal. Equal items should be; if all are, the model has collapsed or one row "
    "was repeated.",
    "W151": "All vectors of a side point nearly the same way: collapsed, or not centred.",
    "W152": "The same ids stand among queries and corpus. If an item must not find itself, exclude it by id.",
    "E210": "A file is missing, empty, not a regular file, or holds no rows; or a numbered part of a "
    "folder is missing. Nothing was scored.",
    "E211": "The first bytes of a file show another format than its name, or one that is not read here. "
    "The name must say what is inside: rename the file, or convert it.",
    "E212": "The file is a pickle (also inside .npy object arrays and PyTorch checkpoints). A pickle is a"
    " program that runs when it is loaded, so it is never loaded here. Where you trust it, load "
    "it yourself and save plain arrays: np.save, np.savez, safetensors or parquet.",
    "E213": "The file is damaged: cut off in a copy, or its header claims something that its bytes do not"
    " hold. Nothing was allocated on the header's word. Write the file again.",
    "E214": "Judgements or a run name ids that are not among the queries or the corpus. Ids are opaque "
    "text: `7` is not `0007`, blanks and file extensions count. The fix says what all of them "
    "have in common where there is such a thing.",
    "E215": "The ids and the vectors differ in number, so no row can be trusted. Write both in one step; "
    "when items are skipped, drop them from both.",
    "E216": "An id stands twice on one side. Ids tell items apart: which of the two is meant could not be"
    " known.",
    "E217": "Vectors must be one array with two dimensions, items × features, not empty, every row of one"
    " length.",
    "E218": "The type of the numbers is no vector type. float16 and bfloat16 become float32, integers "
    "float64, float64 stays; complex, text, dates, float8 and integers beyond 2**53 are refused "
    "because they could not be ranked without guessing or rounding.",
    "E219": "The file would unpack to far more than it holds, or is larger than is ever read into memory."
    " Save large vectors as .npy: it is mapped, not read.",
    "E220": "An id is empty, or is not text (whole numbers are taken as text in decimal).",
    "E221": "It is not clear which array, column or folder is meant, or there is none. Name the vectors "
    "`vectors` and the ids `ids` (or `id`), and keep each side in a file of its own.",
    "E222": "The text is not UTF-8, holds a control character such as NUL, or a line longer than 64 KiB. "
    "Save it as UTF-8; lines end with LF or CR LF.",
    "E223": "A run lists the same item twice for a query. Counting it twice would inflate recall. Remove "
    "one, or keep the best score with --dedupe max.",
    "E224": "A line has another number of fields than its format. TREC separates by blanks; use tabs "
    "where ids hold blanks.",
    "E225": "A score, rank or judgement is not a finite decimal number in ASCII digits: nan, inf, 1_000, "
    "1,5 and digits of other scripts are refused.",
    "E226": "Two judgements of one (query, item) pair differ. Which is right cannot be known: keep one.",
    "E227": "The JSON is not strict (a syntax error, NaN or infinity, a key twice in an object, too deep "
    'a nesting) or of another shape. Judgements are {"query": {"item": 1}} or {"query": '
    '["item"]}; runs are {"query": {"item": 0.5}}.',
    "E229": "No judgements were given and none can be assumed: row i matches row i only where the counts "
    "are equal, and equal ids match only where all are equal. Pass --qrels.",
    "E230": "A matrix of scores has one row a query and one column a corpus item; the ids given do not "
    "fit it.",
    "E231": "No judgement above zero: no query has a relevant item, so nothing can be measured.",
    "E232": "TREC files separate fields by blanks, so ids and tags with blanks (and empty ones) cannot be"
    " written. Export JSON, or rename the items.",
    "E250": "The first line of a table names columns, but not one of queries, one of items and one of numbers by "
    "names that are known: query-id, corpus-id, score and their like. Which column is which is never guessed.",
    "E251": "No query of a run is judged, so every number would be of misses alone: almost surely run and "
    "judgements are of different data, or write their ids differently.",
    "E252": "A function was given something of a kind that it does not take. Vectors are Embeddings, an array or a "
    "path; judgements and runs are dicts of dicts, a path, or what their reader returned.",
    "E233": "Directions are q2c (query→corpus) and c2q (corpus→query).",
    "W210": "The same judgement stands more than once with the same value. It counts once.",
    "W211": "With --dedupe max, an item that stands twice for a query keeps its best score.",
    "W212": "The rank column of a run puts a lower score before a higher one. Scores decide; ranks are "
    "only checked. If every score rises with its rank they are probably distances: negate them.",
    "W213": "No judgements were given, so row i of the queries was taken to match row i of the corpus. "
    "Pass --qrels if that is not so.",
    "W214": "No judgements were given and both sides have the same ids, so equal ids were taken to match,"
    " whatever the order of the rows.",
    "W216": "A byte order mark or CR LF line ends were dropped from a text file; ids do not hold them.",
    "W222": "Judgements of zero or less mean judged and not relevant. They make no item relevant and "
    "count nowhere else.",
    "W224": "A run holds queries that nobody judged. They are left out: only judged or declared queries "
    "count.",
    "W225": "A run does not say how large the corpus is. The items named by run and judgements stand for "
    "it, so chance is too high and the gallery too small. Pass --corpus-ids.",
}
