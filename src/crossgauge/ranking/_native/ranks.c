/* Exact ranks: products that are counted in the cache where they are made, and never written to memory.
 *
 * Read from the top: the definition (float64 sums in index order), the grid (rows as small numbers with a
 * measured error), the tiles (products of a few queries and columns, one tile an instruction set), the
 * bound (what a tile proves, and why), the count (in which order, and what becomes of open pairs), the
 * first k, and the functions that Python calls through ctypes. docs/explanation/exact-ranks.md says the
 * same in prose. Nothing here knows of Python or keeps anything between calls.
 *
 * Matrices are rows of float with a stride in floats. Threads may share a job if their queries differ.
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__GNUC__)
#error "GCC or Clang is needed"
#elif defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "float and double must be evaluated as IEEE 754 has them"
#endif
#if defined(CROSSGAUGE_EMULATE) /* tests: every instruction set on any machine, see scripts/check_native */
#include CROSSGAUGE_EMULATE
#define X86 1
#define ARM 1
#define AVX_VNNI_KNOWN 1
#define TARGET(name)
#elif defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#define X86 1
#define ARM 0
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define AVX_VNNI_KNOWN 1
#else
#define AVX_VNNI_KNOWN 0
#endif
#define TARGET(name) __attribute__((target(name)))
#else
#define X86 0
#define AVX_VNNI_KNOWN 0
#if defined(__aarch64__) && (defined(__ARM_FEATURE_DOTPROD) || (defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 8))
#include <arm_neon.h>
#if !defined(__APPLE__)
#include <sys/auxv.h>
#endif
#define ARM 1
#else
#define ARM 0
#endif
#define TARGET(name) __attribute__((target(name)))
#endif
#define AVX2 TARGET("avx2,fma,popcnt")
#define AVX_VNNI TARGET("avxvnni,avx2,fma,popcnt")
#define AVX512 TARGET("avx512f,avx512bw,avx2,fma,popcnt")
#define VNNI TARGET("avx512vnni,avx512f,avx512bw,avx2,fma,popcnt")
#if defined(__clang__)
#define DOT TARGET("dotprod")
#else
#define DOT TARGET("arch=armv8.2-a+dotprod")
#endif
#define INLINE static inline __attribute__((always_inline))
#define PUBLIC __attribute__((visibility("default")))

/* ---- The definition ------------------------------------------------------------------------------------
 *
 * The score of two rows is the sum of their products in float64, in index order. A product of two floats is
 * exact in float64, so it does not matter whether multiplication and addition are fused. Such a sum is a
 * chain of additions that wait for each other: four sums side by side take hardly longer than one.
 */
enum { SIDE = 4 };

static void sums_in_order(const float *const a[SIDE], const float *const b[SIDE], int64_t d, double out[SIDE])
{
    const float *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    const float *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int64_t k = 0; k < d; k++) {
        s0 += (double)a0[k] * (double)b0[k];
        s1 += (double)a1[k] * (double)b1[k];
        s2 += (double)a2[k] * (double)b2[k];
        s3 += (double)a3[k] * (double)b3[k];
    }
    out[0] = s0, out[1] = s1, out[2] = s2, out[3] = s3;
}

/* The same sum in a fast order: off by at most (d + 2) 2^-53 |a| |b|, as any order is, fused or not. `fused`
 * where the processor can: elsewhere fma is a function, and slow. */
