/* The AVX-512 and VNNI instructions that ranks.c uses, lane by lane, for processors that lack them: tests only.
 * Sums are plain int, so that -fsanitize=undefined finds an overflow. */
#include <immintrin.h> /* AVX2 stays as it is */

typedef struct { float f[16]; } lanes_f;
typedef struct { int32_t i[16]; } lanes_i;
#define __m512 lanes_f
#define __m512i lanes_i
#define LANES(result, expression)                                                                         \
    result out;                                                                                           \
    for (int n = 0; n < 16; n++)                                                                          \
        expression;                                                                                       \
    return out

#define _mm512_set1_ps(x) lanes_set1_ps(x)
static inline lanes_f lanes_set1_ps(float x) { LANES(lanes_f, out.f[n] = x); }
#define _mm512_loadu_ps(at) lanes_loadu_ps(at)
static inline lanes_f lanes_loadu_ps(const float *at) { LANES(lanes_f, out.f[n] = at[n]); }
#define _mm512_storeu_ps(at, x) lanes_storeu_ps(at, x)
static inline void lanes_storeu_ps(float *at, lanes_f x) { memcpy(at, x.f, sizeof x.f); }
#define _mm512_fmadd_ps(a, b, c) lanes_fmadd_ps(a, b, c)
static inline lanes_f lanes_fmadd_ps(lanes_f a, lanes_f b, lanes_f c)
{
    LANES(lanes_f, out.f[n] = fmaf(a.f[n], b.f[n], c.f[n]));
}
#define _mm512_fnmadd_ps(a, b, c) lanes_fnmadd_ps(a, b, c)
static inline lanes_f lanes_fnmadd_ps(lanes_f a, lanes_f b, lanes_f c)
{
    LANES(lanes_f, out.f[n] = fmaf(-a.f[n], b.f[n], c.f[n]));
}
#define _mm512_cmp_ps_mask(a, b, how) lanes_cmp_ps_mask(a, b, how)
static inline uint16_t lanes_cmp_ps_mask(lanes_f a, lanes_f b, int how)
{
    uint16_t mask = 0;
    for (int n = 0; n < 16; n++)
        mask |= (uint16_t)((how == _CMP_GT_OQ ? a.f[n] > b.f[n] : a.f[n] < b.f[n]) << n);
    return mask;
}
#define _mm512_set1_epi32(x) lanes_set1_epi32(x)
static inline lanes_i lanes_set1_epi32(int32_t x) { LANES(lanes_i, out.i[n] = x); }
#define _mm512_loadu_si512(at) lanes_loadu_si512(at)
static inline lanes_i lanes_loadu_si512(const void *at)
{
    lanes_i out;
    memcpy(out.i, at, sizeof out.i);
    return out;
}
#define _mm512_add_epi32(a, b) lanes_add_epi32(a, b)
static inline lanes_i lanes_add_epi32(lanes_i a, lanes_i b) { LANES(lanes_i, out.i[n] = a.i[n] + b.i[n]); }
#define _mm512_cvtepi32_ps(x) lanes_cvtepi32_ps(x)
static inline lanes_f lanes_cvtepi32_ps(lanes_i x) { LANES(lanes_f, out.f[n] = (float)x.i[n]); }

static inline int32_t pairs(int32_t a, int32_t b) /* signed 16 bits times signed 16 bits, twice */
{
    int16_t x[2], y[2];
    memcpy(x, &a, 4), memcpy(y, &b, 4);
    return x[0] * y[0] + x[1] * y[1];
}
static inline int32_t fours(int32_t a, int32_t b) /* unsigned 8 bits times signed 8 bits, four times */
{
    uint8_t x[4];
    int8_t y[4];
    memcpy(x, &a, 4), memcpy(y, &b, 4);
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
}
#define _mm512_madd_epi16(a, b) lanes_madd_epi16(a, b)
static inline lanes_i lanes_madd_epi16(lanes_i a, lanes_i b) { LANES(lanes_i, out.i[n] = pairs(a.i[n], b.i[n])); }
#define _mm512_dpwssd_epi32(sum, a, b) lanes_dpwssd_epi32(sum, a, b)
static inline lanes_i lanes_dpwssd_epi32(lanes_i sum, lanes_i a, lanes_i b)
{
    LANES(lanes_i, out.i[n] = sum.i[n] + pairs(a.i[n], b.i[n]));
}
#define _mm512_dpbusd_epi32(sum, a, b) lanes_dpbusd_epi32(sum, a, b)
static inline lanes_i lanes_dpbusd_epi32(lanes_i sum, lanes_i a, lanes_i b)
{
    LANES(lanes_i, out.i[n] = sum.i[n] + fours(a.i[n], b.i[n]));
}
