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
    "E109": "--set names something that a concept study does not have: settings of the measures, or choices of how "
    "annotations are read.",
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
    "E256": "A table of pairs has a row for each retrieved picture: the query, its right picture and the one that was "
    "retrieved. A query has one truth.",
    "E257": "--concepts dataset takes the annotations that come with a benchmark's data (vg-coco). Others need a file "
    "of annotations, or a classifier's guesses (predicted:5).",
    "E258": "No query has annotations for both its right and its retrieved picture, so nothing can be compared. "
    "Pictures are found by id, or by the name of their file with or without its ending.",
    "E255": "The predictions hold nothing for any cell of this benchmark, so there is nothing to measure.",
    "E253": "The vectors' file holds ids and a list of other ids was given too (or the same in another order). Following either "
    "would be a guess, and a wrong one gives wrong numbers.",
    "E260": "What was given is neither a folder nor a zip: missing, cut off, a pipe, or another kind of archive. The content "
    "decides, not the name.",
    "E261": "A folder or zip holds more files, or more bytes, than any that is meant to be read here. Nothing of it was read.",
    "E262": "A zip that would unpack to far more than it is: members that share bytes, or a size more than 200 times that of "
    "the packed file. Send the folder itself, or pack it again.",
    "E263": "A name in a folder or zip leads out of it (.., /, C:), holds a backslash or characters that cannot be seen, or is "
    "longer than 1,024 bytes. Nothing of it was read.",
    "E264": "A folder or zip holds a link that leaves it, a link to a folder or to nothing, a device or a pipe.",
    "E265": "Two files of a folder or zip have names that are one where upper and lower case, or two ways to write an accent, do "
    "not differ: on another system one would replace the other.",
    "E266": "A member of a zip is encrypted, or compressed in another way than stored or deflated.",
    "E267": "An archive lies inside the folder or zip. Archives in archives are not opened: unpack it there.",
    "E268": "A file of a folder or zip is damaged: its checksum, size or header is wrong, or it changed while it was read.",
    "W260": "Files that no submission means were left out: hidden ones, __MACOSX, Thumbs.db, desktop.ini. Or the names of a zip "
    "were in another encoding than it says.",
    "E270": "A concept was asked for that the hierarchy does not have. Names must match exactly (dog.n.01); `resolve` finds the "
    "concept of a plain word.",
    "E271": "The file of a hierarchy cannot be read: missing, empty, no regular file, not UTF-8, or far larger or deeper than any "
    "hierarchy of concepts.",
    "E272": "Rows of a hierarchy's table that cannot be right. It has the columns child,parent or child,parent,words: one row for "
    "each parent of a concept; the parent of a root may be left empty, and words are separated by |.",
    "E273": "A hierarchy goes in a circle: following the parents of a concept leads back to it, so nothing can be said about what "
    "lies above what. The circle is shown; one of its rows is wrong.",
    "E274": "A hierarchy, a part of speech or a kind of similarity was named that there is not.",
    "W270": "The same child and parent stand in several rows of a hierarchy; once is enough.",
    "W271": "Several concepts of a hierarchy have nothing above them. Concepts under different roots have no similarity; often one "
    "is a misspelt parent.",
    "W272": "A word is given for several concepts of a hierarchy; where it is resolved, the first concept is taken.",
    "E280": "Truths, retrieved scenes and queries go together one by one, and one of them ended before the others. The "
    "place says which goes on. A query without an answer keeps its place: give None for it.",
    "E281": "Concept measures take scenes: a truth is a Scene, what was retrieved a Scene, several, or None for no answer, a "
    "query text. The hierarchy is an object such as WordNet() or a table {(concept, concept): similarity}.",
    "E282": "With sd_area=image the area of a box is a share of its picture, and this picture's width or height is not known. "
    "Give both for every picture with boxes, or take sd_area=pixels.",
    "E283": "A setting of the concept measures has a value that does not exist. Every setting with its values stands at "
    "ConceptSettings.",
    "E284": "The query-informed variants judge only concepts that the query mentions, so they need the queries.",
    "E285": "A hierarchy gave similarities of another shape than asked, negative or infinite ones. A matching of greatest "
    "weight needs finite numbers from 0; NaN says that two concepts have none.",
    "E286": "Scenes hold concepts that the hierarchy does not: they were annotated with another hierarchy, or another "
    "version of it. Leaving them out would raise CA and NCS without a word.",
    "E287": "An annotated thing stands for fewer than one instance, or its box has a side that is negative, infinite or not a "
    "number. Boxes without area are allowed; boxes that are not known are None.",
    "E301": "A run folder is bound to its experiment: data, model revision, prompts, options, cells and version. "
    "Something of these changed, so going on would mix two experiments. Start a new run with another --out, or "
    "restore what changed. Vectors that are still valid come from the cache, so a new run is cheap.",
    "E302": "The output folder holds files that are not a run of crossgauge. Nothing is ever overwritten: give another.",
    "E306": "A submission or result files are written into a new or empty folder only: nothing is ever overwritten.",
    "E307": "A concept study (`concepts.json`) was cut off, edited, or written by another version. Make it again.",
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
    "W258": "Queries whose right or retrieved picture has no annotation are left out of a concept study.",
    "W259": "Concepts that a classifier guessed are not what people see: they tell where a model's pictures look alike "
    "to another model, and have neither counts nor sizes.",
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
    "E350": "MMMEB has the formats plain, punct and newline, and the modes and ways of prompting that its options list.",
    "E351": "A folder of MMMEB or MMEB holds no file that is recognised. `crossgauge list benchmarks` shows the names.",
    "E352": "Two files hold the same task in the same language (MMMEB), or one data set (MMEB). Which one counts cannot be known.",
    "E353": "A file of MMMEB has no row with a query, or no table of MMEB has a row.",
    "E354": "A row names a picture that is not there. Each such picture is told once, with the first row that names it.",
    "E355": "A row of MMMEB or MMEB lacks what its task needs, or holds it in another shape: query, list of candidates, texts that "
    "say something.",
    "E356": "The name of a picture leads out of the data folder, or is no name.",
    "E357": "With --set gold=FIELD, every row must say in that field which of its candidates is right: its number from 0, or the "
    "candidate itself as it is written.",
    "E358": "No result file of MMMEB was found: {dataset}_{task}_{lang}.jsonl or {dataset}_{task}_{lang}_{style}.jsonl, in the folder "
    "itself or in the only folder in it that has some.",
    "E359": "A row of an MMMEB result file is not the answer to the row of the data in its place: another label, predictions that are "
    "no candidates of it, or another number of rows. Rows stand in the order of the data, without those whose query is null.",
    "E360": "A run cannot be written as MMMEB result files: it is of another benchmark, of other data, or has no per-query tables.",
    "W350": "Rows of MMMEB whose query text is null ask nothing. They are no declared queries; how many there are is told.",
    "W351": "A file lies among MMMEB's whose name says a data set, task or language that the benchmark does not have. It is not read.",
    "W352": "MMMEB has no grounding prompt in this language (the published templates are empty there and the scripts stop), so the "
    "file is left out.",
    "W353": "Files of MMMEB that were expected are not there. The files present are measured; averages need every task.",
    "W354": "Rows name a candidate twice. Equal candidates are one item; one that equals the right candidate is right.",
    "W355": "The p_1 stored in a result file is not what the order of its predictions gives. The order is scored.",
    "W356": "A file lies among MMMEB's results whose name says no task, language and format of the benchmark, or of which the data have "
    "no file. It is not read.",
    "W357": "Result files name no format. They count as the one asked for, plain by default.",
    "W358": "Predictions list fewer candidates than their rows have. What is not listed is not retrieved.",
    "E370": "An annotation file is cut off, larger than 1 GiB, or an entry of it is not shaped as the benchmark needs it.",
    "E371": "Two files hold captions in one language. Which one is meant cannot be known.",
    "E372": "A line of a Karpathy text file must be name.jpg,caption: the first .jpg, ends the name.",
    "E373": "Line n of every caption file is the caption of picture n. A file with more or fewer lines than there are "
    "names would put captions on wrong pictures, so none of it is used.",
    "E374": "Class names and classes cannot be put side by side: their numbers differ, between names and classes or between "
    "two languages.",
    "E375": "A template holds the place of the class name, {} or {c}, exactly once.",
    "E376": "A class has no name: folders called by WordNet ids (n01440764) need a file of class names.",
    "E378": "A profile scores vectors or a matrix of scores, and was given neither.",
    "E330": "A layer file of Recipe1M is one JSON list of objects. This one begins or ends otherwise, is cut off, or "
    "has something between two elements that does not belong there; or it has too many faults to read on. The "
    "byte is given.",
    "E331": "An element of a layer file is not an object with the fields that file has, or a field is of another "
    "type. The JSON path and the byte of the element are given.",
    "E332": "A recipe stands twice in a layer file, or has an empty id.",
    "E333": "The pictures of Recipe1M lie in four folders named after the first four characters of their id, so an id "
    "needs four letters or digits there, and may hold no slash.",
    "E334": "A pair lacks its picture or its text. It is never replaced by a white or black picture, as official code "
    "does. --set missing=skip leaves such pairs out and says which.",
    "E335": "The text of a recipe is made of title, ingredients and instructions, joined by +, each once.",
    "E336": "A list of recipe ids names some that layer1.json does not have or that belong to another partition, or "
    "it is no list of ids.",
    "E337": "No recipe is left as a pair: the partition, the filter or the list of ids leaves none.",
    "E338": "A layer file of Recipe1M that is needed here is not there, or both layer2.json and layer2+.json are.",
    "E339": "courses.csv or dishes.csv gives each recipe id one label; it is needed only for choices among recipes of "
    "the same course or dish.",
    "E340": "A pickle asks to run a function, or to make an object, that is no plain data. Files of arrays never need "
    "that; it is refused by name and nothing is run.",
    "E341": "A pickle is cut off or damaged, or holds something that NumPy does not write.",
    "E342": "A pickle goes beyond what is read of one: its size, number of opcodes, depth of lists, or the same bytes "
    "made again and again.",
    "E343": "An array in a pickle is of Python objects or records, or its bytes do not fit the shape it claims. Only "
    "arrays of numbers and of text are read.",
    "E344": "A dump of embeddings lacks a file, or holds other things than vectors of both sides and ids.",
    "E345": "The two sides of a dump do not belong together row by row: counts differ, or both list the same ids in "
    "another order or with others between.",
    "W330": "There are no more pairs than one draw takes, so there is one draw of all of them. A smaller gallery is "
    "easier: the number is not that of the published protocol.",
    "W331": "Without remove1M.txt the recipes whose text or pictures stand in two partitions stay, which the official "
    "filter leaves out.",
    "W332": "Without vocab.txt every detected ingredient counts towards the limit of the filter; the official one "
    "counts those that word2vec knows.",
    "W333": "Pairs without their picture or text were left out, as asked for (missing=skip). The result is of fewer "
    "pairs than were declared.",
    "W334": "The vectors of a dump are not of length 1. Cosine does not depend on it, but official scorers that take "
    "plain dot products do.",
    "W335": "layer2.json has recipes that layer1.json does not; the official loader passes over them too.",
    "W336": "A choice among ten is a far easier question than retrieval among a thousand; it is there to stand beside "
    "the human study only.",
    "W337": "The dump holds no ids, so its rows are numbered and every draw depends on their order. Give the ids with "
    "--ids where there are any.",
    "W339": "Blocks of consecutive rows: there are not as many whole ones as draws asked for.",
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
    "E180": "--perturb names an intervention that there is not, or --seed and the --color-… options stand without it. "
    "`crossgauge perturb --help` lists the interventions with what they do.",
    "E181": "--seed decides what an intervention draws where it has a choice. It is a whole number from 0; the same seed "
    "gives the same texts.",
    "E182": "--color-threshold is the distance in red, green and blue (0 to 255 each, Euclidean) that a new colour must "
    "exceed, from 0 to below 441.7; --color-table is css4 or xkcd.",
    "E183": "`crossgauge perturb` shows what an intervention makes of texts: give texts, or --file with one text a line "
    "in UTF-8.",
    "E184": "Interventions change texts, and this model takes vectors that were made before, by item id. It would answer "
    "changed queries with the vectors of the unchanged ones, and every difference would be 0.",
    "E185": "Interventions change the words of a query. Nothing in this run asks in words: its queries are pictures, or "
    "its texts are written and not searched with.",
    "E190": "A table of ratings, of automatic measures or of pairs lacks a column, or two of its columns mean the same thing. "
    "The how-to on human ratings lists the names that are understood; which of two is meant is never guessed.",
    "E191": "A row of ratings, measures or pairs does not say which query, picture or rater it is of, or has no score.",
    "E192": "A score, measure, similarity or rank is no finite number in plain decimals: text, 7,5 or nan. A measure without "
    "a value may be empty or nan.",
    "E193": "A rating lies outside its scale, 0 to 10 unless --scale says otherwise.",
    "E194": "A rater rated one picture for one query twice, or a table of measures has a pair twice. Which of the two counts "
    "cannot be known.",
    "E195": "The classes of a rating are not on the list that --classes gives, or no names at all.",
    "E196": "There are no automatic measures where they were looked for: a folder without per_query.parquet, a table without a "
    "column of numbers; or a run has several cells and --cell must choose one.",
    "E197": "A table of measures names queries but no pictures, and several pictures were rated for one query.",
    "E198": "Ratings and the measures (or pairs) beside them have no pair in common: queries or pictures are named differently.",
    "E199": "No pair has both its pictures among the annotated ones: pictures are named differently.",
    "W190": "Ratings call an answer valid although not the gold, and mark a disagreement too. Both are counted.",
    "W191": "Rated pairs of which the automatic measures say nothing. They are in no correlation.",
    "W160": "The name says another picture format than the content. The content counts.",
    "E390": "A row of GEM names a picture or video that is not there: looked for by name beside the table and above it, and "
    "by id, with any extension, in images/ or videos/. Nothing is ever downloaded. --set missing=skip leaves such rows "
    "out; --set media=none needs no files, for scoring predictions.",
    "E391": "The folder does not look like GEM: it holds GEM-I or GEM-V (in any spelling), or is one of them, with tables "
    "whose paths say language and split. The layout of GEM's own archives was never published.",
    "E392": "No table of GEM is of the chosen split. The answers of test were held back by its makers; where only dev is "
    "there, choose it with --set split=dev. Another split is never taken silently.",
    "E393": "A table of GEM has no column of queries. Columns are found by their names; for a file without a header say "
    "them by position: --set columns=query,image_id,title. A test split without answers cannot be scored here.",
    "E394": "A row of GEM has an empty title although its table has titles. Every task must have the same rows, so "
    "--set missing=skip leaves the row out of all.",
    "E395": "A query id stands twice in a language of GEM. Prediction files name queries by id, so which of the two is "
    "meant could not be known.",
    "E396": "One item id of GEM stands for two files in one language.",
    "E397": "Several files could be meant by one item id of GEM: a.jpg and a.png, say. Remove one.",
    "E398": "--set columns names the columns of GEM's tables by position, separated by commas: query, query_id, image, "
    "image_id, video, video_id, title, id, language, or - for one that is not read.",
    "W390": "Rows of GEM without their file or title were left out because of missing=skip. The gallery is smaller than "
    "declared, so numbers do not compare with published ones.",
    "W391": "GEM data of other sizes than published: languages that are absent, or have fewer or more rows. Means over all "
    "languages need every one of them.",
    "W392": "One picture or video of GEM is the answer to several queries of a language. As in the official scorer each row "
    "is a candidate of its own and only the row's own is right, so copies tie exactly. --set relevance=equal takes any.",
    "W393": "Several rows of GEM have the same query. As in the official scorer each has one right answer, its own. "
    "--set relevance=equal takes the items of all rows with those words.",
    "W394": "A table of GEM whose path does not say language or split. Where no path says a split, all tables are taken as "
    "the chosen one; otherwise such tables are not read.",
    "W396": "A language that this part of GEM does not have. It is measured, and counts in none of GEM's means.",
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
    "E413": "A plug-in (or the attribute that python:MODULE:ATTRIBUTE names) made an object that lacks parts of both "
    "crossgauge.types.Encoder and crossgauge.types.Captioner.",
    "E414": "A data file of an embedded model is not there: the installation is incomplete.",
    "E415": "The address of an endpoint is MODEL@BASE_URL with http:// or https://, without user, password or ?query: names of "
    "models are written down in results, so no secret may stand in them. A key goes into the environment variable "
    "OPENAI_API_KEY.",
    "E416": "python:MODULE:ATTRIBUTE could not be used: the module or the attribute is not there, or it raised something. The "
    "folder where the command runs is searched after the installed packages.",
    "E417": "caption() must return one entry for each item it got: a text, None for no answer, or a CrossgaugeError where the "
    "answer could not be had now.",
    "E418": "caption() of the model raised something for a batch.",
    "E419": "caption:nearest:TRAIN found no picture with a text in TRAIN. A folder is read as the benchmark `folder` reads it; "
    "BENCHMARK=DIR reads the split train of another benchmark's data.",
    "E420": "Stopped on request between two batches. Every finished vector or caption is in the cache; the same command "
    "goes on from there.",
    "E422": "An endpoint did not answer, after all attempts: no connection, no whole answer in time, or a status that asks to come "
    "back (429, 5xx). The other answers are kept; the same command asks only for what is missing.",
    "E423": "An endpoint answered with something that is no answer: no JSON, another form than the documented one, far too much, or "
    "a redirect (never followed, because the key would be sent along). The other answers are kept.",
    "E424": "An endpoint does not take us at all: a wrong or missing key (401), a wrong base URL or model (404, 405). The run stops; "
    "what was answered before is kept.",
    "E425": "Eight questions in a row failed, each after all its attempts, so the run stopped instead of trying the rest. What was "
    "answered before is kept, and the same command goes on.",
    "E426": "An endpoint refused one question with a 4xx status: too large, not allowed, or a setting that it does not know. The other "
    "answers are kept.",
    "W401": "Rows of the cache were damaged (their checksum is wrong). They were set aside and are computed again.",
    "W402": "A cache file was damaged. It was renamed, and its content is computed again.",
    "W410": "Vectors that are zero or not finite: counted as misses, as asked for (--on-nonfinite miss). Said once of "
    "each item, however many cells it stands in.",
    "W411": "An endpoint refused to write about items (its content filter). That is its answer: they count as missing and score 0, "
    "and are not asked for again.",
    "W412": "An endpoint answered with an empty text. Such items count as missing and score 0.",
    "W413": "Answers of an endpoint were cut at max_tokens. They are scored as they are.",
    "W414": "The key in OPENAI_API_KEY goes over plain http to another machine, where anybody on the way can read it.",
    "W415": "caption:nearest was asked about pictures that are among its training pictures, byte for byte: what it wrote about "
    "them is what somebody wrote about them.",
    "E140": "An option of `rank` has a value that does not exist.",
    "E141": "A measure was asked for with a cutoff that is not a whole number from 1 (hit@1, ndcg@10), "
    "or without the one it needs, or with one it does not take.",
    "E142": "Ids that name rows in messages must be a list with one id for each row.",
    "E143": "Measures are asked for by name: a list such as ['hit@1', 'medr'], or one name.",
    "E144": "`measure` takes what `rank` or `rank_matrix` returned.",
    "E145": "Clusters are one label for each query: queries with the same label are resampled together.",
    "E146": "The bootstrap takes a seed from 0 and at least one resample, both whole numbers.",
    "E450": "CROSSGAUGE_TIER names no way to compute ranks. It is for tests and measurements: unset, the fastest way "
    "that this machine has is taken, and all ways give the same ranks.",
    "E451": "CROSSGAUGE_TIER asks for the compiled ranks, but none were compiled when crossgauge was installed: no C "
    "compiler was found, or it failed. Without the variable numpy computes the same ranks, more slowly.",
    "E480": "A file of a submission is in no folder of a GEM task (QI, QIT, IQ, QV, QVT, VQ, TQ, VTQ), or its name does not end in "
    ".prediction. The other files are read all the same.",
    "E481": "A prediction file is not named after a language of GEM. GEM's own codes (zh-s, sr-l, tl) and BCP-47 are read.",
    "E482": "Two files of a submission are of one task and language, perhaps of two splits or of two copies. Neither was taken.",
    "E483": "There is nothing to read: no prediction file, or a file without a line; or a file is larger than any of GEM.",
    "E484": "A line of a prediction file is no UTF-8 text, holds a control character, or is longer than 64 KiB.",
    "E485": "A line of a prediction file has another number of fields than its task: query, item, score for retrieval; item, "
    "caption for captioning. Tabs or commas separate them, the same in the whole file.",
    "E486": "A score is no finite decimal number in ASCII digits. With --on-nonfinite miss, nan and inf count as not listed.",
    "E487": "A query id that the data do not have in this language. Ids are opaque text: 7 is not 007.",
    "E488": "An item id that the data do not have in this language. Candidates are the items of the query's language only.",
    "E489": "A pair of query and item stands twice in a file. Which score is meant cannot be known.",
    "E490": "An item has two captions in a file. Which one is meant cannot be known.",
    "E491": "A file is of a language that its part of GEM, or the truth at hand, does not have.",
    "E492": "A GEM submission is written from a run folder of `crossgauge run gem`, with the rankings of its queries.",
    "E493": "An id holds a tab, a line break, a control character or a quote (or is empty): no line of a prediction file can hold "
    "it so that every reader reads the same.",
    "W480": "Files of a submission were named otherwise than TASK/LANGUAGE.prediction, and read as they were meant.",
    "W481": "Files that are no predictions by their names (notes, licences, logs) were left out.",
    "W482": "A prediction file is not tab-separated text without a header; it says how it was read.",
    "W483": "Queries have no line in a retrieval file. They count as misses: the denominator stays.",
    "W484": "Items have no caption in a file. They score 0: the denominator stays.",
    "W485": "Captions are empty. They score 0.",
    "W486": "A retrieval file does not list every item for every query. What is not listed is not retrieved; GEM's own script "
    "needs every pair.",
    "W487": "Blanks around ids were dropped, because the ids are known only without them.",
    "W488": "A submission lacks languages or tasks. Those of a part in which it takes part make the result partial.",
    "W489": "A prediction file has another number of queries, items or captions than GEM published for the split.",
    "W490": "A score of NaN or infinity, counted as not listed, as asked for (--on-nonfinite miss).",
    "W491": "A run keeps the ten best items of each query, so a submission made from it lists those: the same R@1, R@5 and R@10.",
    "W492": "A right answer ties with others across the last place that a run keeps. Over a random order of all of them its "
    "recall was an expectation; the list cannot tell it.",
    "W493": "Files of one part and language are about different queries or items. They should be of one split.",
    "W494": "A caption held line breaks or control characters, which a line cannot; blanks stand for them.",
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
    "E470": "ROUGE-L has four profiles: multilingual (the default), coco, nlg-eval and google. "
    "The documentation says what each does and does wrong.",
    "E471": "The ROUGE-L profile google keeps only a to z and 0 to 9, so texts in another language lose letters or "
    "everything: identical Chinese texts score 0. Use the profile multilingual.",
    "E472": "ROUGE-L needs one entry of references for each entry of hypotheses, in the same order, and at least one. "
    "A missing answer is None, never left out: it scores 0 and is counted.",
    "E473": "A hypothesis must be a text, or None for a missing answer; a reference a text or a list of texts.",
    "E474": "A reference is missing or empty (or holds only spaces and characters that show nothing). Nothing can be "
    "compared with it, so this is a fault of the data. Mend it or leave the item out on both sides.",
    "E475": "A reference holds letters, but none that the ROUGE-L profile google can read. It would score 0 whatever "
    "the answer is. Use the profile multilingual.",
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
    "W370": "protocol=folds means five folds of 1,000 pictures in the order of the file. This data set makes others.",
    "W371": "Caption lines of different pictures are equal. Each is a query and a candidate of its own, as in published counts; "
    "equal lines tie exactly.",
    "W372": "Several annotation files are there. One is read, and it says which.",
    "W373": "The data set has another size than the published one, so numbers do not compare.",
    "W374": "captions=first-five was asked for, and pictures have fewer than five.",
    "W375": "Templates of one language are equal (translation made them so). Each counts in the mean, so these count more.",
    "W376": "Files of templates or class names that the chosen option templates leaves unread: the built-in templates are English.",
    "W377": "Classes have a name but no picture. They are candidates all the same.",
    "W378": "The right and a wrong candidate of one query are equal: they tie exactly, whatever the model.",
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
    "E290": "A file of annotations, captions or regions is none that can be read here, or is damaged as a whole: cut off, too "
    "large, or not one JSON list (Visual Genome), object (COCO) or line a picture. The content says which format it is.",
    "E291": "A record of annotations does not have the fields or types of its format, or holds a number that JSON does not have "
    "(NaN, Infinity). The JSON path is given, for every object that is wrong.",
    "E292": "A box, a count or the size of a picture that cannot be: some of the four numbers missing, a negative size, a "
    "count below 1, or above 1 where there is one box.",
    "E293": "A picture, annotation, category or caption stands twice. Which of the two is meant cannot be known.",
    "E294": "An object has a synset that the hierarchy does not know, and unknown=error was asked for.",
    "E295": "An annotation of COCO points at an image or a category that its file does not list.",
    "E296": "How annotations are read (names, unknown, boxes) was given a value that does not exist.",
    "E297": "A file of vg-coco is not in the data folder, or its files have no picture in common.",
    "E298": "An id is that of no caption and no picture of vg-coco.",
    "E299": "Predicted concepts are asked for as predicted:K, K being how many of the likeliest classes count for a picture.",
    "W290": "Objects without a concept: they have no synset (or none that the hierarchy knows) and no name was resolved. No "
    "concept measure sees them. names=resolve takes the first sense of their names.",
    "W291": "Objects with several synsets. The first is their concept; the setting synsets=all of the concept measures counts "
    "each.",
    "W292": "Boxes that reach beyond their picture, as far as its size is known. They are kept as annotated; boxes=clip cuts them.",
    "W293": "Objects without a size: without a box they are counted but in no comparison of sizes; a box with an area of zero "
    "is kept.",
    "W294": "Objects with a synset that the hierarchy does not know. They have no concept; unknown=error makes this an error.",
    "W295": "Objects whose synset is a verb, an adjective or an adverb. It is kept: it can be agreed upon, but may have no "
    "nearness to nouns.",
    "W296": "Objects that were merged into another of the same picture, or stand there twice. Each thing counts once.",
    "W297": "Crowd regions of COCO. Nobody counted what is in them: each is one thing, without a box.",
    "W298": "Pictures and captions that are in only one of the two data sets, or that cannot be used, were left out.",
    "W299": "Each caption is a candidate, so places (hit@5, mrr, medr) are counted in captions. The best caption, and so the "
    "picture retrieved and hit@1, is not affected.",
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