INLINE double sum_any_order(const float *a, const float *b, int64_t d, int fused)
{
    double lane[16], total = 0;
    int64_t k = 0;
    for (int i = 0; i < 16; i++)
        lane[i] = 0;
    for (; k + 16 <= d; k += 16)
        for (int i = 0; i < 16; i++)
            lane[i] = fused ? __builtin_fma((double)a[k + i], (double)b[k + i], lane[i])
                            : lane[i] + (double)a[k + i] * (double)b[k + i];
    for (; k < d; k++)
        total += (double)a[k] * (double)b[k];
    _Pragma("GCC unroll 4") for (int half = 8; half; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return total + lane[0];
}

/* And in floats, 32 sums side by side: no product goes through more than d / 32 + 33 additions (itself, its lane,
 * the halving; or the rest), so it is off by at most short_terms(d) 2^-24 |a| |b|, and by underflow. */
INLINE double short_terms(int64_t d) { return (double)(d / 32 + 36); }
INLINE float short_sum_any_order(const float *a, const float *b, int64_t d, int fused)
{
    float lane[32], total = 0;
    int64_t k = d < 32 ? 0 : 32;
    if (d < 32)
        memset(lane, 0, sizeof lane);
    else
        for (int i = 0; i < 32; i++)
            lane[i] = a[i] * b[i];
    for (; k + 32 <= d; k += 32)
        for (int i = 0; i < 32; i++)
            lane[i] = fused ? __builtin_fmaf(a[k + i], b[k + i], lane[i]) : lane[i] + a[k + i] * b[k + i];
    for (; k < d; k++)
        total += a[k] * b[k];
    _Pragma("GCC unroll 5") for (int half = 16; half; half /= 2)
        for (int i = 0; i < half; i++)
            lane[i] += lane[i + half];
    return total + lane[0];
}

/* ---- The grid ------------------------------------------------------------------------------------------
 *
 * A row x becomes u = (x - centre) * inverse, and u becomes numbers z that a tile multiplies fast:
 *
 *   FLOAT32  floats,                            |u| about 1,      centre 0
 *   INT16    whole numbers, each within +-2^15, |u| about 46300,  centre 0
 *   INT8     whole numbers, each within +-127,  |u_k| up to 126,  centre near the mean of its side
 *            (within +-63 and up to 62 where the tile asks for it)
 *
 * `inverse` is a float and the scale of the row is *defined* as 1 / inverse, so the scale has no rounding.
 * What the row loses is measured: gap >= |u - z| and norm >= |z| (Euclidean lengths).
 *
 *   Let u' be the u that floats give. u' - z is exact (z is the nearest whole number to u'). Sums of d
 *   squares, in 16 lanes of floats, are off by less than 2^-9 of themselves for d <= D_MOST. u' differs
 *   from u by a rounding of the difference and one of the product: less than 2^-22 |u|; what underflows,
 *   even if the processor takes subnormal numbers for 0, is below 2^-60 in all, as inverse < 2^56.
 *
 * A row too long or too short for this (or of length 0) gets inverse = NaN. Comparisons with NaN are false
 * and false means "open", so such rows cost time and never a wrong count.
 *
 * No overflow: INT16 aims at |u| = 46300 - sqrt(d) / 2, so |z| <= |u| + gap < 46301, and every partial sum of a
 * product is below 46301^2 < 2^31 (Cauchy-Schwarz); a row of which a number would not fit 16 bits is made
 * shorter. INT8 sums d products of 255 and 127, and d <= D_MOST keeps them below 2^31.
 */
enum level { FLOAT32, INT16, INT8 };
enum { D_MOST = 1 << 15 };
static const int per_word[] = {1, 2, 4}; /* numbers in the 32 bits that a tile takes of a row at a time */
#define LONGEST 0x1p40f
#define SHORTEST 0x1p-40f

typedef struct { float inverse, gap, norm; int32_t sum; } grid;

static int64_t ceil_to(int64_t n, int64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/* The largest size of a number in x - centre, or in x. */
INLINE float largest(const float *x, const float *centre, int64_t d)
{
    float lane[16] = {0}, most = 0;
    int64_t k = 0;
    for (; k + 16 <= d; k += 16)
        for (int i = 0; i < 16; i++) {
            float y = fabsf(centre ? x[k + i] - centre[k + i] : x[k + i]);
            lane[i] = y > lane[i] ? y : lane[i];
        }
    for (; k < d; k++)
        most = fmaxf(most, fabsf(centre ? x[k] - centre[k] : x[k]));
    for (int i = 0; i < 16; i++)
        most = fmaxf(most, lane[i]);
    return most;
}

INLINE float scale_of(int level, float limit, const float *x, const float *centre, double length, int64_t d)
{
    if (level == INT8) {
        float most = largest(x, centre, d);
        return most > SHORTEST && most < LONGEST ? limit / most : NAN;
    }
    if (!(length > SHORTEST && length < LONGEST))
        return NAN;
    if (level == FLOAT32)
        return (float)(1.0 / length);
    float by_length = (float)((46300.0 - 0.51 * sqrt((double)d)) / length), most = largest(x, NULL, d);
    return by_length * most < 32700.0f ? by_length : 32700.0f / most;
}

/* 16 numbers of u', rounded to whole numbers: adding 1.5 * 2^23 leaves no room for a fraction. */
INLINE void round_16(const float *u, float *z, float *lost, float *square)
{
    for (int i = 0; i < 16; i++) {
        z[i] = (u[i] + 12582912.0f) - 12582912.0f;
        lost[i] += (u[i] - z[i]) * (u[i] - z[i]);
        square[i] += z[i] * z[i];
    }
}

/* Word w of the row goes to out[w * step]. INT8: `shift` is added to each number, so that none is negative. */
INLINE grid put_on_grid(int level, float limit, const float *x, const float *centre, double length, int64_t d,
                        uint32_t *out, int64_t step, int shift)
{
    const int per = per_word[level];
    const int64_t words = (d + per - 1) / per;
    grid g = {scale_of(level, limit, x, centre, length, d), 0, 0, 0};
    if (isnan(g.inverse)) {
        for (int64_t w = 0; w < words; w++)
            out[w * step] = 0;
        return g;
    }
    if (level == FLOAT32) { /* z is u rounded once */
        for (int64_t k = 0; k < d; k++) {
            float z = x[k] * g.inverse;
            memcpy(out + k * step, &z, 4);
        }
        g.norm = (float)(length * (double)g.inverse * (1 + 0x1p-20));
        g.gap = g.norm * 0x1p-23f + 0x1p-60f;
        return g;
    }
    float lost[16] = {0}, square[16] = {0}, u[16], z[16];
    for (int64_t k = 0; k < d; k += 16) {
        int take = d - k < 16 ? (int)(d - k) : 16;
        if (take < 16)
            memset(u, 0, sizeof u);
        if (level == INT8)
            for (int i = 0; i < take; i++)
                u[i] = (x[k + i] - centre[k + i]) * g.inverse;
        else
            for (int i = 0; i < take; i++)
                u[i] = x[k + i] * g.inverse;
        round_16(u, z, lost, square);
        uint32_t packed[8];
        if (level == INT16) {
            int16_t two[16];
            for (int i = 0; i < 16; i++)
                two[i] = (int16_t)z[i];
            memcpy(packed, two, sizeof two);
        } else {
            uint8_t four[16]; /* of signed numbers too: bytes are bytes */
            for (int i = 0; i < 16; i++) {
                four[i] = (uint8_t)((int)z[i] + shift);
                g.sum += (int)z[i];
            }
            memcpy(packed, four, sizeof four);
        }
        for (int i = 0; i * per < take; i++)
            out[(k / per + i) * step] = packed[i];
    }
    float gaps = 0, norms = 0;
    for (int i = 0; i < 16; i++) {
        gaps += lost[i];
        norms += square[i];
    }
    g.norm = sqrtf(norms) * (1 + 0x1p-9f);
    g.gap = sqrtf(gaps) * (1 + 0x1p-9f);
    g.gap += (g.norm + g.gap) * 0x1p-21f + 0x1p-60f;
    return g;
}

/* ---- The tiles -----------------------------------------------------------------------------------------
 *
 * A panel holds the words of `columns` corpus rows, a strip those of `rows` queries, both word by word:
 * word w of row i at [w * rows + i]. A tile multiplies a strip with a panel and leaves `rows * columns`
 * products as floats, row by row: a kilobyte that stays in the first cache. All sums stay in registers, as
 * many as there are. `start` is where each row's sum begins: INT8 panels hold numbers `shift` too high,
 * which the instructions want, so the sum of a row begins at -shift times the sum of its numbers.
 *
 * A scan compares one row of a tile with x_j = z_j - threshold * inverse_j: bit j of `above` says x_j > band,
 * bit j of `below` that x_j < -band.
 */
typedef void tile_of(const uint32_t *strip, const uint32_t *panel, int64_t words, const int32_t *start,
                     float *out);
typedef struct { uint64_t above, below; } sides;
typedef sides scan_of(const float *z, const float *inverse, float threshold, float band);
typedef grid grid_of(int level, float limit, const float *x, const float *centre, double length, int64_t d,
                     uint32_t *out, int64_t step, int shift);
typedef double sum_of(const float *a, const float *b, int64_t d);
typedef float short_sum_of(const float *a, const float *b, int64_t d);
struct block;
typedef void count_of(struct block *b, int64_t panel);

enum set { SET_PLAIN, SET_AVX2, SET_AVX_VNNI, SET_AVX512, SET_VNNI, SET_DOT };
typedef struct {
    int level, set, rows, columns;
    float most; /* INT8: the largest size of a number, */
    int shift;  /* and what its panels hold more than that */
    int together; /* words that the tile takes at a time */
    tile_of *tile;
    count_of *count;
    grid_of *grid;
    sum_of *sum;
    short_sum_of *short_sum;
} kernel;
enum { ROWS_MOST = 6, COLUMNS_MOST = 64 };

/* Plain C: 4 queries, 16 columns; compilers make vectors of it. */
#define PLAIN_TILE(name, number, sum_type, per)                                                          \
    static void name(const uint32_t *strip, const uint32_t *panel, int64_t words, const int32_t *start,   \
                     float *out)                                                                          \
    {                                                                                                     \
        const char *q = (const char *)strip, *c = (const char *)panel;                                    \
        sum_type sum[4][16];                                                                              \
        for (int r = 0; r < 4; r++)                                                                       \
            for (int j = 0; j < 16; j++)                                                                  \
                sum[r][j] = (sum_type)start[r];                                                           \
        for (int64_t w = 0; w < words; w++, q += 16, c += 64) {                                           \
            number left[4 * per];                                                                         \
            number##_right right[16 * per];                                                               \
            memcpy(left, q, sizeof left);                                                                 \
            memcpy(right, c, sizeof right);                                                               \
            for (int r = 0; r < 4; r++)                                                                   \
                for (int j = 0; j < 16; j++)                                                              \
                    for (int e = 0; e < per; e++)                                                         \
                        sum[r][j] += (sum_type)left[r * per + e] * (sum_type)right[j * per + e];          \
        }                                                                                                 \
        for (int r = 0; r < 4; r++)                                                                       \
            for (int j = 0; j < 16; j++)                                                                  \
                out[r * 16 + j] = (float)sum[r][j];                                                       \
    }
typedef float float_right;
typedef int16_t int16_t_right;
typedef uint8_t int8_t_right;
PLAIN_TILE(float32_plain, float, float, 1)
PLAIN_TILE(int16_plain, int16_t, int32_t, 2)
PLAIN_TILE(int8_plain, int8_t, int32_t, 4)

static sides scan_plain(const float *z, const float *inverse, float threshold, float band)
{
    sides found = {0, 0};
    for (int j = 0; j < 16; j++) {
        float x = z[j] - threshold * inverse[j];
        found.above |= (uint64_t)(x > band) << j;
        found.below |= (uint64_t)(x < -band) << j;
    }
    return found;
}

/* Keeps a compiler from making products ahead of time, for which there are no registers: a third slower. */
#if defined(CROSSGAUGE_EMULATE)
#define IN_ORDER(sum) ((void)0)
#elif X86
#define IN_ORDER(sum) __asm__("" : "+v"(sum))
#else
#define IN_ORDER(sum) __asm__("" : "+w"(sum))
#endif

/* With vectors: `rows` queries times `many` vectors of columns. */
#define TILE(name, target, vector, rows, many, width, begin, load, spread, step, to_floats)               \
    target static void name(const uint32_t *strip, const uint32_t *panel, int64_t words,                  \
                            const int32_t *start, float *out)                                             \
    {                                                                                                     \
        vector sum[rows][many];                                                                           \
        _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++)                                           \
            _Pragma("GCC unroll 4") for (int v = 0; v < many; v++)                                        \
                sum[r][v] = begin(start[r]);                                                              \
        for (int64_t w = 0; w < words; w++, strip += rows, panel += many * width) {                       \
            vector right[many];                                                                           \
            _Pragma("GCC unroll 4") for (int v = 0; v < many; v++)                                        \
                right[v] = load(panel + v * width);                                                       \
            _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++) {                                     \
                vector left = spread(strip + r);                                                          \
                _Pragma("GCC unroll 4") for (int v = 0; v < many; v++) {                                  \
                    sum[r][v] = step(sum[r][v], left, right[v]);                                          \
                    IN_ORDER(sum[r][v]);                                                                  \
                }                                                                                         \
            }                                                                                             \
        }                                                                                                 \
        _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++)                                           \
            _Pragma("GCC unroll 4") for (int v = 0; v < many; v++)                                        \
                to_floats(out + (r * many + v) * width, sum[r][v]);                                       \
    }

