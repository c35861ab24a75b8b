/* The kernels of ranks.c against its definition, without Python: for processors that only an emulator has.
 *
 *     aarch64-linux-gnu-gcc -std=c11 -O3 -ffp-contract=off -D_POSIX_C_SOURCE=200112L -static \
 *         -o ranks_alone scripts/ranks_alone.c -lm && qemu-aarch64 ./ranks_alone
 *
 * Says which instruction set it ran; exits 1 at the first count that differs.
 */
#include "../src/crossgauge/ranking/_native/ranks.c"

#include <stdio.h>

enum { QUERIES = 23, COLUMNS = 150, DEEPEST = 600, FIRST = 3, WANTED = 2 };
static float queries[QUERIES * DEEPEST], corpus[COLUMNS * DEEPEST];
static uint64_t state = 1;

static float uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(state >> 40) / (1 << 23) - 1;
}

static double defined(int64_t q, int64_t c, int64_t d)
{
    double sum = 0;
    for (int64_t k = 0; k < d; k++)
        sum += (double)queries[q * d + k] * (double)corpus[c * d + k];
    return sum;
}

/* Rows a little apart, some of them equal, all with a common part: what ties, bands and centres are for. */
static void draw(int64_t d)
{
    for (int64_t i = 0; i < COLUMNS * d; i++)
        corpus[i] = 0.3f + uniform();
    for (int64_t i = 0; i < 30 * d; i++)
        corpus[(COLUMNS - 30) * d + i] = corpus[i] + (i / d % 3 ? 1e-6f * uniform() : 0);
    for (int64_t i = 0; i < QUERIES * d; i++)
        queries[i] = 0.2f + corpus[i] + 0.5f * uniform();
}

static int differs(int level, int64_t d)
{
    static double query_length[QUERIES], corpus_length[COLUMNS], score[QUERIES * WANTED], top_score[QUERIES * FIRST];
    static int64_t row[COLUMNS], start[QUERIES + 1], own[QUERIES * WANTED], which[QUERIES], top[QUERIES * FIRST];
    static int64_t higher[QUERIES * WANTED], equal[QUERIES * WANTED];
    static float query_centre[DEEPEST], corpus_centre[DEEPEST];
    const int kernel = crossgauge_kernel(level, crossgauge_set());
    const int64_t wide = crossgauge_panel_columns(kernel), panels = ceil_to(COLUMNS, wide) / wide;
    uint32_t *words = calloc((size_t)(panels * wide * crossgauge_words(kernel, d)), sizeof *words);
    float *inverse = calloc((size_t)(panels * wide), sizeof *inverse), *offset = calloc((size_t)(panels * wide), sizeof *offset);
    fit *worst = calloc((size_t)panels, sizeof *worst);
    memset(higher, 0, sizeof higher), memset(equal, 0, sizeof equal);
    for (int64_t k = 0; k < d; k++)
        query_centre[k] = level == INT8 ? 0.5f : 0, corpus_centre[k] = level == INT8 ? 0.3f : 0;
    for (int64_t c = 0; c < COLUMNS; c++)
        row[c] = c, corpus_length[c] = 0;
    for (int64_t c = 0; c < COLUMNS; c++) {
        for (int64_t k = 0; k < d; k++)
            corpus_length[c] += (double)corpus[c * d + k] * corpus[c * d + k];
        corpus_length[c] = sqrt(corpus_length[c]) * (1 + 0x1p-30);
    }
    for (int64_t q = 0; q < QUERIES; q++) {
        which[q] = q, start[q + 1] = (q + 1) * WANTED, query_length[q] = 0;
        for (int64_t k = 0; k < d; k++)
            query_length[q] += (double)queries[q * d + k] * queries[q * d + k];
        query_length[q] = sqrt(query_length[q]) * (1 + 0x1p-30);
        for (int64_t w = 0; w < WANTED; w++)
            own[q * WANTED + w] = (q + 40 * w) % COLUMNS, score[q * WANTED + w] = defined(q, own[q * WANTED + w], d);
        for (int64_t k = 0; k < FIRST; k++)
            top[q * FIRST + k] = -1, top_score[q * FIRST + k] = -INFINITY;
    }
    job j = {.kernel = kernel, .dimensions = d, .corpus = corpus, .corpus_stride = d, .columns = COLUMNS, .row = row,
             .corpus_length = corpus_length, .panels = words, .inverse = inverse, .offset = level == INT8 ? offset : NULL,
             .query_centre = query_centre, .corpus_centre = corpus_centre, .query_length = query_length, .start = start,
             .score = score, .own = own, .higher = higher, .equal = equal, .k = FIRST, .top_column = top,
             .top_score = top_score, .every = 1};
    crossgauge_panels(&j, 0, panels, words, inverse, level == INT8 ? offset : NULL, worst);
    for (int64_t p = 0; p < panels; p++) {
        j.worst.gap = fmaxf(j.worst.gap, worst[p].gap), j.worst.norm = fmaxf(j.worst.norm, worst[p].norm);
        j.worst.offset = fmaxf(j.worst.offset, worst[p].offset), j.worst.reach = fmaxf(j.worst.reach, worst[p].reach);
    }
    int wrong = !crossgauge_count(&j, queries, d, 0, which, QUERIES);
    for (int64_t l = 0; l < QUERIES * WANTED; l++) {
        int64_t above = 0, same = 0;
        for (int64_t c = 0; c < COLUMNS; c++) {
            double other = defined(l / WANTED, c, d);
            above += other > score[l], same += other == score[l];
        }
        wrong |= above != higher[l] || same != equal[l];
    }
    for (int64_t q = 0; q < QUERIES; q++)
        for (int64_t k = 0; k < FIRST; k++) { /* as many before it as its place says, equal ones by their number */
            int64_t before = 0, at = top[q * FIRST + k];
            double here = at < 0 ? NAN : defined(q, at, d);
            for (int64_t c = 0; c < COLUMNS; c++) {
                double other = defined(q, c, d);
                before += other > here || (other == here && c < at);
            }
            wrong |= at < 0 || before != k || here != top_score[q * FIRST + k];
        }
    free(words), free(inverse), free(offset), free(worst);
    return wrong;
}

int main(void)
{
    static const int64_t dimensions[] = {1, 3, 4, 15, 16, 17, 63, 64, 100, 511, 512, 600};
    printf("instruction set %d\n", crossgauge_set());
    for (int level = FLOAT32; level <= INT8; level++)
        for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
            draw(dimensions[i]);
            if (differs(level, dimensions[i])) {
                printf("level %d, %lld dimensions: wrong\n", level, (long long)dimensions[i]);
                return 1;
            }
        }
    printf("every count is the definition's\n");
    return 0;
}