#if X86
#define ZERO_256(start) _mm256_set1_ps((float)(start))
#define ZERO_512(start) _mm512_set1_ps((float)(start))
#define FLOATS_256(at) _mm256_loadu_ps((const float *)(at))
#define FLOATS_512(at) _mm512_loadu_ps((const float *)(at))
#define ONE_256(at) _mm256_broadcast_ss((const float *)(at))
#define ONE_512(at) _mm512_set1_ps(*(const float *)(at))
#define FUSED_256(sum, a, b) _mm256_fmadd_ps(a, b, sum)
#define FUSED_512(sum, a, b) _mm512_fmadd_ps(a, b, sum)
#define WORDS_256(at) _mm256_loadu_si256((const __m256i *)(at))
#define WORDS_512(at) _mm512_loadu_si512((const void *)(at))
#define WORD_256(at) _mm256_set1_epi32((int)*(at))
#define WORD_512(at) _mm512_set1_epi32((int)*(at))
#define PAIRS_256(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
#define PAIRS_512(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#define PAIRS_VNNI(sum, a, b) _mm512_dpwssd_epi32(sum, a, b)
#define FOURS_VNNI(sum, a, b) _mm512_dpbusd_epi32(sum, b, a) /* b unsigned, a signed */
#define PAIRS_AVX_VNNI(sum, a, b) _mm256_dpwssd_avx_epi32(sum, a, b)
#define FOURS_AVX_VNNI(sum, a, b) _mm256_dpbusd_avx_epi32(sum, b, a)
#define KEEP_256(at, sum) _mm256_storeu_ps(at, sum)
#define KEEP_512(at, sum) _mm512_storeu_ps(at, sum)
#define CAST_256(at, sum) _mm256_storeu_ps(at, _mm256_cvtepi32_ps(sum))
#define CAST_512(at, sum) _mm512_storeu_ps(at, _mm512_cvtepi32_ps(sum))

TILE(float32_avx2, AVX2, __m256, 6, 2, 8, ZERO_256, FLOATS_256, ONE_256, FUSED_256, KEEP_256)
TILE(int16_avx2, AVX2, __m256i, 6, 2, 8, _mm256_set1_epi32, WORDS_256, WORD_256, PAIRS_256, CAST_256)
#if AVX_VNNI_KNOWN
TILE(int16_avx_vnni, AVX_VNNI, __m256i, 6, 2, 8, _mm256_set1_epi32, WORDS_256, WORD_256, PAIRS_AVX_VNNI, CAST_256)
TILE(int8_avx_vnni, AVX_VNNI, __m256i, 6, 2, 8, _mm256_set1_epi32, WORDS_256, WORD_256, FOURS_AVX_VNNI, CAST_256)
#endif
TILE(float32_avx512, AVX512, __m512, 6, 4, 16, ZERO_512, FLOATS_512, ONE_512, FUSED_512, KEEP_512)
TILE(int16_avx512, AVX512, __m512i, 6, 4, 16, _mm512_set1_epi32, WORDS_512, WORD_512, PAIRS_512, CAST_512)
TILE(int16_vnni, VNNI, __m512i, 6, 4, 16, _mm512_set1_epi32, WORDS_512, WORD_512, PAIRS_VNNI, CAST_512)
TILE(int8_vnni, VNNI, __m512i, 6, 4, 16, _mm512_set1_epi32, WORDS_512, WORD_512, FOURS_VNNI, CAST_512)

/* INT8 without VNNI takes numbers within +-63, so that four products fit 16 bits: 4 * 127 * 63 < 2^15. They are
 * added there, two words at a time, and only then widened: fewer instructions a product than INT16. */
AVX2 static void int8_avx2(const uint32_t *strip, const uint32_t *panel, int64_t words, const int32_t *start,
                           float *out)
{
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i sum[4][2];
    _Pragma("GCC unroll 4") for (int r = 0; r < 4; r++)
        sum[r][0] = sum[r][1] = _mm256_set1_epi32(start[r]);
    for (int64_t w = 0; w < words; w += 2, strip += 8, panel += 32) {
        __m256i right[2][2] = {{WORDS_256(panel), WORDS_256(panel + 8)},
                               {WORDS_256(panel + 16), WORDS_256(panel + 24)}};
        _Pragma("GCC unroll 4") for (int r = 0; r < 4; r++) {
            __m256i first = WORD_256(strip + r), second = WORD_256(strip + 4 + r);
            _Pragma("GCC unroll 2") for (int v = 0; v < 2; v++) {
                __m256i four = _mm256_add_epi16(_mm256_maddubs_epi16(right[0][v], first),
                                                _mm256_maddubs_epi16(right[1][v], second));
                sum[r][v] = _mm256_add_epi32(sum[r][v], _mm256_madd_epi16(four, ones));
                IN_ORDER(sum[r][v]);
            }
        }
    }
    _Pragma("GCC unroll 4") for (int r = 0; r < 4; r++)
        _Pragma("GCC unroll 2") for (int v = 0; v < 2; v++)
            CAST_256(out + 16 * r + 8 * v, sum[r][v]);
}

AVX2 static sides scan_avx2(const float *z, const float *inverse, float threshold, float band)
{
    const __m256 t = _mm256_set1_ps(threshold), high = _mm256_set1_ps(band), low = _mm256_set1_ps(-band);
    __m256i above[2], below[2];
    for (int v = 0; v < 2; v++) {
        __m256 x = _mm256_fnmadd_ps(t, _mm256_loadu_ps(inverse + 8 * v), _mm256_loadu_ps(z + 8 * v));
        above[v] = _mm256_castps_si256(_mm256_cmp_ps(x, high, _CMP_GT_OQ));
        below[v] = _mm256_castps_si256(_mm256_cmp_ps(x, low, _CMP_LT_OQ));
    }
    /* Bytes of all four, which packing leaves in halves: four columns of each, then the other four. */
    __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(above[0], above[1]), _mm256_packs_epi32(below[0], below[1]));
    bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    uint32_t bits = (uint32_t)_mm256_movemask_epi8(bytes);
    return (sides){bits & 0xffff, bits >> 16};
}

AVX512 static sides scan_avx512(const float *z, const float *inverse, float threshold, float band)
{
    const __m512 t = _mm512_set1_ps(threshold), high = _mm512_set1_ps(band), low = _mm512_set1_ps(-band);
    sides found = {0, 0};
    for (int v = 0; v < 4; v++) {
        __m512 x = _mm512_fnmadd_ps(t, _mm512_loadu_ps(inverse + 16 * v), _mm512_loadu_ps(z + 16 * v));
        found.above |= (uint64_t)_mm512_cmp_ps_mask(x, high, _CMP_GT_OQ) << 16 * v;
        found.below |= (uint64_t)_mm512_cmp_ps_mask(x, low, _CMP_LT_OQ) << 16 * v;
    }
    return found;
}
#endif

#if ARM
/* INT16 would take twice the instructions of floats: there is none. */
#define FLOATS_128(at) vld1q_f32((const float *)(at))
#define ONE_128(at) vld1q_dup_f32((const float *)(at))
#define ZERO_128(start) vdupq_n_f32((float)(start))
#define FUSED_128(sum, a, b) vfmaq_f32(sum, a, b)
#define WORDS_128(at) vld1q_s32((const int32_t *)(at))
#define WORD_128(at) vdupq_n_s32((int32_t)*(at))
#define FOURS_DOT(sum, a, b) vdotq_s32(sum, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b))
#define KEEP_128(at, sum) vst1q_f32(at, sum)
#define CAST_128(at, sum) vst1q_f32(at, vcvtq_f32_s32(sum))

TILE(float32_dot, DOT, float32x4_t, 6, 4, 4, ZERO_128, FLOATS_128, ONE_128, FUSED_128, KEEP_128)
TILE(int8_dot, DOT, int32x4_t, 6, 4, 4, vdupq_n_s32, WORDS_128, WORD_128, FOURS_DOT, CAST_128)

/* Bit j of the answer says whether lane j of four vectors of 0 and -1 is set. */
DOT static uint64_t bits_dot(const uint32x4_t lanes[4])
{
    static const uint8_t place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint16x8_t low = vcombine_u16(vmovn_u32(lanes[0]), vmovn_u32(lanes[1]));
    uint16x8_t high = vcombine_u16(vmovn_u32(lanes[2]), vmovn_u32(lanes[3]));
    uint8x16_t bytes = vandq_u8(vcombine_u8(vmovn_u16(low), vmovn_u16(high)), vld1q_u8(place));
    return vaddv_u8(vget_low_u8(bytes)) | (uint64_t)vaddv_u8(vget_high_u8(bytes)) << 8;
}

DOT static sides scan_dot(const float *z, const float *inverse, float threshold, float band)
{
    const float32x4_t t = vdupq_n_f32(threshold), high = vdupq_n_f32(band), low = vdupq_n_f32(-band);
    uint32x4_t above[4], below[4];
    for (int v = 0; v < 4; v++) {
        float32x4_t x = vfmsq_f32(vld1q_f32(z + 4 * v), t, vld1q_f32(inverse + 4 * v));
        above[v] = vcgtq_f32(x, high);
        below[v] = vcltq_f32(x, low);
    }
    return (sides){bits_dot(above), bits_dot(below)};
}
#endif

/* ---- The bound -----------------------------------------------------------------------------------------
 *
 * Let q and c be a query and a corpus row, U and V their inverses, m and n the centres of their sides,
 * u = (q - m) U and v = (c - n) V, and z, y the numbers on the grid. Since
 *
 *     q.c = (q - m).(c - n) + q.n + m.(c - n),
 *
 * q.c > t exactly if  u.v + U (V m.(c - n)) > (t - q.n) U V. With o_j = V m.(c_j - n), one number a column,
 * and T = (t - q.n) U, one a threshold, that is  x_j := u.v + U o_j - T V > 0.  What is computed instead,
 * x'_j, is further from 0 than `band`, or the pair is open. The band covers, with e = 2^-24:
 *
 *   1. u.v - z.y = (u - z).v + z.(v - y), so at most  gap_q (norm_c + gap_c) + norm_q gap_c.
 *   2. The sum of products: exact for whole numbers, but for one rounding to float, e |z.y|. For floats any
 *      order is off by at most  (d + 2) e |z| |y| (Higham, section 3.1); underflow is below 2^-100.
 *   3. Roundings of U o_j, T, T V, and of their sums. With M := norm_q norm_c + U max|o_j| each of the five
 *      that concern z.y + U o_j is at most e M (2 e M if relative to a sum with T V, see next).
 *      T and T V are each off by e |T V|. If |T V| <= 4 M, that is 8 e M at most; 16 e M cover everything.
 *      If |T V| > 4 M: |z.y + U o_j| <= M, and by 1. |u.v + U o_j| < M + band < 2 M (a band of M or more is
 *      made infinite). So x_j and x'_j both have the sign of -T V, and |x'_j| > 2 M > band: decided, rightly.
 *   4. t and the defined score of c are rounded sums themselves, and q.n is computed in float64:
 *      each is off by (d + 2) 2^-53 |q| (|c| + |n|); 2^-50 (d + 8) U |q| max V (|c| + |n|) covers them.
 *
 * The last rounding, of x'_j, cannot carry it over `band`, which is a float itself (rounding is monotone).
 * norm_c, gap_c, max|o_j| and the last maximum are taken over all columns at hand: lengths do not enter
 * them, only how well rows fit the grid, and that varies little.
 */
typedef struct { float gap, norm, offset, reach; } fit; /* the worst of some columns */

static float band_of(const kernel *k, int64_t d, grid q, double length, fit c)
{
    const double e = 0x1p-24, size = (double)q.norm * c.norm + (double)q.inverse * c.offset;
    double band = (double)q.gap * ((double)c.norm + c.gap) + (double)q.norm * c.gap;
    band += (k->level == FLOAT32 ? (double)(d + 4) : 2.0) * e * size + 16 * e * size;
    band += 0x1p-50 * (double)(d + 8) * q.inverse * length * c.reach;
    band *= 1 + 0x1p-10;
    return band < size ? nextafterf((float)band, INFINITY) : INFINITY; /* also if anything is NaN */
}

/* ---- The count -----------------------------------------------------------------------------------------
 *
 * Strips of a block of queries (as many as fill half a second cache) meet one panel after the other. The
 * panel, of a few kilobytes, comes from memory once a block and stays in the first cache meanwhile.
 *
 * Open pairs are gathered and decided while their rows are still at hand, by the cheapest sum that is clear,
 * at last by the definition. Every pair is decided by its defined score, directly or by proof,
 * so a query's own relevant items may be counted along: the caller, who knows their scores, takes them out.
 */
typedef struct {
    int64_t kernel, dimensions;
    /* the corpus, one column for each distinct row */
    const float *corpus;
    int64_t corpus_stride, columns, first_column; /* the number of the first column at hand */
    const int64_t *row;                           /* (columns) where each stands in corpus */
    const double *corpus_length;                  /* (columns) at least its length */
    const int64_t *weight;                        /* (columns) how many rows it stands for; NULL: one each */
    const uint32_t *panels;                       /* made by crossgauge_panels, as are the next two */
    const float *inverse, *offset;                /* (panels * columns of a panel); offset NULL: no centre */
    fit worst;
    /* all queries, and the judgements of query q from start[q] to start[q + 1] */
    const float *query_centre, *corpus_centre; /* (dimensions) 0 but for int8 */
    const double *query_length;
    const int64_t *start;
    const double *score;
    const int64_t *own;      /* the column of each judgement: known to be equal, without a sum */
    int64_t *higher, *equal; /* added to */
    /* the first k columns of each query, best first, -1 where there are fewer */
    int64_t k;
    int64_t *top_column;
    double *top_score;
    int64_t *open; /* (queries) not NULL: only count open pairs here, in every `every`-th panel */
    int64_t every;
} job;

enum { BLOCK_BYTES = 1 << 18, BLOCK_MOST = 192, OPEN_MOST = 1 << 12, RIVALS = 512, DEEP_BYTES = 1 << 15 };

typedef struct { int64_t query, judgement, column; } pair;

typedef struct { /* a judgement of the block */
    double score;
    float threshold;
    int64_t number, above; /* columns above it for certain, each once */
} asked;

typedef struct { /* a query of the block */
    int64_t number;
    asked *from, *to; /* its judgements, the lowest first */
    const float *row;
    grid on;
    double shift;      /* q.n: what centring takes from every score */
    float band, floor; /* floor: a threshold that k columns are known to reach */
    int64_t rivals;
} asker;

typedef struct block {
    const job *job;
    const kernel *kernel;
    int64_t words, count; /* queries in the block */
    asker asker[BLOCK_MOST];
    uint32_t *strips;
    asked *asked; /* the judgements of the block */
    int64_t opened;
    pair open[OPEN_MOST];
    float sheet[(BLOCK_MOST + ROWS_MOST) * COLUMNS_MOST];
    float *low;            /* (count, k) lower bounds of the best scores so far, best first */
    int64_t *rival;        /* (count, RIVALS) columns that may be among the first k */
    float *high;           /* (count, RIVALS) upper bounds of their scores */
} block;

static const float *corpus_row(const job *j, int64_t column)
{
    return j->corpus + j->row[column] * j->corpus_stride;
}

/* What a tile compares with instead of a score: T in the bound. */
static float threshold_of(const asker *q, double score)
{
    return (float)((score - q->shift) * (double)q->on.inverse);
}

/* Scores by the definition of `count` pairs of rows. */
static void scores_in_order(const float **a, const float **b, int64_t count, int64_t d, double *out)
{
    for (int64_t i = 0; i < count; i += SIDE) {
        const float *left[SIDE], *right[SIDE];
        double found[SIDE];
        for (int64_t s = 0; s < SIDE; s++) {
            int64_t at = i + s < count ? i + s : count - 1;
            left[s] = a[at], right[s] = b[at];
        }
        sums_in_order(left, right, d, found);
        for (int64_t s = 0; s < SIDE && i + s < count; s++)
            out[i + s] = found[s];
    }
}

static void count_pair(const job *j, const pair *p, double score)
{
    int64_t weight = j->weight ? j->weight[p->column] : 1;
    if (score > j->score[p->judgement])
        j->higher[p->judgement] += weight;
    else if (score == j->score[p->judgement])
        j->equal[p->judgement] += weight;
}

/* Decide the open pairs: by a sum in floats if that is clear, else by one in doubles, else by the definition.
 * What these are off by, see there; the defined sum is off by as much as the second; twice as much is allowed.
 * Beyond SHORTEST and LONGEST floats could underflow or overflow. */
static void settle(block *b)
{
    const job *j = b->job;
    const double terms = (double)(j->dimensions + 2), unit = 0x1p-51 * terms;
    const double short_unit = 0x1p-23 * short_terms(j->dimensions) + unit;
    pair hard[SIDE];
    const float *left[SIDE], *right[SIDE];
    double score[SIDE];
    int64_t held = 0;
    for (int64_t i = 0; i < b->opened; i++) {
        const pair *p = &b->open[i];
        const asker *q = &b->asker[p->query];
        const float *c = corpus_row(j, p->column);
        if (p->column + j->first_column == j->own[p->judgement]) {
            count_pair(j, p, j->score[p->judgement]);
            continue;
        }
        double one = j->query_length[q->number], other = j->corpus_length[p->column], size = one * other;
        if (fmin(one, other) > SHORTEST && fmax(one, other) < LONGEST) {
            double near = b->kernel->short_sum(q->row, c, j->dimensions);
            if (fabs(near - j->score[p->judgement]) > short_unit * size) {
                count_pair(j, p, near);
                continue;
            }
        }
        double near = b->kernel->sum(q->row, c, j->dimensions);
        if (fabs(near - j->score[p->judgement]) > unit * size) {
            count_pair(j, p, near);
            continue;
        }
        hard[held] = *p, left[held] = q->row, right[held] = c;
        if (++held == SIDE) {
            sums_in_order(left, right, j->dimensions, score);
            for (int64_t s = 0; s < SIDE; s++)
                count_pair(j, &hard[s], score[s]);
            held = 0;
        }
    }
    scores_in_order(left, right, held, j->dimensions, score);
    for (int64_t s = 0; s < held; s++)
        count_pair(j, &hard[s], score[s]);
    b->opened = 0;
}

/* ---- The first k ---------------------------------------------------------------------------------------
 *
 * A product z and its band give a lower and an upper bound of a score (times U). The k-th best of the lower
 * bounds is reached by k columns, so whatever stays below it for certain is not among the first k; the
 * rest are rivals. When there is no room for more of them, and at the end, their scores are taken by the
 * definition and the best are kept. Columns come in ascending order, so equal scores stay in it.
 */

/* Puts x among the k largest so far, which are kept best first. */
static void keep_largest(float *best, int64_t k, float x)
{
    int64_t at = k;
    while (at > 0 && best[at - 1] < x)
        at--;
    if (at < k) {
        memmove(best + at + 1, best + at, (size_t)(k - at - 1) * sizeof *best);
        best[at] = x;
    }
}

static void settle_rivals(block *b, int64_t i)
{
    const job *j = b->job;
    asker *q = &b->asker[i];
    int64_t *column = j->top_column + q->number * j->k, *rival = b->rival + i * RIVALS, kept = 0;
    double *best = j->top_score + q->number * j->k, score[RIVALS];
    const float *left[RIVALS], *right[RIVALS];
    for (int64_t r = 0; r < q->rivals; r++)
        if (!(b->high[i * RIVALS + r] < q->floor))
            rival[kept++] = rival[r];
    for (int64_t r = 0; r < kept; r++)
        left[r] = q->row, right[r] = corpus_row(j, rival[r]);
    scores_in_order(left, right, kept, j->dimensions, score);
    for (int64_t r = 0; r < kept; r++) {
        int64_t at = j->k;
        while (at > 0 && (column[at - 1] < 0 || best[at - 1] < score[r]))
            at--;
        if (at == j->k)
            continue;
        memmove(column + at + 1, column + at, (size_t)(j->k - at - 1) * sizeof *column);
        memmove(best + at + 1, best + at, (size_t)(j->k - at - 1) * sizeof *best);
        column[at] = rival[r] + j->first_column, best[at] = score[r];
    }
    q->rivals = 0;
    if (column[j->k - 1] >= 0) {
        float reached = threshold_of(q, best[j->k - 1]);
        q->floor = reached > q->floor ? reached : q->floor; /* NaN: no grid, no floor */
    }
}

static void add_rival(block *b, int64_t i, int64_t column, float z, float inverse)
{
    const job *j = b->job;
    asker *q = &b->asker[i];
    int known = q->band < INFINITY && inverse > 0;
    float low = known ? (z - q->band) / inverse : -INFINITY;
    if (q->rivals == RIVALS) { /* those that have fallen behind make room */
        int64_t kept = 0;
        for (int64_t r = 0; r < RIVALS; r++)
            if (!(b->high[i * RIVALS + r] < q->floor)) {
                b->high[i * RIVALS + kept] = b->high[i * RIVALS + r];
                b->rival[i * RIVALS + kept++] = b->rival[i * RIVALS + r];
            }
        q->rivals = kept;
        if (kept > RIVALS / 2)
            settle_rivals(b, i);
    }
    b->rival[i * RIVALS + q->rivals] = column;
    b->high[i * RIVALS + q->rivals++] = known ? (z + q->band) / inverse : INFINITY;
    float *best = b->low + i * j->k;
    keep_largest(best, j->k, low);
    q->floor = best[j->k - 1] > q->floor ? best[j->k - 1] : q->floor;
}

/* ---- Blocks and panels --------------------------------------------------------------------------------- */

/* What few rows of a tile have: open pairs, and columns above that stand for several rows. */
static void count_rest(block *b, int64_t i, int64_t judgement, int64_t base, uint64_t open, uint64_t heavy)
{
    const job *j = b->job;
    if (j->open) {
        j->open[b->asker[i].number] += __builtin_popcountll(open);
        return;
    }
    for (; heavy; heavy &= heavy - 1)
        j->higher[judgement] += j->weight[base + __builtin_ctzll(heavy)] - 1;
    for (; open; open &= open - 1)
        b->open[b->opened++] = (pair){i, judgement, base + __builtin_ctzll(open)};
    if (b->opened > OPEN_MOST - COLUMNS_MOST)
        settle(b);
}

static void add_rivals(block *b, int64_t i, const float *z, int64_t base, uint64_t rivals)
{
    for (; rivals; rivals &= rivals - 1) {
        int at = __builtin_ctzll(rivals);
        add_rival(b, i, base + at, z[at], b->job->inverse[base + at]);
    }
}

/* One row of a tile: the products of query i and a panel, of which `valid` has a bit for each column.
 *
 * x_j falls as the threshold rises (roundings are monotone, inverse_j > 0), so a column below one threshold is
 * below every higher one: the lowest comes first, and where it leaves no column the others need no scan. */
INLINE void count_row(block *b, int64_t i, const float *z, const float *inverse, int64_t base, uint64_t valid,
                      uint64_t heavy, int listing, scan_of *scan)
{
    const asker *q = &b->asker[i];
    const int floor_first = listing && (q->from == q->to || q->floor <= q->from->threshold);
    uint64_t left = valid, lowest = valid; /* columns not below the last threshold, and the lowest */
    if (floor_first) {
        left &= ~scan(z, inverse, q->floor, q->band).below;
        if (left)
            add_rivals(b, i, z, base, left);
    }
    for (asked *a = q->from; left && a < q->to; a++) {
        sides found = scan(z, inverse, a->threshold, q->band);
        uint64_t above = found.above & valid, open = valid & ~(found.above | found.below);
        a->above += __builtin_popcountll(above);
        if (open | (above & heavy))
            count_rest(b, i, a->number, base, open, above & heavy);
        left = above | open;
        lowest = a == q->from ? left : lowest;
    }
    if (listing && !floor_first && lowest) {
        uint64_t rivals = valid & ~scan(z, inverse, q->floor, q->band).below;
        if (rivals)
            add_rivals(b, i, z, base, rivals);
    }
}

INLINE void add_offsets(const job *j, const block *b, int64_t g, int64_t base, float *z)
{
    const kernel *k = b->kernel;
    for (int r = 0; r < k->rows && g + r < b->count; r++)
        for (int c = 0; c < k->columns; c++)
            z[r * k->columns + c] += b->asker[g + r].on.inverse * j->offset[base + c];
}

/* Floats take twice the room of INT16, and strip and panel would not fit the first cache: they are multiplied
 * a part of their words at a time, for all strips, and the parts added up in a sheet. */
static void fill_sheet(block *b, const uint32_t *panel)
{
    const kernel *k = b->kernel;
    const int64_t tile = k->rows * k->columns, most = DEEP_BYTES / (4 * k->columns);
    const int64_t deep = ceil_to(b->words, ceil_to(b->words, most) / most) / (ceil_to(b->words, most) / most);
    const int32_t zero[ROWS_MOST] = {0};
    float part[ROWS_MOST * COLUMNS_MOST];
    for (int64_t w = 0; w < b->words; w += deep) {
        int64_t take = b->words - w < deep ? b->words - w : deep;
        for (int64_t g = 0; g < b->count; g += k->rows) {
            float *sum = b->sheet + g * k->columns;
            k->tile(b->strips + g * b->words + w * k->rows, panel + w * k->columns, take, zero, w ? part : sum);
            for (int64_t i = 0; w && i < tile; i++)
                sum[i] += part[i];
        }
    }
}

INLINE void count_panel(block *b, int64_t panel, scan_of *scan)
{
    const job *j = b->job;
    const kernel *k = b->kernel;
    const int64_t base = panel * k->columns, here = j->columns - base;
    const int take = here < k->columns ? (int)here : k->columns;
    const uint64_t valid = ~0ull >> (64 - take);
    const uint32_t *words = j->panels + base * b->words;
    const float *inverse = j->inverse + base;
    const int listing = j->k > 0, columns = k->columns;
    uint64_t heavy = 0;
    float tile[ROWS_MOST * COLUMNS_MOST];
    for (int c = 0; j->weight && c < take; c++)
        heavy |= (uint64_t)(j->weight[base + c] > 1) << c;
    if (k->level == FLOAT32)
        fill_sheet(b, words);
    for (int64_t g = 0; g < b->count; g += k->rows) {
        const int rows = b->count - g < k->rows ? (int)(b->count - g) : k->rows;
        const float *z = k->level == FLOAT32 ? b->sheet + g * k->columns : tile;
        int32_t start[ROWS_MOST] = {0};
        for (int r = 0; k->level == INT8 && r < rows; r++)
            start[r] = -k->shift * b->asker[g + r].on.sum;
        if (k->level != FLOAT32)
            k->tile(b->strips + g * b->words, words, b->words, start, tile);
        if (j->offset)
            add_offsets(j, b, g, base, tile);
        for (int r = 0; r < rows; r++)
            count_row(b, g + r, z + r * columns, inverse, base, valid, heavy, listing, scan);
    }
    settle(b);
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

/* What stands above as plain loops, compiled once an instruction set. */
#define LOOPS(set, target, fused)                                                                              \
    target static grid grid_##set(int level, float limit, const float *x, const float *centre,               \
                                  double length, int64_t d, uint32_t *out, int64_t step, int shift)   \
    {                                                                                                     \
        if (level == INT16)                                                                               \
            return put_on_grid(INT16, limit, x, centre, length, d, out, step, shift);                             \
        return level == INT8 ? put_on_grid(INT8, limit, x, centre, length, d, out, step, shift)                   \
                             : put_on_grid(FLOAT32, limit, x, centre, length, d, out, step, shift);               \
    }                                                                                                     \
    target static double sum_##set(const float *a, const float *b, int64_t d)                             \
    {                                                                                                     \
        return sum_any_order(a, b, d, fused);                                                                  \
    }                                                                                                     \
    target static float short_sum_##set(const float *a, const float *b, int64_t d)                        \
    {                                                                                                     \
        return short_sum_any_order(a, b, d, fused);                                                            \
    }                                                                                                     \
    target static void count_##set(struct block *b, int64_t panel)                                        \
    {                                                                                                     \
        count_panel(b, panel, scan_##set);                                                                \
    }
LOOPS(plain, , 0)
#if X86
LOOPS(avx2, AVX2, 1)
LOOPS(avx512, AVX512, 1)
#endif
#if ARM
LOOPS(dot, DOT, 1)
#endif

static const kernel KERNELS[] = { /* of each level the best comes last */
    {FLOAT32, SET_PLAIN, 4, 16, 0, 0, 1, float32_plain, count_plain, grid_plain, sum_plain, short_sum_plain},
    {INT16, SET_PLAIN, 4, 16, 0, 0, 1, int16_plain, count_plain, grid_plain, sum_plain, short_sum_plain},
    {INT8, SET_PLAIN, 4, 16, 126.0f, 128, 1, int8_plain, count_plain, grid_plain, sum_plain, short_sum_plain},
#if X86
    {FLOAT32, SET_AVX2, 6, 16, 0, 0, 1, float32_avx2, count_avx2, grid_avx2, sum_avx2, short_sum_avx2},
    {INT16, SET_AVX2, 6, 16, 0, 0, 1, int16_avx2, count_avx2, grid_avx2, sum_avx2, short_sum_avx2},
    {INT8, SET_AVX2, 4, 16, 62.0f, 64, 2, int8_avx2, count_avx2, grid_avx2, sum_avx2, short_sum_avx2},
#if AVX_VNNI_KNOWN
    {INT16, SET_AVX_VNNI, 6, 16, 0, 0, 1, int16_avx_vnni, count_avx2, grid_avx2, sum_avx2, short_sum_avx2},
    {INT8, SET_AVX_VNNI, 6, 16, 126.0f, 128, 1, int8_avx_vnni, count_avx2, grid_avx2, sum_avx2, short_sum_avx2},
#endif
    {FLOAT32, SET_AVX512, 6, 64, 0, 0, 1, float32_avx512, count_avx512, grid_avx512, sum_avx512,
     short_sum_avx512},
    {INT16, SET_AVX512, 6, 64, 0, 0, 1, int16_avx512, count_avx512, grid_avx512, sum_avx512, short_sum_avx512},
    {INT16, SET_VNNI, 6, 64, 0, 0, 1, int16_vnni, count_avx512, grid_avx512, sum_avx512, short_sum_avx512},
    {INT8, SET_VNNI, 6, 64, 126.0f, 128, 1, int8_vnni, count_avx512, grid_avx512, sum_avx512, short_sum_avx512},
#endif
#if ARM
    {FLOAT32, SET_DOT, 6, 16, 0, 0, 1, float32_dot, count_dot, grid_dot, sum_dot, short_sum_dot},
    {INT8, SET_DOT, 6, 16, 126.0f, 0, 1, int8_dot, count_dot, grid_dot, sum_dot, short_sum_dot},
#endif
};
enum { KERNEL_COUNT = sizeof KERNELS / sizeof *KERNELS };

/* Ascending; what is no number comes first, for which every pair is open. */
static int by_score(const void *one, const void *other)
{
    double a = ((const asked *)one)->score, b = ((const asked *)other)->score;
    return isnan(a) || isnan(b) ? isnan(b) - isnan(a) : (a > b) - (a < b);
}

/* Put the queries of a block on the grid. */
static void begin(block *b, const float *queries, int64_t stride, int64_t from, const int64_t *which)
{
    const job *j = b->job;
    const kernel *k = b->kernel;
    const int64_t d = j->dimensions;
    memset(b->strips, 0, (size_t)(ceil_to(b->count, k->rows) * b->words) * sizeof *b->strips);
    const int64_t first = j->start[which[0]];
    for (int64_t i = 0; i < b->count; i++) {
        asker *q = &b->asker[i];
        int64_t strip = i / k->rows * k->rows;
        q->number = which[i], q->row = queries + (which[i] - from) * stride, q->rivals = 0;
        q->on = k->grid(k->level, k->most, q->row, j->query_centre, j->query_length[q->number], d,
                        b->strips + strip * b->words + (i - strip), k->rows, 0);
        q->band = band_of(k, d, q->on, j->query_length[q->number], j->worst);
        q->shift = j->offset ? k->sum(q->row, j->corpus_centre, d) : 0.0;
        q->from = b->asked + (j->start[q->number] - first), q->to = q->from;
        for (int64_t l = j->start[q->number]; l < j->start[q->number + 1]; l++)
            *q->to++ = (asked){j->score[l], threshold_of(q, j->score[l]), l, 0};
        qsort(q->from, (size_t)(q->to - q->from), sizeof *q->from, by_score);
        q->floor = -INFINITY;
        for (int64_t c = 0; c < j->k; c++)
            b->low[i * j->k + c] = -INFINITY;
        if (j->k && j->top_column[q->number * j->k + j->k - 1] >= 0)
            q->floor = threshold_of(q, j->top_score[q->number * j->k + j->k - 1]);
    }
}

/* Hand in what the block has counted and listed. */
static void finish(block *b)
{
    const job *j = b->job;
    for (int64_t i = 0; i < b->count && !j->open; i++) {
        for (const asked *a = b->asker[i].from; a < b->asker[i].to; a++)
            j->higher[a->number] += a->above;
        if (j->k)
            settle_rivals(b, i);
    }
}

static int64_t words_of(const kernel *k, int64_t d)
{
    return ceil_to(d, per_word[k->level] * k->together) / per_word[k->level];
}

static int64_t block_size(const kernel *k, int64_t words)
{
    int64_t strips = BLOCK_BYTES / (4 * words * k->rows);
    int64_t most = BLOCK_MOST / k->rows;
    return k->rows * (strips < 1 ? 1 : strips > most ? most : strips);
}

/* ---- For Python ---------------------------------------------------------------------------------------- */

/* From which source this was built: a library of another one is not used. */
#if !defined(CROSSGAUGE_SOURCE)
#define CROSSGAUGE_SOURCE 0
#endif
PUBLIC uint32_t crossgauge_source(void) { return CROSSGAUGE_SOURCE; }

/* The instruction set of this processor: the last of its own that it has. */
PUBLIC int crossgauge_set(void)
{
#if defined(CROSSGAUGE_EMULATE)
    return SET_DOT;
#elif X86
    unsigned a, b, c, d;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("popcnt"))
        return SET_PLAIN;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw"))
        return AVX_VNNI_KNOWN && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1) ? SET_AVX_VNNI : SET_AVX2;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c >> 11 & 1) ? SET_VNNI : SET_AVX512;
#elif ARM && defined(__APPLE__)
    return SET_DOT; /* every one that Apple makes for this */
#elif ARM
    return getauxval(AT_HWCAP) >> 20 & 1 ? SET_DOT : SET_PLAIN;
#else
    return SET_PLAIN;
#endif
}

/* Whether a processor of one set runs a kernel of another: AVX-512 does not bring AVX-VNNI, and Arm none of them. */
static int runs(int kernel, int processor)
{
    if (kernel == SET_AVX_VNNI || processor == SET_DOT)
        return kernel == processor || kernel == SET_PLAIN;
    return kernel <= processor;
}

/* The last kernel of a level for an instruction set; -1: there is none. */
PUBLIC int crossgauge_kernel(int level, int set)
{
    int found = -1;
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (KERNELS[i].level == level && runs(KERNELS[i].set, set))
            found = i;
    return found;
}

PUBLIC int64_t crossgauge_panel_columns(int kernel) { return KERNELS[kernel].columns; }

PUBLIC int64_t crossgauge_words(int kernel, int64_t d)
{
    return words_of(&KERNELS[kernel], d);
}

/* Sums of squares of n rows, in index order. */
PUBLIC void crossgauge_squares(const float *x, int64_t stride, int64_t n, int64_t d, double *out)
{
    for (int64_t i = 0; i < n; i += SIDE) {
        const float *row[SIDE];
        double found[SIDE];
        for (int64_t s = 0; s < SIDE; s++)
            row[s] = x + (i + s < n ? i + s : n - 1) * stride;
        sums_in_order(row, row, d, found);
        for (int64_t s = 0; s < SIDE && i + s < n; s++)
            out[i + s] = found[s];
    }
}

/* Rows divided by the root of `squares` in float64 and rounded once; rows that are not usable become 0. */
INLINE void unit_rows(const float *x, int64_t stride, int64_t n, int64_t d, const double *squares,
                      const uint8_t *usable, float *out)
{
    for (int64_t i = 0; i < n; i++, x += stride, out += d) {
        double length = sqrt(squares[i]);
        if (!usable[i])
            memset(out, 0, (size_t)d * sizeof *out);
        else
            for (int64_t k = 0; k < d; k++)
                out[k] = (float)((double)x[k] / length);
    }
}
#if X86
AVX2 static void unit_avx2(const float *x, int64_t stride, int64_t n, int64_t d, const double *squares,
                           const uint8_t *usable, float *out)
{
    unit_rows(x, stride, n, d, squares, usable, out);
}
#endif

PUBLIC void crossgauge_unit(const float *x, int64_t stride, int64_t n, int64_t d, const double *squares,
                            const uint8_t *usable, float *out)
{
#if X86
    if (crossgauge_set() >= SET_AVX2) {
        unit_avx2(x, stride, n, d, squares, usable, out);
        return;
    }
#endif
    unit_rows(x, stride, n, d, squares, usable, out);
}

/* The defined score of rows[i] of a and others[i] of b, for n pairs. */
PUBLIC void crossgauge_scores(const float *a, int64_t a_stride, const float *b, int64_t b_stride, int64_t d,
                              const int64_t *rows, const int64_t *others, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i += SIDE) {
        const float *left[SIDE], *right[SIDE];
        int64_t count = n - i < SIDE ? n - i : SIDE;
        for (int64_t s = 0; s < count; s++)
            left[s] = a + rows[i + s] * a_stride, right[s] = b + others[i + s] * b_stride;
        scores_in_order(left, right, count, d, out + i);
    }
}

/* Make the panels `from` to `to` of a job; worst[p] is the worst fit in panel p. */
PUBLIC void crossgauge_panels(const job *j, int64_t from, int64_t to, uint32_t *panels, float *inverse,
                              float *offset, fit *worst)
{
    const kernel *k = &KERNELS[j->kernel];
    const int64_t d = j->dimensions, words = crossgauge_words((int)j->kernel, d);
    const double centre = offset ? sqrt(k->sum(j->corpus_centre, j->corpus_centre, d)) * (1 + 0x1p-20) : 0;
    const double shift = offset ? k->sum(j->query_centre, j->corpus_centre, d) : 0;
    for (int64_t p = from; p < to; p++) {
        uint32_t *panel = panels + p * k->columns * words;
        fit *w = &worst[p];
        *w = (fit){0, 0, 0, 0};
        if ((p + 1) * k->columns > j->columns || k->together > 1)
            memset(panel, 0, (size_t)(k->columns * words) * sizeof *panel);
        for (int64_t c = 0; c < k->columns; c++) {
            int64_t at = p * k->columns + c;
            inverse[at] = 0;
            if (offset)
                offset[at] = 0;
            if (at >= j->columns)
                continue;
            const float *x = corpus_row(j, at);
            grid g = k->grid(k->level, k->most, x, j->corpus_centre, j->corpus_length[at], d, panel + c, k->columns,
                             k->shift);
            inverse[at] = g.inverse;
            if (isnan(g.inverse))
                continue; /* always open, so it need not be covered */
            double reach = (j->corpus_length[at] + centre) * g.inverse;
            if (offset) {
                offset[at] = (float)((k->sum(x, j->query_centre, d) - shift) * g.inverse);
                w->offset = fmaxf(w->offset, fabsf(offset[at]));
            }
            w->gap = fmaxf(w->gap, g.gap);
            w->norm = fmaxf(w->norm, g.norm);
            w->reach = fmaxf(w->reach, nextafterf((float)reach, INFINITY));
        }
    }
}

/* Count for the queries which[0..count): query q stands at queries + (q - from) * stride. 0: no memory. */
PUBLIC int crossgauge_count(const job *j, const float *queries, int64_t stride, int64_t from,
                            const int64_t *which, int64_t count)
{
    const kernel *k = &KERNELS[j->kernel];
    const int64_t words = crossgauge_words((int)j->kernel, j->dimensions), step = block_size(k, words);
    const int64_t panels = ceil_to(j->columns, k->columns) / k->columns;
    if (!count)
        return 1;
    block *b = malloc(sizeof *b);
    size_t judged = (size_t)(j->start[which[count - 1] + 1] - j->start[which[0]]) + 1;
    size_t room = j->k ? BLOCK_MOST : 1;
    uint32_t *strips = NULL;
    asked *judgements = malloc(judged * sizeof *judgements);
    float *low = malloc(room * (size_t)(j->k + 1) * sizeof *low);
    int64_t *rival = malloc(room * RIVALS * sizeof *rival);
    float *high = malloc(room * RIVALS * sizeof *high);
    int fine = b && judgements && low && rival && high
        && !posix_memalign((void **)&strips, 64, (size_t)(step * words) * sizeof *strips);
    if (fine) {
        b->job = j, b->kernel = k, b->words = words, b->strips = strips, b->opened = 0;
        b->asked = judgements, b->low = low, b->rival = rival, b->high = high;
        for (int64_t at = 0; at < count; at += step) {
            b->count = count - at < step ? count - at : step;
            begin(b, queries, stride, from, which + at);
            for (int64_t p = 0; p < panels; p += j->open ? j->every : 1)
                k->count(b, p);
            finish(b);
        }
    }
    free(strips), free(high), free(rival), free(low), free(judgements), free(b);
    return fine;
}
